import { afterEach, expect, test } from 'bun:test'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchOnlineFields } from './fetch-fields.ts'
import { networkFields } from './network-fields.ts'
import { words } from '../support/words.ts'

const day_ms = 86_400_000

let service: OnlineService | undefined
afterEach(() => service?.close())

/** A service with a manual clock. */
function opened(env: Record<string, string>): { service: OnlineService; pass: (ms: number) => void } {
  let passed_ms = 0
  service = openOnlineService(env, { now: () => new Date(Date.now() + passed_ms) })
  return {
    service,
    pass: (ms) => {
      passed_ms += ms
    },
  }
}

const fields = words`
  fema_flood_zone nearest_wetland_type tract_geoid heating_degree_days_c lcms_class soil_map_unit_name
  buildings_within_100m_count
`

test('if enabled, an expired value replaces that of a source that fails, with its age in the notes', async () => {
  const { service: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const fresh = await fetchOnlineFields(open, testPlaces.boulder, fields)
  open.upstreams.fault({}, { status: 503 })
  pass(day_ms + 1_000)
  const old = await fetchOnlineFields(open, testPlaces.boulder, fields)
  for (const name of fields) {
    expect(fresh[name], name).toMatchObject({ status: 'ok', cache: 'miss' })
    expect(old[name], name).toMatchObject({ status: 'ok', value: fresh[name]!.value, cache: 'stale' })
    expect(old[name], name).toMatchObject({ notes: expect.stringMatching(/24 hours old/) as unknown })
  }
})

test('if disabled, the field fails', async () => {
  const { service: open, pass } = opened({})
  await fetchOnlineFields(open, testPlaces.boulder, fields)
  open.upstreams.fault({}, { status: 503 })
  pass(day_ms + 1_000)
  const later = await fetchOnlineFields(open, testPlaces.boulder, fields)
  expect(Object.values(later).map(({ status, cache }) => [status, cache])).toEqual(
    fields.map(() => ['failed', undefined]),
  )
})

test('an expired absence is not served', async () => {
  const { service: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const absent = [
    'nwi_wetland_type',
    'fema_base_flood_elevation',
    'nearest_petroleum_pipeline_distance_m',
    'tribal_area_name',
  ]
  const fresh = await fetchOnlineFields(open, testPlaces.boulder, absent)
  expect(Object.values(fresh).map(({ status }) => status)).toEqual(absent.map(() => 'absent'))
  open.upstreams.fault({}, { status: 503 })
  pass(day_ms + 1_000)
  const later = await fetchOnlineFields(open, testPlaces.boulder, absent)
  expect(Object.values(later).map(({ status, cache }) => [status, cache])).toEqual(
    absent.map(() => ['failed', undefined]),
  )
})

test('metered values are never served stale, and errors are never cached', async () => {
  const { service: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const parcel = [...open.app.catalog.fields.keys()].filter((name) => name.startsWith('parcel_'))
  const fresh = await fetchOnlineFields(open, testPlaces.boulder, parcel)
  expect(fresh.parcel_apn).toMatchObject({ status: 'ok', cache: 'miss' })
  open.upstreams.fault({}, { status: 503 })
  const failed = await fetchOnlineFields(open, testPlaces.boulder, ['nri_risk_score'])
  expect(failed.nri_risk_score).toMatchObject({ status: 'failed' })
  pass(day_ms + 1_000)
  const later = await fetchOnlineFields(open, testPlaces.boulder, [...parcel, 'nri_risk_score'])
  expect(Object.values(later).map(({ status, cache }) => [status, cache])).toEqual(
    [...parcel, ''].map(() => ['failed', undefined]),
  )
})

test('a value older than the configured days is not served', async () => {
  const { service: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '1' })
  await fetchOnlineFields(open, testPlaces.boulder, fields)
  open.upstreams.fault({}, { status: 503 })
  pass(2 * day_ms + 60_000)
  const later = await fetchOnlineFields(open, testPlaces.boulder, fields)
  expect(Object.values(later).map(({ status }) => status)).toEqual(fields.map(() => 'failed'))
})

test('no field is stale while its source answers', async () => {
  const { service: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const names = [...networkFields(open.app)]
  await fetchOnlineFields(open, testPlaces.kansas, names)
  pass(day_ms + 1_000)
  const later = await fetchOnlineFields(open, testPlaces.kansas, names)
  expect(names.filter((name) => later[name]!.cache === 'stale' || later[name]!.status === 'failed')).toEqual([])
})
