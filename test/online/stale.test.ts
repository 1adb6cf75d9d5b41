import { afterEach, expect, test } from 'bun:test'
import { openOnlineHouse, type OnlineHouse } from '../upstreams/online-house.ts'
import { places } from '../upstreams/places.ts'
import { asked } from './asked.ts'
import { fromNetwork } from './ways.ts'

const day_ms = 86_400_000

let house: OnlineHouse | undefined
afterEach(() => house?.close())

/** A house whose clock is moved by hand. */
function opened(env: Record<string, string>): { house: OnlineHouse; pass: (ms: number) => void } {
  let passed_ms = 0
  house = openOnlineHouse(env, { now: () => new Date(Date.now() + passed_ms) })
  return {
    house,
    pass: (ms) => {
      passed_ms += ms
    },
  }
}

const fields = [
  'fema_flood_zone',
  'nearest_wetland_distance_m',
  'tract_geoid',
  'heating_degree_days_c',
  'lcms_class',
  'soil_map_unit_name',
  'buildings_within_100m_count',
]

test('where it is switched on, a value past its time stands in for a source that fails, with its age in the notes', async () => {
  const { house: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const fresh = await asked(open, places.boulder, fields)
  open.upstreams.fault({}, { status: 503 })
  pass(day_ms + 1_000)
  const old = await asked(open, places.boulder, fields)
  for (const name of fields) {
    expect(fresh[name], name).toMatchObject({ status: 'ok', cache: 'miss' })
    expect(old[name], name).toMatchObject({ status: 'ok', value: fresh[name]!.value, cache: 'stale' })
    expect(old[name], name).toMatchObject({ notes: expect.stringMatching(/24 hours ago/) as unknown })
  }
})

test('where it is not, the same is a failure', async () => {
  const { house: open, pass } = opened({})
  await asked(open, places.boulder, fields)
  open.upstreams.fault({}, { status: 503 })
  pass(day_ms + 1_000)
  const later = await asked(open, places.boulder, fields)
  expect(Object.values(later).map(({ status, cache }) => [status, cache])).toEqual(
    fields.map(() => ['failed', undefined]),
  )
})

test('what was absent is not absent any more: it may be there now', async () => {
  const { house: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const absent = [
    'wetland_type',
    'base_flood_elevation_ft',
    'nearest_petroleum_pipeline_distance_m',
    'tribal_area_name',
  ]
  const fresh = await asked(open, places.boulder, absent)
  expect(Object.values(fresh).map(({ status }) => status)).toEqual(absent.map(() => 'absent'))
  open.upstreams.fault({}, { status: 503 })
  pass(day_ms + 1_000)
  const later = await asked(open, places.boulder, absent)
  expect(Object.values(later).map(({ status, cache }) => [status, cache])).toEqual(
    absent.map(() => ['failed', undefined]),
  )
})

test('what was paid for is never old, and what failed is never kept', async () => {
  const { house: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const parcel = [...open.app.catalog.fields.keys()].filter((name) => name.startsWith('parcel_'))
  const fresh = await asked(open, places.boulder, parcel)
  expect(fresh.parcel_number).toMatchObject({ status: 'ok', cache: 'miss' })
  open.upstreams.fault({}, { status: 503 })
  const failed = await asked(open, places.boulder, ['nri_risk_score'])
  expect(failed.nri_risk_score).toMatchObject({ status: 'failed' })
  pass(day_ms + 1_000)
  const later = await asked(open, places.boulder, [...parcel, 'nri_risk_score'])
  expect(Object.values(later).map(({ status, cache }) => [status, cache])).toEqual(
    [...parcel, ''].map(() => ['failed', undefined]),
  )
})

test('past the days that the operator gave, an old value is of no use', async () => {
  const { house: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '1' })
  await asked(open, places.boulder, fields)
  open.upstreams.fault({}, { status: 503 })
  pass(2 * day_ms + 60_000)
  const later = await asked(open, places.boulder, fields)
  expect(Object.values(later).map(({ status }) => status)).toEqual(fields.map(() => 'failed'))
})

test('of all fields, none is marked as old while its source answers', async () => {
  const { house: open, pass } = opened({ FIELDSTONE_STALE_DAYS: '7' })
  const names = [...fromNetwork(open.app)]
  await asked(open, places.kansas, names)
  pass(day_ms + 1_000)
  const later = await asked(open, places.kansas, names)
  expect(names.filter((name) => later[name]!.cache === 'stale' || later[name]!.status === 'failed')).toEqual([])
})
