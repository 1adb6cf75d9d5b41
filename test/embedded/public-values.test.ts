import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { openTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeAll(() => {
  service = openTestService()
})
afterAll(() => service.close())

async function offlineFields(lat: number, lng: number, fields: string[]) {
  return ((await (await service.post('/v1/fetch', { lat, lng, fields })).json()) as FetchAnswer).fields
}

/** Places with the county and state that the public interface was recorded to answer. */
const recorded: [lat: number, lng: number, county: string, region: string][] = [
  [31.332123, -94.753147, 'Angelina County', 'Texas'],
  [31.06006, -97.457343, 'Bell County', 'Texas'],
  [31.790918, -97.58299, 'Bosque County', 'Texas'],
  [33.401938, -101.329023, 'Crosby County', 'Texas'],
  [32.531456, -96.809111, 'Ellis County', 'Texas'],
  [31.725483, -96.16304, 'Freestone County', 'Texas'],
  [33.190571, -101.376157, 'Garza County', 'Texas'],
  [29.556867, -98.257653, 'Guadalupe County', 'Texas'],
  [34.205781, -101.710322, 'Hale County', 'Texas'],
  [29.396584, -94.946254, 'Galveston County', 'Texas'],
  [33.118432, -97.029521, 'Denton County', 'Texas'],
  [31.585717, -106.23223, 'El Paso County', 'Texas'],
  [32.979963, -96.588971, 'Dallas County', 'Texas'],
  [29.617186, -98.49992, 'Bexar County', 'Texas'],
  [34.1383, -118.359126, 'Los Angeles County', 'California'],
]

test.each(recorded)('at %p, %p the county is %s and the state %s', async (lat, lng, county, region) => {
  const fields = await offlineFields(lat, lng, ['political_county', 'political_region'])
  expect([fields.political_county!.value, fields.political_region!.value]).toEqual([county, region])
})

// Universal City and Ashburn, which is nearest to the tidal Potomac.
test.each([
  [34.1383, -118.359126, 11_783],
  [39.022183, -77.453578, 29_068],
])('at %p, %p the tidal shoreline is %i m away, within the uncertainty of the embedded data', async (lat, lng, m) => {
  const { coast_distance_m, open_ocean_distance_m } = await offlineFields(lat, lng, [
    'coast_distance_m',
    'open_ocean_distance_m',
  ])
  const { value, uncertainty_m } = coast_distance_m as { value: number; uncertainty_m: number }
  expect(Math.abs(value - m)).toBeLessThanOrEqual(uncertainty_m)
  expect(Number(open_ocean_distance_m!.value)).toBeGreaterThanOrEqual(value)
})
