import { afterAll, expect, test } from 'bun:test'
import type { ApiClient } from '../../src/web/api-client.ts'
import { locateNearest } from '../../src/web/explore/locate-nearest.ts'
import { openTestService } from '../support/test-service.ts'

const service = openTestService()
afterAll(service.close)
const api: Pick<ApiClient, 'post'> = {
  post: async <T>(path: string, body: unknown) => (await service.post(path, body)).json() as Promise<T>,
}
const signal = new AbortController().signal
const distanceAt = async (at: { lat: number; lng: number }, field: string) =>
  (
    (await (await service.post('/v1/fetch', { ...at, fields: [field] })).json()) as {
      fields: Record<string, { value: number }>
    }
  ).fields[field]!.value

test.each([
  ['Denver', { lat: 39.7392, lng: -104.9903 }, 'nearest_airport_distance_m'],
  ['Boulder', { lat: 40.015, lng: -105.2705 }, 'nearest_city_250k_distance_m'],
  ['Honolulu', { lat: 21.3, lng: -157.85 }, 'nearest_jet_runway_airport_distance_m'],
  ['Miami Beach', { lat: 25.7907, lng: -80.13 }, 'nearest_heliport_distance_m'],
])('from %s the nearest feature is located where its distance is zero', async (_, at, field) => {
  const distance_m = await distanceAt(at, field)
  expect(distance_m).toBeGreaterThan(500)
  const to = await locateNearest(api, at, { field, distance_m }, signal)
  expect(to).not.toBeNull()
  expect(await distanceAt(to!, field)).toBeLessThan(Math.max(5, distance_m / 100))
})

test('a wrong distance locates nothing', async () => {
  expect(
    await locateNearest(
      api,
      { lat: 39.7392, lng: -104.9903 },
      { field: 'nearest_airport_distance_m', distance_m: 1000 },
      signal,
    ),
  ).toBeNull()
})

test('a failing source locates nothing', async () => {
  expect(
    await locateNearest(
      api,
      { lat: 39.7392, lng: -104.9903 },
      { field: 'nearest_hospital_distance_m', distance_m: 1000 },
      signal,
    ),
  ).toBeNull()
})
