import { afterAll, describe, expect, test } from 'bun:test'
import type { BatchEntry } from '../../src/fetch/fetch-answer.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { withoutTimes } from '../support/without-times.ts'
import { words } from '../support/words.ts'

const service = await openHttpService()
afterAll(service.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const miami = { lat: 25.7907, lng: -80.13 }
const honolulu = { lat: 21.3069, lng: -157.8583 }
const fields = ['county', 'geohash', 'elevation']

async function batched(locations: unknown[], selection: Record<string, unknown> = { fields }): Promise<BatchEntry[]> {
  const response = await service.post('/v1/fetch/batch', { locations, ...selection })
  expect(response.status).toBe(200)
  return ((await response.json()) as { results: BatchEntry[] }).results
}

test('results[i] is the result of locations[i], with its index', async () => {
  const locations = [honolulu, denver, miami, denver, honolulu, miami]
  const results = await batched(locations)
  expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
  expect(results.map((it) => it.ok && { lat: it.lat, lng: it.lng })).toEqual(locations)
  expect(results.map((it) => it.ok && it.fields.county!.value)).toEqual([
    'Honolulu County',
    'Denver County',
    'Miami-Dade County',
    'Denver County',
    'Honolulu County',
    'Miami-Dade County',
  ])
})

test('an entry is the response of a single fetch, with index and ok', async () => {
  const [entry] = await batched([denver])
  const single = (await (await service.post('/v1/fetch', { ...denver, fields })).json()) as object
  expect(Object.keys(entry!)).toEqual(['index', 'ok', ...Object.keys(single)])
  expect<object>(withoutTimes(entry!)).toEqual(withoutTimes({ index: 0, ok: true, ...single }))
})

test('the batch has its own fetched_at, with an offset', async () => {
  const body = (await (await service.post('/v1/fetch/batch', { locations: [denver], fields })).json()) as Record<
    string,
    unknown
  >
  expect(Object.keys(body)).toEqual(['fetched_at', 'results'])
  expect(body.fetched_at).toMatch(/\+00:00$/)
})

describe('a location that cannot be answered', () => {
  const bad = [
    ['outside the envelope', { lat: 48.85, lng: 2.35 }, 'coord_out_of_bounds'],
    ['at 95 degrees', { lat: 95, lng: 0 }, 'coord_out_of_bounds'],
    ['with its numbers swapped', { lat: denver.lng, lng: denver.lat }, 'coord_out_of_bounds'],
    ['of a coordinate and an address', { ...denver, address: '1 Main St' }, 'invalid_locator'],
    ['of an address', { address: '1 Main St, Denver CO' }, 'geocoder_not_configured'],
  ] as const
  test.each(bad)('%s is an entry with the error object of the single endpoint', async (_name, location, code) => {
    const [entry] = await batched([location])
    const detail = await detailOf(await service.post('/v1/fetch', { ...location, fields }))
    expect(detail.error).toBe(code)
    expect(entry).toEqual({
      index: 0,
      ok: false,
      fetched_at: expect.stringMatching(/\+00:00$/),
      error: detail,
    } as never)
  })

  test('does not affect the others', async () => {
    const results = await batched([denver, ...bad.map(([, location]) => location), miami])
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false, false, false, false, true])
  })

  test('does not fail the request, even if every location fails', async () => {
    expect((await batched(bad.map(([, location]) => location))).every(({ ok }) => !ok)).toBe(true)
  })
})

test('25 locations are answered', async () => {
  const locations = Array.from({ length: 25 }, (_, i) => ({ lat: 30 + i / 2, lng: -120 + i }))
  const results = await batched(locations)
  expect(results.map((it) => it.ok && { lat: it.lat, lng: it.lng })).toEqual(locations)
})

test('the selection applies to all locations: the preset first, each field once', async () => {
  const results = await batched([denver, miami], { preset: 'terrain', fields: ['county', 'elevation'] })
  const expected = words`
    elevation slope_degrees aspect_cardinal coast_distance_m soil_drainage_class bedrock_depth_cm county
  `
  expect(results.map((it) => it.ok && Object.keys(it.fields))).toEqual([expected, expected])
})

test('a selection inside a location is ignored', async () => {
  const [entry] = await batched([{ ...denver, fields: ['nothing'], preset: 'nothing' }])
  expect(entry!.ok && Object.keys(entry!.fields)).toEqual(fields)
})

test('unknown members of a location are ignored', async () => {
  expect((await batched([{ ...denver, name: 'home', altitude: 5 }]))[0]!.ok).toBe(true)
})
