import { describe, expect, test } from 'bun:test'
import geodesic from 'geographiclib-geodesic'
import type { Point } from '../../src/model/place.ts'
import { loadTestLayer } from './load-test-layer.ts'
import { createGeopackage } from './create-geopackage.ts'
import { blob, boxRing, polygonWkb } from './encode-wkb.ts'

const east = -64.75
/** Two islands cut at the shore, one that is not, and the sea between them. */
const islands = [
  ['west', polygonWkb(boxRing(-65, 18.25, east, 18.5)), 2_500, 78],
  ['east', polygonWkb(boxRing(-64.71875, 18.25, -64.5, 18.5)), 1_000, 78],
  ['whole', polygonWkb(boxRing(-65, 18.125, -64.5, 18.234375)), 0, 72],
] as const
const layer = loadTestLayer(
  createGeopackage({
    islands: islands.map(([NAME, shape, SNAP_M, STATE]) => ({
      geom: blob(shape),
      attributes: { NAME, SNAP_M, STATE },
    })),
  }),
  'islands',
)
const holders = (at: Point, where?: string) =>
  layer.query({ at, radius_m: 0, ...(where !== undefined && { where }) }).map(({ properties }) => properties.NAME)

/** A point this far east of the western island. */
function offshore(distance_m: number, lat = 18.375): Point {
  const { lat2, lon2 } = geodesic.Geodesic.WGS84.Direct(lat, east, 90, distance_m)
  return { lat: lat2!, lng: lon2! }
}

describe('a polygon cut at the shore', () => {
  test.each([1, 100, 1_500])('contains a point %i m away', (distance_m) => {
    expect(holders(offshore(distance_m))).toEqual(['west'])
  })

  test('contains it at distance 0, as if it were inside', () => {
    expect(layer.query({ at: offshore(500), radius_m: 0 })).toEqual([
      { properties: { NAME: 'west', SNAP_M: 2_500, STATE: 78 }, distance_m: 0 },
    ])
    expect(layer.query({ at: offshore(500), radius_m: 1_000 })).toEqual([
      { properties: { NAME: 'west', SNAP_M: 2_500, STATE: 78 }, distance_m: 0 },
    ])
  })

  test('reaches exactly as far as its SNAP_M', () => {
    const north = (distance_m: number): Point => {
      const { lat2, lon2 } = geodesic.Geodesic.WGS84.Direct(18.5, -64.9, 0, distance_m)
      return { lat: lat2!, lng: lon2! }
    }
    expect([2_490, 2_510].map((distance_m) => holders(north(distance_m)))).toEqual([['west'], []])
  })

  test('does not contain a point that is nearer to another such polygon', () => {
    // The strait is 3.3 km wide, and the eastern island reaches only 1 km.
    expect([2_000, 2_250, 2_400, 3_200].map((distance_m) => holders(offshore(distance_m)).join())).toEqual([
      'west',
      'west',
      'east',
      'east',
    ])
  })

  test('does not contain a point inside another polygon', () => {
    const inTheWhole = { lat: 18.2343, lng: -64.9 }
    expect(holders(inTheWhole)).toEqual(['whole'])
    expect(holders(inTheWhole, 'STATE = 78')).toEqual([])
  })

  test('does not contain the point of a nearer polygon, whatever the condition', () => {
    expect(holders(offshore(500), "NAME = 'west'")).toEqual(['west'])
    expect(holders(offshore(2_400), "NAME = 'west'")).toEqual([])
    expect(holders(offshore(2_400), "NAME = 'east'")).toEqual(['east'])
  })
})

test('a polygon not cut at the shore contains nothing beyond its edge', () => {
  expect(holders({ lat: 18.1249, lng: -64.9 })).toEqual([])
})
