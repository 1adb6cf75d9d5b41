import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchOnlineFields } from './fetch-fields.ts'

let service: OnlineService
beforeEach(() => {
  service = openOnlineService()
})
afterEach(() => service.close())

/** Fields that share requests: their number, the host, and the number of requests. */
const shared: [what: string, datasets: string[], prefix: string, fields: number, host: string, calls: number][] = [
  ['soil', ['usda_ssurgo_mapunit', 'usda_ssurgo_component'], 'soil_|bedrock_', 19, 'sdmdataaccess.sc.egov.usda.gov', 1],
  [
    'the climate of the year',
    ['noaa_normals_tavg_annual', 'noaa_normals_prcp_annual'],
    '',
    2,
    'planetarycomputer.microsoft.com',
    1,
  ],
  [
    'water in streams and wells, without the name of the gage',
    ['usgs_waterdata_discharge', 'usgs_waterdata_groundwater'],
    '',
    4,
    'api.waterdata.usgs.gov',
    1,
  ],
  ['river gauges', ['noaa_nwps'], '', 3, 'api.water.noaa.gov', 1],
  [
    'the crops of five years, without the list of years, the circle and the description',
    ['usda_cdl'],
    '',
    5,
    'pdi.scinet.usda.gov',
    4,
  ],
  [
    'the trees of now and ten years ago, without the list of years and the description',
    ['usfs_nlcd_tcc'],
    '',
    2,
    'imagery.geoplatform.gov',
    3,
  ],
  ['census geography', ['census_geocoder_geographies'], '', 16, 'geocoding.geo.census.gov', 1],
  ['the survey of a tract', ['census_acs5'], 'tract_', 12, 'api.census.gov', 1],
  ['the risk index', ['fema_nri_tracts'], 'nri_', 15, 'services.arcgis.com', 1],
]

test.each(shared)('%s is requested once for all its fields', async (_what, datasets, prefix, least, host, calls) => {
  const names = [...service.app.catalog.fields.values()]
    .filter(({ name, read }) => datasets.includes(read.dataset) && new RegExp(`^(${prefix})`).test(name))
    .map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(least)
  const answers = await fetchOnlineFields(service, testPlaces.boulder, names)
  expect(Object.values(answers).filter(({ status }) => status === 'failed')).toEqual([])
  expect(Object.values(answers).filter(({ status }) => status === 'ok').length).toBeGreaterThan(names.length / 2)
  expect(service.upstreams.callsTo(host)).toBeLessThanOrEqual(calls)
  expect(service.upstreams.callsTo(host)).toBeGreaterThan(0)
})

test('a hundred equal concurrent requests cause the calls of one', async () => {
  const body = { ...testPlaces.kansas, preset: 'flood_risk' }
  await service.post('/v1/fetch', body)
  const calls = service.upstreams.calls.length
  const other = openOnlineService({ FIELDSTONE_QUEUE: '100' })
  other.upstreams.delay(20)
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => (await other.post('/v1/fetch', body)).json() as Promise<FetchAnswer>),
  )
  await other.close()
  expect(other.upstreams.calls.length).toBe(calls)
  expect(
    new Set(answers.map(({ fields }) => JSON.stringify(Object.values(fields).map(({ value }) => value)))).size,
  ).toBe(1)
  expect(answers.flatMap(({ partial_failures }) => partial_failures)).toEqual([])
})

test('a source that failed is queried again, and its error is not cached', async () => {
  service.upstreams.fault({ host: 'hazards.fema.gov', times: 2 }, { status: 503 })
  const first = await fetchOnlineFields(service, testPlaces.miami_beach, ['fema_flood_zone'])
  expect(first.fema_flood_zone).toMatchObject({ status: 'failed', retryable: true, value: null })
  const again = await fetchOnlineFields(service, testPlaces.miami_beach, ['fema_flood_zone'])
  expect(again.fema_flood_zone).toMatchObject({ status: 'ok', value: 'AE', cache: 'miss' })
  const third = await fetchOnlineFields(service, testPlaces.miami_beach, ['fema_flood_zone'])
  expect(third.fema_flood_zone).toMatchObject({ status: 'ok', value: 'AE', cache: 'hit' })
})
