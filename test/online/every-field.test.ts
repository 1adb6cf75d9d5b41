import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Field } from '../../src/catalog/records.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { everyField } from '../place/every-field.ts'
import { openOnlineHouse, type OnlineHouse } from '../upstreams/online-house.ts'
import { places } from '../upstreams/places.ts'
import { fromNetwork, packOnly } from './ways.ts'

/** The eight places, and two where publishers have nothing: open country, and an island that many leave out. */
const asked = { ...places, nebraska: { lat: 41.5, lng: -99.7 }, saipan: { lat: 15.19, lng: 145.75 } }

/** What the stand-in breaks on purpose: one layer of the geocoder, inside an answer of 200. */
const brokenOnPurpose = ['paradise: cbsa_name']

/** Fields that may be null and are null nowhere here, each with its reason. */
const neverAbsent: Record<string, string> = {
  disaster_declarations_10y_count: 'every point of its coverage lies in a county, which is found without the network',
  intersects_wetland: 'the service does not tell what was never mapped from what is no wetland',
  wetlands_within_100m_count: 'the service does not tell what was never mapped from what has no wetland',
  wetlands_within_500m_count: 'the service does not tell what was never mapped from what has no wetland',
}

type Answered = { place: string; field: Field; result: FieldResult }

let house: OnlineHouse
let answers: Answered[] = []
let network: Set<string>
beforeAll(async () => {
  house = openOnlineHouse()
  network = fromNetwork(house.app)
  for (const [place, at] of Object.entries(asked)) {
    answers = [
      ...answers,
      ...(await everyField(house, at)).map(([name, result]) => ({
        place,
        result,
        field: house.app.catalog.fields.get(name)!,
      })),
    ]
  }
})
afterAll(() => house.close())

test('most of the catalog is answered from other servers here, and only what is served from packs alone is not answered', () => {
  expect(network.size).toBeGreaterThan(300)
  expect(packOnly(house.app).size).toBeGreaterThan(20)
  expect(packOnly(house.app).size).toBeLessThan(40)
})

test('every field of the catalog is answered at every place', () => {
  expect(answers.length).toBe(house.app.catalog.fields.size * Object.keys(asked).length)
})

test('no field fails but those that only a pack can answer, and what the stand-in breaks on purpose', () => {
  const stuck = packOnly(house.app)
  expect(listed(({ field, result }) => result.status === 'failed' && !stuck.has(field.name))).toEqual(brokenOnPurpose)
  expect(listed(({ field, result }) => stuck.has(field.name) && result.status === 'ok')).toEqual([])
  expect(
    listed(
      ({ field, result }) =>
        stuck.has(field.name) && result.status === 'failed' && !result.error.startsWith('offline_no_data: '),
    ),
  ).toEqual([])
})

test('the upstream world is asked nothing that it does not know', () => {
  expect(house.upstreams.unknown).toEqual([])
})

test('nothing is a fault of ours', () => {
  expect(house.logged.filter((line) => line.includes('field_error'))).toEqual([])
})

test('every field with a way over the network has a value somewhere', () => {
  expect(namesWithout('ok')).toEqual([])
})

test('every field with a way over the network that may be null is null somewhere', () => {
  const nullable = namesWithout('absent').filter((name) => house.app.catalog.fields.get(name)!.null_meaning !== null)
  expect(nullable.toSorted()).toEqual(Object.keys(neverAbsent).toSorted())
})

test('what may not be null is never absent', () => {
  expect(listed(({ field, result }) => field.null_meaning === null && result.status === 'absent')).toEqual([])
})

test('a predicate or a count is null for no other reason than its meaning of null gives', () => {
  const isPlain = ({ type, unit, null_meaning }: Field) =>
    (type === 'boolean' || unit === 'count') && null_meaning?.startsWith('Outside the coverage of the source')
  expect(
    listed(
      ({ field, result }) =>
        isPlain(field) === true && result.status === 'absent' && result.absent_reason !== 'outside_coverage',
    ),
  ).toEqual([])
})

test('every value has the type of its field, lies in its range, and is one of its closed list', () => {
  expect(listed(({ field, result }) => result.status === 'ok' && !fits(field, result.value))).toEqual([])
})

test('every answer says its source, its vintage and its driver, and every value from another server that it came from there', () => {
  expect(
    listed(({ result }) => !(result.source && result.source_url && 'vintage' in result && 'driver' in result)),
  ).toEqual([])
  expect(listed(({ result }) => result.status === 'ok' && result.driver === null)).toEqual([])
  const isKeptElsewhere = ({ field, result }: Answered) =>
    result.driver === 'embedded' ||
    result.driver === 'computed' ||
    house.app.registry.dataset(field.read.dataset).options.some(({ remote }) => remote?.cachesItself)
  expect(
    listed(
      (it) =>
        network.has(it.field.name) &&
        it.result.status === 'ok' &&
        !isKeptElsewhere(it) &&
        it.result.cache !== 'miss' &&
        it.result.cache !== 'hit',
    ),
  ).toEqual([])
  expect(listed((it) => isKeptElsewhere(it) && it.result.cache === 'stale')).toEqual([])
})

function fits({ type, valid_range, enum: closed }: Field, value: unknown): boolean {
  if (
    typeof value === 'number' &&
    valid_range &&
    (value < (valid_range[0] ?? -Infinity) || value > (valid_range[1] ?? Infinity))
  )
    return false
  if (closed && !closed.includes(value as string | number)) return false
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === (type === 'float' ? 'number' : type === 'boolean' ? 'boolean' : 'string') && value !== ''
}

function listed(holds: (answered: Answered) => boolean): string[] {
  return answers.filter(holds).map(({ place, field }) => `${place}: ${field.name}`)
}

function namesWithout(status: FieldResult['status']): string[] {
  const had = new Set(answers.filter(({ result }) => result.status === status).map(({ field }) => field.name))
  return [...network].filter((name) => !had.has(name))
}
