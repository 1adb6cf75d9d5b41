import { describe, expect, test } from 'bun:test'
import { datasets } from '../../catalog/contents.ts'
import { uncertaintyMembersOf } from '../../src/fetch/field-plan.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile } from '../support/test-service.ts'

/**
 * Known places, and the least and greatest distance in meters to the sea or a bay. The independent truth is the
 * full-resolution shoreline GSHHG 2.3.7, which is not part of this project, rounded outward; it leaves out the islet of
 * Fort Sumter. Inland the width covers what counts as the last shore of an estuary.
 */
const places: [name: string, lat: number, lng: number, range_m: [number, number]][] = [
  ['Fort Jefferson, Dry Tortugas', 24.6285, -82.8732, [0, 250]],
  ['Inner Harbor, Baltimore', 39.2847, -76.609, [0, 1_000]],
  ['Alcatraz Island', 37.8267, -122.4233, [50, 250]],
  ['Farallon Island Light', 37.6989, -123.0034, [50, 400]],
  ['Key West Light', 24.5505, -81.8006, [300, 700]],
  ['Miami Beach', 25.7907, -80.13, [100, 700]],
  ['the Battery, New York', 40.7033, -74.017, [0, 200]],
  ['Statue of Liberty', 40.6892, -74.0445, [30, 200]],
  ['Maryland State House, Annapolis', 38.9788, -76.4909, [100, 800]],
  ['Fort Sumter', 32.7523, -79.8747, [0, 150]],
  ['Point Reyes Light', 37.9956, -123.0231, [0, 150]],
  ['Cape Hatteras Light', 35.2505, -75.5288, [400, 1_000]],
  ['Montauk Point Light', 41.071, -71.8571, [20, 250]],
  ['Old North Church, Boston', 42.3664, -71.0544, [100, 500]],
  ['Pike Place Market, Seattle', 47.6097, -122.3425, [100, 400]],
  ['Sitka', 57.0531, -135.33, [0, 500]],
  ['Nome', 64.4986, -165.4108, [50, 400]],
  ['El Morro, San Juan', 18.4711, -66.1239, [0, 350]],
  ['Christiansted, St. Croix', 17.7466, -64.7032, [0, 250]],
  ['Los Angeles City Hall', 34.0537, -118.2427, [19_000, 25_000]],
  ['Orlando', 28.5383, -81.3792, [45_000, 70_000]],
  ['Phoenix', 33.4484, -112.074, [230_000, 270_000]],
  ['Chicago', 41.8781, -87.6298, [900_000, 1_000_000]],
  ['Denver', 39.7392, -104.9903, [1_150_000, 1_250_000]],
]

const embedded = openEmbeddedData(embeddedFile)

function coastDistanceAt(lat: number, lng: number) {
  const [nearest] = embedded.layer('coastline').query({ at: { lat, lng }, radius_m: Infinity, limit: 1 })
  const { distance_m } = nearest!
  return { distance_m, uncertainty_m: uncertaintyMembersOf(distance_m, 'm', datasets.osm_coastline!).uncertainty_m! }
}

describe('the embedded coastline', () => {
  test.each(places)('is right within its uncertainty at %s', (_name, lat, lng, [least_m, greatest_m]) => {
    const { distance_m, uncertainty_m } = coastDistanceAt(lat, lng)
    expect(distance_m + uncertainty_m).toBeGreaterThanOrEqual(least_m)
    expect(distance_m - uncertainty_m).toBeLessThanOrEqual(greatest_m)
  })

  test('has the shores of small islands and the inner ends of bays that have a tide station', () => {
    expect(coastDistanceAt(24.6285, -82.8732).distance_m).toBeLessThan(500)
    expect(coastDistanceAt(37.8267, -122.4233).distance_m).toBeLessThan(700)
    expect(coastDistanceAt(39.2847, -76.609).distance_m).toBeLessThan(4_000)
  })

  test('ends at the mouths of tidal rivers', () => {
    expect(coastDistanceAt(45.5152, -122.6784).distance_m).toBeGreaterThan(50_000)
    expect(coastDistanceAt(38.5816, -121.4944).distance_m).toBeGreaterThan(40_000)
    expect(coastDistanceAt(42.6526, -73.7562).distance_m).toBeGreaterThan(100_000)
  })
})
