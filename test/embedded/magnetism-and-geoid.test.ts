import { expect, test } from 'bun:test'
import { usEnvelope } from '../../src/geo/us.ts'
import { magneticInclination, magneticDeclination } from '../../src/operators/functions/magnetism.ts'
import { sampleOperator } from '../../src/operators/raster/sample.ts'
import type { RasterQuery } from '../../src/model/source.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile } from '../support/test-service.ts'

const embedded = openEmbeddedData(embeddedFile)
/** The date of the reference values. */
const then = new Date('2026-09-24T00:00:00Z')

test.each([
  ['Denver', 39.7392, -104.9903, 7.49],
  ['Miami', 25.7907, -80.13, -7.44],
  ['Anchorage', 61.2181, -149.9003, 13.95],
])('the compass points %s by its declination', (_name, lat, lng, degrees) => {
  expect(Math.abs(Number(magneticDeclination({ lat, lng }, {}, then)) - degrees)).toBeLessThan(0.1)
})

test('the magnetic dip increases to the north and is negative in the south', () => {
  const dips = [
    [61.2, -149.9],
    [39.7, -105],
    [18.5, -66.1],
    [-14.3, -170.7],
  ].map(([lat, lng]) => Number(magneticInclination({ lat: lat!, lng: lng! }, {}, then)))
  expect(dips).toEqual(dips.toSorted((a, b) => b - a))
  expect(dips[3]!).toBeLessThan(0)
})

test('the declination is constant within a day, so that all rows of a run agree', () => {
  const [first, last, next] = ['2026-09-24T00:00:00Z', '2026-09-24T23:59:59.999Z', '2026-09-25T00:00:00Z'].map((at) =>
    magneticDeclination({ lat: 40, lng: -105 }, {}, new Date(at)),
  )
  expect(first).toBe(last)
  expect(next).not.toBe(last)
})

test('a day outside the model is rejected', () => {
  expect(() => magneticDeclination({ lat: 40, lng: -105 }, {}, new Date('2031-01-01T00:00:00Z'))).toThrow(
    'The World Magnetic Model of this version does not cover 2031-01-01. Install a newer version of Fieldstone.',
  )
})

const undulation = async (lat: number, lng: number) => {
  const source = async ({ at, radius_cells }: RasterQuery) => embedded.grid('geoid').window(at, radius_cells)
  return sampleOperator.run(
    { resampling: 'bilinear' },
    source,
    { at: { lat, lng }, key: null, inputs: {}, now: then },
    { signal: new AbortController().signal },
  )
}

test.each([
  ['Denver', 39.7392, -104.9903, -16.98],
  ['Anchorage', 61.2181, -149.9003, 8.33],
  ['San Juan', 18.4655, -66.1057, -44.7],
])('the geoid height is right at %s', async (_name, lat, lng, metres) => {
  expect(Math.abs(Number(await undulation(lat, lng)) - metres)).toBeLessThan(0.02)
})

test('the geoid is continuous across the antimeridian', async () => {
  const [west, line, sameLine, east] = await Promise.all(
    [179.9999, 180, -180, -179.9999].map((lng) => undulation(51.9, lng)),
  )
  expect(line).toBe(sameLine)
  expect(Math.abs(Number(west) - Number(line)) + Math.abs(Number(east) - Number(line))).toBeLessThan(0.01)
})

test('the geoid covers the envelope to its corners', () => {
  const inwards = 1e-6
  const corners = usEnvelope.flatMap(([south, west, north, east]) =>
    [south + inwards, north - inwards].flatMap((lat) => [west + inwards, east - inwards].map((lng) => ({ lat, lng }))),
  )
  expect(corners.length).toBeGreaterThan(30)
  expect(corners.filter((at) => embedded.grid('geoid').window(at, 0).cells.includes(null))).toEqual([])
})
