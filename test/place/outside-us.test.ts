import { afterAll, describe, expect, test } from 'bun:test'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { openTestService } from '../support/test-service.ts'
import { everyField } from './every-field.ts'
import { words } from '../support/words.ts'

const service = openTestService()
afterAll(() => service.close())
const { catalog } = service.app

/** Whether a read needs only the point: a computation, or data that covers the whole earth. */
function isPure({ dataset, from = {} }: ReadSpec): boolean {
  const { regions } = catalog.datasets.get(dataset)!.coverage
  return (
    regions === 'everywhere' &&
    Object.values(from).every(
      (it) => it === 'lat' || it === 'lng' || isPure(typeof it === 'string' ? catalog.fields.get(it)!.read : it),
    )
  )
}
const pure = [...catalog.fields.values()].filter(({ read }) => isPure(read)).map(({ name }) => name)
const bound = [...catalog.fields.keys()].filter((name) => !pure.includes(name))

test('the fields that need only the point are few and known', () => {
  expect(pure).toEqual(
    expect.arrayContaining(words`
      geohash mgrs utm_zone plus_code magnetic_declination_degrees geoid_undulation_m summer_solstice_day_length_hours
    `),
  )
  expect(
    pure.filter((name) =>
      words`
        county timezone elevation coast_distance_m nearest_airport_name utc_offset_standard_hours
      `.includes(name),
    ),
  ).toEqual([])
  expect(pure.length).toBeGreaterThan(15)
})

const outside = [
  ['Toronto', { lat: 43.65, lng: -79.38 }, '17T'],
  ['Tijuana', { lat: 32.51, lng: -117.02 }, '11S'],
  ['the open sea', { lat: 27.4, lng: -73 }, '18R'],
  ['the antimeridian, as 180', { lat: 52.5, lng: 180 }, '60U'],
  ['the antimeridian, as -180', { lat: 52.5, lng: -180 }, '1U'],
] as const
const answers = new Map(
  await Promise.all(outside.map(async ([name, at]) => [name, new Map(await everyField(service, at))] as const)),
)

describe.each(outside)('in %s, inside the envelope but not in the United States', (name, _at, square) => {
  const fields = answers.get(name)!

  test('every field with US data is absent with outside_coverage, and none fails', () => {
    expect(
      bound.filter((name) => {
        const it = fields.get(name)!
        return !(it.status === 'absent' && it.absent_reason === 'outside_coverage' && it.value === null)
      }),
    ).toEqual([])
  })

  test('every field that needs only the point has a value', () => {
    expect(pure.filter((name) => fields.get(name)!.status !== 'ok')).toEqual([])
    expect(String(fields.get('mgrs')!.value)).toStartWith(square)
  })
})

test('no internal error occurred', () => expect(service.logged).toEqual([]))
