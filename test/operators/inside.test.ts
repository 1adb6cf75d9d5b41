import { describe, expect, test } from 'bun:test'
import { geoJsonOf } from '../../src/geo/text/geojson.ts'
import type { Feature, FeatureQuery, Geometry, Position } from '../../src/model/source.ts'
import { decodeCowardin } from '../../src/operators/value/cowardin.ts'
import { lengthWithinOperator } from '../../src/operators/features/length-within.ts'
import { outlineText } from '../../src/operators/features/outline-text.ts'
import { overlapAreaOperator } from '../../src/operators/features/overlap-area.ts'
import { fakeBudget, fakePoint, fieldQuery, recordingSource, rejectionMessage } from './fakes.ts'

const { lat, lng } = fakePoint
/** Degrees of 1 m at the point. */
const [east, north] = [1 / 85_700, 1 / 111_030]
const at = (east_m: number, north_m: number): Position => [lng + east_m * east, lat + north_m * north]
const square = (half_m: number, east_m = 0): Position[][] => [
  [
    at(east_m - half_m, -half_m),
    at(east_m + half_m, -half_m),
    at(east_m + half_m, half_m),
    at(east_m - half_m, half_m),
    at(east_m - half_m, -half_m),
  ],
]
const feature = (geometry: Partial<Geometry>, properties = {}): Feature => ({
  properties,
  distance_m: 0,
  geometry: { points: [], lines: [], polygons: [], ...geometry },
})
const sourceOf = (...features: Feature[]) => recordingSource<FeatureQuery, Feature[]>(() => features)

describe('the length of lines in a circle', () => {
  const line = [at(-2_000, 0), at(2_000, 0)]

  test('counts the parts of a line inside it', async () => {
    const source = sourceOf(feature({ lines: [line] }), feature({ lines: [[at(0, 600), at(500, 600)]] }))
    const length = await lengthWithinOperator.run({ radius_m: 500 }, source, fieldQuery, fakeBudget)
    expect(length).toBeCloseTo(1_000, -1)
    expect(source.queries).toEqual([{ at: fakePoint, radius_m: 500, with_geometry: true }])
  })

  test('counts a feature once that comes in several layers', async () => {
    const source = sourceOf(feature({ lines: [line] }, { OID: 7 }), feature({ lines: [line] }, { OID: 7 }))
    const run = (distinct?: string) =>
      lengthWithinOperator.run({ radius_m: 500, ...(distinct && { distinct }) }, source, fieldQuery, fakeBudget)
    expect(await run('OID')).toBeCloseTo(1_000, -1)
    expect(await run()).toBeCloseTo(2_000, -1)
  })

  test('is 0 without lines, and an error without geometries', async () => {
    expect(await lengthWithinOperator.run({ radius_m: 500 }, sourceOf(), fieldQuery, fakeBudget)).toBe(0)
    const bare = sourceOf({ properties: {}, distance_m: 0 })
    expect(await rejectionMessage(lengthWithinOperator.run({ radius_m: 500 }, bare, fieldQuery, fakeBudget))).toMatch(
      /^unsupported_request: /,
    )
  })
})

describe('the part of an outline that features cover', () => {
  const outline = JSON.stringify(geoJsonOf({ points: [], lines: [], polygons: [square(50)] }))
  const query = { ...fieldQuery, inputs: { outline } }
  const share = async (...features: Feature[]) => {
    const value = await overlapAreaOperator.run({ measure: 'share' }, sourceOf(...features), query, fakeBudget)
    return Number(value)
  }

  test('counts each place once', async () => {
    expect(await share(feature({ polygons: [square(50, 50)] }))).toBeCloseTo(0.5, 3)
    expect(await share(feature({ polygons: [square(50, 50)] }), feature({ polygons: [square(50, 75)] }))).toBeCloseTo(
      0.5,
      3,
    )
    expect(await share(feature({ polygons: [square(500)] }))).toBeCloseTo(1, 6)
    expect(await share()).toBe(0)
  })

  test('is measured in acres', async () => {
    const cover = sourceOf(feature({ polygons: [square(500)] }))
    const acres = await overlapAreaOperator.run({ measure: 'acres' }, cover, query, fakeBudget)
    expect(Number(acres)).toBeCloseTo(10_000 / 4046.8564, 1)
  })

  test('is null without an outline', async () => {
    expect(await overlapAreaOperator.run({ measure: 'share' }, sourceOf(), fieldQuery, fakeBudget)).toBeNull()
  })

  test('asks for what is near any vertex', async () => {
    const source = sourceOf()
    await overlapAreaOperator.run({ measure: 'share', where: 'a = 1' }, source, query, fakeBudget)
    expect(source.queries).toMatchObject([{ where: 'a = 1', with_geometry: true }])
    expect(source.queries[0]!.radius_m).toBeGreaterThan(70)
    expect(source.queries[0]!.radius_m).toBeLessThan(72)
  })
})

test('an outline is a text: all polygons in GeoJSON, the largest in WKT', () => {
  const both = {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
      [
        [
          [5, 5],
          [9, 5],
          [9, 9],
          [5, 5],
        ],
      ],
    ],
  }
  expect(JSON.parse(outlineText(both, 'geojson', { lat: 6, lng: 8 })!)).toMatchObject({ type: 'MultiPolygon' })
  expect(outlineText(both, 'wkt', { lat: 6, lng: 8 })).toBe('POLYGON ((5 5, 9 5, 9 9, 5 5))')
  expect(outlineText(null, 'wkt', { lat: 6, lng: 8 })).toBeNull()
})

test('an outline that neither contains the point nor touches it is of another place', () => {
  const square = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
        [0, 0],
      ],
    ],
  }
  for (const form of ['geojson', 'wkt'] as const) {
    expect(outlineText(square, form, { lat: 0.5, lng: 0.5 })).toBeString()
    expect(outlineText(square, form, { lat: 0.5, lng: 1 })).toBeString()
    expect(() => outlineText(square, form, { lat: 10.5, lng: 0.5 })).toThrow('The source returned an outline')
  }
})

test.each([
  ['PEM1A', 'Palustrine Emergent Persistent Temporarily Flooded'],
  ['PFO1A', 'Palustrine Forested Broad-Leaved Deciduous Temporarily Flooded'],
  ['R4SBCx', 'Riverine Streambed Seasonally Flooded'],
  ['E1UBL', 'Estuarine Unconsolidated Bottom Subtidal'],
  ['L1UBHh', 'Lacustrine Unconsolidated Bottom Permanently Flooded'],
  ['Pf', 'Palustrine'],
])('the Cowardin code %s in words is %s', (code, words) => expect(decodeCowardin(code, 'nwi_words')).toBe(words))
