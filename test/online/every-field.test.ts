import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Field } from '../../src/catalog/records.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { everyField } from '../place/every-field.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { networkFields, packOnlyFields } from './network-fields.ts'

/** The eight places, and two where publishers have no data: open country, and an island that many omit. */
const fetchFields = { ...testPlaces, nebraska: { lat: 41.5, lng: -99.7 }, saipan: { lat: 15.19, lng: 145.75 } }

/** What the simulated upstreams break on purpose: one layer of the geocoder, inside a 200 response. */
const brokenOnPurpose = ['paradise: cbsa_name']

/** Nullable fields that are null nowhere here, each with its reason. */
const neverAbsent: Record<string, string> = {
  disaster_declarations_10y_count: 'every point of its coverage lies in a county, which is found without the network',
  listed_species_count: 'a place without species has an empty list, which counts 0',
  intersects_wetland: 'the service does not tell what was never mapped from what is no wetland',
  wetlands_within_100m_count: 'the service does not tell what was never mapped from what has no wetland',
  wetlands_within_500m_count: 'the service does not tell what was never mapped from what has no wetland',
}

type Answered = { place: string; field: Field; result: FieldResult }

let service: OnlineService
let answers: Answered[] = []
let network: Set<string>
beforeAll(async () => {
  service = openOnlineService()
  network = networkFields(service.app)
  for (const [place, at] of Object.entries(fetchFields)) {
    answers = [
      ...answers,
      ...(await everyField(service, at)).map(([name, result]) => ({
        place,
        result,
        field: service.app.catalog.fields.get(name)!,
      })),
    ]
  }
})
afterAll(() => service.close())

test('most of the catalog is answered over the network, and only pack-only fields are not', () => {
  expect(network.size).toBeGreaterThan(300)
  expect(packOnlyFields(service.app).size).toBeGreaterThan(20)
  expect(packOnlyFields(service.app).size).toBeLessThan(60)
})

test('every field of the catalog is answered at every place', () => {
  expect(answers.length).toBe(service.app.catalog.fields.size * Object.keys(fetchFields).length)
})

test('only pack-only fields and those that are broken on purpose fail', () => {
  const stuck = packOnlyFields(service.app)
  expect(listed(({ field, result }) => result.status === 'failed' && !stuck.has(field.name))).toEqual(brokenOnPurpose)
  expect(listed(({ field, result }) => stuck.has(field.name) && result.status === 'ok')).toEqual([])
  expect(
    listed(
      ({ field, result }) =>
        stuck.has(field.name) && result.status === 'failed' && !result.error.startsWith('no_local_data: '),
    ),
  ).toEqual([])
})

test('the simulated upstreams know every request', () => expect(service.upstreams.unknown).toEqual([]))

test('no internal error occurred', () => {
  expect(service.logged.filter((line) => line.includes('field_error'))).toEqual([])
})

test('every field with a network source has a value somewhere', () => {
  // Its source does not state it.
  expect(namesWithout('ok')).toEqual(['easement_purpose'])
})

test('every nullable field with a network source is null somewhere', () => {
  const nullable = namesWithout('absent').filter((name) => service.app.catalog.fields.get(name)!.null_meaning !== null)
  expect(nullable.toSorted()).toEqual(Object.keys(neverAbsent).toSorted())
})

test('a field that is not nullable is never absent', () => {
  expect(listed(({ field, result }) => field.null_meaning === null && result.status === 'absent')).toEqual([])
})

test('a predicate or count is null only for the reasons in its null_meaning', () => {
  const isPlain = ({ type, unit, null_meaning }: Field) =>
    (type === 'boolean' || unit === 'count') && null_meaning?.startsWith('Outside the coverage of the source')
  expect(
    listed(
      ({ field, result }) =>
        isPlain(field) === true && result.status === 'absent' && result.absent_reason !== 'outside_coverage',
    ),
  ).toEqual([])
})

test('every value has the type, range and enum of its field', () => {
  expect(listed(({ field, result }) => result.status === 'ok' && !fits(field, result.value))).toEqual([])
})

test('every value has a vintage, or a note how current it is', () => {
  expect(listed(({ result }) => result.status === 'ok' && !(result.dataset_vintage ?? result.vintage_note))).toEqual([])
})

test('every result names its source, vintage and driver, and every remote value its cache status', () => {
  expect(
    listed(({ result }) => !(result.source && result.source_url && 'dataset_vintage' in result && 'driver' in result)),
  ).toEqual([])
  expect(listed(({ result }) => result.status === 'ok' && result.driver === null)).toEqual([])
  const isKeptElsewhere = ({ field, result }: Answered) =>
    result.driver === 'embedded' ||
    result.driver === 'computed' ||
    service.app.registry.dataset(field.read.dataset).options.some(({ remote }) => remote?.cachesItself)
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
  if (closed) return closed.includes(value as string | number)
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
