import { expect, test } from 'bun:test'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile, embeddedGeopackage } from '../support/test-service.ts'
import { addressPoints, airportZones, isSameCounty, openReferenceCounties, zipPoints } from './reference-counties.ts'

const embedded = openEmbeddedData(embeddedFile)

const countyAt = (at: { lat: number; lng: number }) =>
  embedded
    .layer('counties')
    .query({ at, radius_m: 0 })
    .map(({ properties }) => String(properties.GEOID))
const zoneAt = (at: { lat: number; lng: number }) =>
  embedded
    .layer('timezones')
    .query({ at, radius_m: 0 })
    .map(({ properties }) => properties.TZID)

test('the county agrees with the unsimplified TIGER polygons at 99.98 % of the ZIP points and at every real address', async () => {
  const referenceCountyAt = await openReferenceCounties()
  const compared = (points: { lat: number; lng: number }[]) => {
    const known = points
      .map((at) => ({ at, county: referenceCountyAt(at) }))
      .filter((it): it is typeof it & { county: string } => it.county !== null)
    const wrong = known.filter(({ at, county }) => !isSameCounty(county, countyAt(at)[0] ?? ''))
    return { count: known.length, wrong }
  }
  const zips = compared(await zipPoints())
  const addresses = compared(await addressPoints())
  console.log(
    `county: ${zips.count} ZIP points, ${zips.wrong.length} differ; ${addresses.count} addresses, ${addresses.wrong.length} differ`,
  )
  expect(zips.count).toBeGreaterThan(40_000)
  expect(1 - zips.wrong.length / zips.count).toBeGreaterThanOrEqual(0.9998)
  expect(addresses.count).toBe(3220)
  expect(addresses.wrong).toEqual([])
}, 120_000)

test('no point of the ZIP table falls in two counties', async () => {
  const twice = (await zipPoints()).filter((at) => countyAt(at).length > 1)
  expect(twice).toEqual([])
})

test('the time zone agrees with the field of the FAA at 99.9 % of the airports', () => {
  const airports = airportZones(embeddedGeopackage)
  const wrong = airports.filter(({ at, zone }) => !zoneAt(at).includes(zone))
  console.log(`time zone: ${airports.length} airports, ${wrong.length} differ`)
  expect(airports.length).toBeGreaterThan(18_000)
  expect(1 - wrong.length / airports.length).toBeGreaterThanOrEqual(0.999)
})
