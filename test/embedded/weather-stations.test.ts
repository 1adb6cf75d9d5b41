import { expect, test } from 'bun:test'
import { listedStations } from '../../scripts/embed/weather-stations.ts'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { insideUs } from '../../src/geo/us.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile } from '../support/test-service.ts'

const embedded = openEmbeddedData(embeddedFile)
const denver = { lat: 39.7392, lng: -104.9903 }
const stations = embedded
  .layer('weather_stations')
  .query({ at: denver, radius_m: Infinity, with_geometry: true })
  .map(({ properties, geometry }) => ({ id: String(properties.ID), at: geometry!.points[0]! }))
const listed = new Map([...listedStations()].map(({ id, at }) => [id, at]))
/** The first letters of ICAO codes of the US: the 48 states, Alaska, Hawaii and the islands. */
const codesOfUs = /^(K|P[AFGHOP]|TJ|TI|NSTU)/

test('every weather station is in the list of stations and at an airport of the FAA, at the same place', () => {
  const apart = stations.filter(
    ({ id, at: [lng, lat] }) => !(distanceBetween_m(listed.get(id)!, { lat, lng }) <= 5_000),
  )
  expect(apart).toEqual([])
  expect(new Set(stations.map(({ id }) => id)).size).toBe(stations.length)
})

test('at least 95 % of the listed stations of the US are at an airport of the FAA', () => {
  const ofUs = [...listed].filter(([id, at]) => codesOfUs.test(id) && id.length === 4 && insideUs(at))
  expect(stations.length).toBeGreaterThan(0.95 * ofUs.length)
  expect(stations.filter(({ id }) => !codesOfUs.test(id))).toEqual([])
})

test.each([
  ['Denver', denver, 'KBKF'],
  ['Miami Beach', { lat: 25.7907, lng: -80.13 }, 'KMIA'],
  ['Anchorage', { lat: 61.2181, lng: -149.9003 }, 'PAMR'],
  ['Honolulu', { lat: 21.3069, lng: -157.8583 }, 'PHNL'],
  ['San Juan', { lat: 18.4655, lng: -66.1057 }, 'TJIG'],
])('the weather station near %s', (_, at, id) => {
  const [nearest] = embedded.layer('weather_stations').query({ at, radius_m: 50_000, limit: 1 })
  expect(nearest!.properties.ID).toBe(id)
})
