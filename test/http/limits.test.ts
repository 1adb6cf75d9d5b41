import { afterAll, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const settings = { FIELDSTONE_CONCURRENCY: '3', FIELDSTONE_QUEUE: '2' }
const service = await openHttpService(settings)
afterAll(service.close)

type Limit = { value: number; unit: string; applies_to: string }
const { limits } = (await (await service.ask('/v1/meta/limits')).json()) as { limits: Record<string, Limit> }
const denver = { lat: 39.7392, lng: -104.9903 }
const names = [...service.testService.app.catalog.fields.keys()]
const many = <T>(count: number, it: T) => Array.from({ length: count }, () => it)
const fetched = async (body: unknown) => (await service.post('/v1/fetch', body)).status
const batched = async (body: unknown) => (await service.post('/v1/fetch/batch', body)).status

/** For each limit, a request of size `n`. It succeeds at the limit and fails above it with `beyond`. */
const applied: Record<string, { beyond: number; status(n: number): Promise<number> }> = {
  fields_per_fetch: { beyond: 400, status: (n) => fetched({ ...denver, fields: names.slice(0, n) }) },
  explicit_fields_per_batch: {
    beyond: 400,
    status: (n) => batched({ locations: [denver], fields: names.slice(0, n) }),
  },
  locations_per_batch: {
    beyond: 422,
    status: (n) => batched({ locations: many(n, { lat: 0, lng: 0 }), fields: ['county'] }),
  },
  area_positions: {
    beyond: 422,
    status: async (n) => {
      const coordinates = Array.from({ length: n }, (_, i) => [-105 + i / 1e5, 39])
      const geometry = { type: 'LineString', coordinates }
      return (await service.post('/v1/areas', { geometry, fields: ['geohash'] })).status
    },
  },
  columns_per_run: {
    beyond: 422,
    status: async (n) =>
      (
        await service.ask('/v1/runs?fields=geohash', {
          method: 'POST',
          headers: { 'content-type': 'text/csv', prefer: 'wait=20' },
          body: `lat,lng${',a'.repeat(n - 2)}\n39.7392,-104.9903\n`,
        })
      ).status,
  },
  body: {
    beyond: 413,
    status: async (n) =>
      (await service.post('/v1/fetch', JSON.stringify({ ...denver, fields: ['geohash'] }).padEnd(n))).status,
  },
}

describe('the published limit is the enforced limit:', () => {
  test.each(Object.entries(applied))('%s', async (name, { beyond, status }) => {
    const { value } = limits[name]!
    expect([await status(value), await status(value + 1)]).toEqual([200, beyond])
  })

  test('address_length', async () => {
    const status = (n: number) => fetched({ address: 'x'.repeat(n), fields: ['county'] })
    const { value } = limits.address_length!
    expect([await status(value), await status(value + 1)]).toEqual([404, 422])
  })

  test('concurrency and queue: the request beyond both is rejected', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { admission } = service.testService.app
    const held = many(limits.concurrency!.value + limits.queue!.value, null).map(() =>
      admission.forAccount('owner').run(() => promise, { signal: new AbortController().signal }),
    )
    expect(admission.occupancy()).toEqual({ working: 3, waiting: 2 })
    expect(await fetched({ ...denver, fields: ['county'] })).toBe(503)
    resolve()
    await Promise.all(held)
    expect(await fetched({ ...denver, fields: ['county'] })).toBe(200)
  })
})

test('the limits are those of the specification and of the settings', () => {
  const values = Object.fromEntries(Object.entries(limits).map(([name, { value }]) => [name, value]))
  expect(values).toEqual({
    fields_per_fetch: 50,
    explicit_fields_per_batch: 50,
    locations_per_fetch: 1,
    locations_per_batch: 25,
    batch_concurrency: 4,
    concurrency: 3,
    queue: 2,
    locations_per_run: 10_000,
    rows_per_run_file: 250_000,
    columns_per_run: 512,
    run_retention: 30,
    run_body: 33_554_432,
    body: 1_048_576,
    address_length: 256,
    field_budget: 20_000,
    road_and_building_budget: 35_000,
    satellite_budget: 60_000,
    fetch_budget: 62_000,
    area_positions: 10_000,
    area_size: 25_000,
    area_line_length: 2_000,
    area_overlay_time: 8_000,
    batch_budget: 90_000,
    batch_client_timeout: 120_000,
    features_per_page: 1000,
    rows_per_function_call: 5000,
    planned_fields: 15,
    ask_budget: 110_000,
    planner_budget: 20_000,
    synthesizer_budget: 30_000,
    model_retries: 1,
    question_length: 2000,
    inputs_per_request: 1,
    geocode_budget: 5500,
    geocode_primary_budget: 3000,
    geocode_fallback_budget: 2500,
    upstream_cache: 24,
    upstream_retries: 1,
    catalog_refresh: 1,
    geocode_cache: 30,
    geocode_negative_cache: 24,
    geocode_audit_retention: 30,
    body_deadline: 300_000,
    body_least_rate: 65_536,
    body_grace: 10_000,
    large_bodies: 32,
    large_bodies_per_account: 24,
    large_submissions: 2,
    large_submissions_per_account: 1,
    mcp_values: 10_000,
    readers_per_account: 64,
    stalled_reader: 60,
    workbook: 33_554_432,
    sheet_columns: 1000,
    sheet_cells: 1_500_000,
    archive_members: 50_000,
    archive_member_size: 68_719_476_736,
    archive_size: 137_438_953_472,
    archive_ratio: 200,
    archive_depth: 3,
  })
})
