import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { suggestionsFor } from '../../src/fetch/catalog/search-fields.ts'

const catalog = createCatalog(contents)
const suggested = (unknown: string) => suggestionsFor(unknown, catalog)

describe('for the unknown name', () => {
  test.each([
    ['slope', 'slope_degrees'],
    ['Slope', 'slope_degrees'],
    ['slopeDegrees', 'slope_degrees'],
    ['slope-degrees', 'slope_degrees'],
    ['slope_degree', 'slope_degrees'],
    ['altitude', 'elevation'],
    ['Elevation', 'elevation'],
    ['elevaton', 'elevation'],
    ['elevation_m', 'elevation'],
    ['elev', 'elevation'],
    ['flood_zone', 'fema_flood_zone'],
    ['flood zone', 'fema_flood_zone'],
    ['FloodZone', 'fema_flood_zone'],
    ['fema_floodzone', 'fema_flood_zone'],
    ['wetland', 'intersects_wetland'],
    ['is_wetland', 'intersects_wetland'],
    ['in_wetland', 'intersects_wetland'],
    ['county_name', 'county'],
    ['fips', 'county_fips'],
    ['zip', 'zcta5'],
    ['time zone', 'timezone'],
    ['tz', 'timezone'],
    ['time_zone', 'timezone'],
    ['distance_to_coast', 'coast_distance_m'],
    ['coast_distance', 'coast_distance_m'],
    ['ocean', 'coast_distance_m'],
    ['nearest_airport', 'nearest_airport_name'],
    ['tree_canopy', 'tree_canopy_pct'],
    ['canopy', 'tree_canopy_pct'],
    ['income', 'tract_median_household_income_usd'],
  ])('%p the field %s is suggested', (unknown, field) => expect(suggested(unknown)).toContain(field))

  test.each([
    ['slope', 'slope_degrees'],
    ['flood_zone', 'fema_flood_zone'],
    ['elevaton', 'elevation'],
    ['altitude', 'elevation'],
    ['coast_distance', 'coast_distance_m'],
    ['timezoen', 'timezone'],
  ])('%p the first suggestion is %s', (unknown, field) => expect(suggested(unknown)[0]).toBe(field))

  test.each(['', ' ', '___', '🏔️', 'zzzzzzzz', 'qwxj', '12345', 'drop table fields'])(
    'without a similar field there is no suggestion: %j',
    (unknown) => expect(suggested(unknown)).toEqual([]),
  )
})

test('a field is suggested for its name with a letter missing', () => {
  const names = [...catalog.fields.keys()].filter((name, i) => name.length > 7 && i % 3 === 0)
  expect(names.filter((name) => !suggested(name.slice(0, 4) + name.slice(5)).includes(name))).toEqual([])
})

test('there are at most five suggestions, without duplicates, and all are fields', () => {
  const words = fc.constantFrom(
    'nearest',
    'distance',
    'm',
    'name',
    'flood',
    'fire',
    'power',
    'within',
    'count',
    'soil',
    'x',
    'water',
    'km',
  )
  const text = fc.oneof(
    fc.string({ maxLength: 80, unit: 'binary' }),
    fc.array(words, { maxLength: 8 }).map((it) => it.join('_')),
  )
  fc.assert(
    fc.property(text, (unknown) => {
      const names = suggested(unknown)
      expect(names.length).toBeLessThanOrEqual(5)
      expect(new Set(names).size).toBe(names.length)
      expect(names.filter((name) => !catalog.fields.has(name))).toEqual([])
    }),
    { numRuns: 150 },
  )
})

test('at most 64 characters of a name are compared, which bounds the cost of hostile names', () => {
  expect(suggested(`slope${'_'.repeat(59)}county_fips`)).toEqual(suggested('slope'))
  for (const letter of ['a', '_', 'a_', 'aB', '🏔️', 'nearest_airport_']) {
    const head = letter.repeat(64).slice(0, 64)
    expect(suggested(head + letter.repeat(200_000))).toEqual(suggested(head))
  }
})
