import { afterEach, describe, expect, test } from 'bun:test'
import type { FaultKind } from '../upstreams/faults.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchFromOption } from './single-option-service.ts'

const opened: OnlineService[] = []
const open = () => {
  const service = openOnlineService()
  opened.push(service)
  return service
}
afterEach(() => Promise.all(opened.splice(0).map((service) => service.close())))

const faults: [FaultKind, string][] = [
  ['reset', 'connection_failed'],
  ['html_200', 'bad_response'],
  ['bad_json', 'bad_response'],
  ['wrong_type', 'bad_response'],
  ['redirect_other', 'bad_redirect'],
  [{ status: 403 }, 'upstream_rejected'],
  [{ status: 429 }, 'rate_limited'],
  [{ status: 503 }, 'upstream_5xx'],
]

describe.each([
  {
    field: 'drought_category',
    first: /^services9\.arcgis\.com$/,
    second: /^droughtmonitor\.unl\.edu$/,
    by: 'geojson_file',
  },
  {
    field: 'nlcd_class',
    first: /^imagery\.geoplatform\.gov$/,
    second: /^dmsdata\.cr\.usgs\.gov$/,
    by: 'wms_feature_info',
  },
  { field: 'cdl_class', first: /^pdi\.scinet\.usda\.gov$/, second: /^nassgeodata\.gmu\.edu$/, by: 'cropscape' },
  {
    field: 'ndvi_current',
    first: /^planetarycomputer\.microsoft\.com$/,
    second: /earth-search|sentinel-cogs/,
    by: 'stac',
  },
])('of $field', ({ field, first, second, by }) => {
  test.each(faults)('if the first option fails with %p, the second is used', async (fault) => {
    const service = open()
    service.upstreams.fault({ host: hostOf(first) }, fault)
    const { fields, partial_failures } = await fetchFromOption(service, [field])
    expect(fields[field]).toMatchObject({ status: 'ok', driver: by })
    expect(partial_failures).toEqual([])
    expect([service.upstreams.callsTo(first) > 0, service.upstreams.callsTo(second) > 0]).toEqual([true, true])
  })

  test.each(faults)('if both options fail with %p, the field fails with the code of the last', async (fault, code) => {
    const service = open()
    service.upstreams.fault({}, fault)
    const { fields } = await fetchFromOption(service, [field])
    expect(fields[field]).toMatchObject({
      status: 'failed',
      value: null,
      error: expect.stringMatching(new RegExp(`^${code}: `)) as string,
    })
  })
})

describe.each([
  { what: 'the cell of a year, after the list of years', field: 'lcms_class', path: /\/identify$/ },
  {
    what: 'the counts of a circle, after the list of years',
    field: 'developed_land_within_1km_pct',
    path: /Histograms$/,
  },
  { what: 'a layer, after its number was looked up', field: 'within_slr_3ft_inundation', path: /\/identify$/ },
  {
    what: 'the name of a station, after its reading',
    field: 'nearest_stream_gage_name',
    path: /\/monitoring-locations\//,
  },
  { what: 'the second file of a table', field: 'county_building_permits_total_annual', path: /co2024a/ },
])('after a successful first call, $what', ({ field, path }) => {
  test.each<[FaultKind, string]>([
    ['reset', 'connection_failed'],
    ['html_200', 'bad_response'],
    ['empty_200', 'bad_response'],
    [{ status: 500 }, 'upstream_5xx'],
  ])('with %p is a failure', async (fault, code) => {
    const service = open()
    service.upstreams.fault({ path }, fault)
    const { fields } = await fetchFromOption(service, [field])
    expect(fields[field]).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(new RegExp(`^${code}: `)) as string,
    })
    service.upstreams.heal()
    expect((await fetchFromOption(service, [field])).fields[field]).toMatchObject({ status: 'ok' })
  })
})

test.each<[FaultKind, string]>([
  ['reset', 'connection_failed'],
  ['html_200', 'bad_response'],
  ['empty_200', 'bad_response'],
  [{ status: 500 }, 'upstream_5xx'],
  [{ status: 404 }, 'schema_changed'],
])(
  'if the layers of a service cannot be listed (%p), a layer with another name is not queried',
  async (fault, code) => {
    const service = open()
    service.upstreams.fault({ path: /\/dc_slr\/.*\/MapServer$/ }, fault)
    const ask = async () =>
      (await fetchFromOption(service, ['within_slr_3ft_inundation'], testPlaces.miami_beach)).fields
        .within_slr_3ft_inundation
    // Layer 1 of the service for three feet holds the low-lying areas.
    expect(await ask()).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(new RegExp(`^${code}: `)) as string,
    })
    expect(service.upstreams.calls.filter(({ path }) => path.endsWith('/identify'))).toEqual([])
    service.upstreams.heal()
    expect(await ask()).toMatchObject({ status: 'ok' })
  },
)

test.each<[FaultKind, string]>([
  ['truncated', 'connection_failed'],
  ['html_200', 'bad_response'],
  ['empty_200', 'bad_response'],
  [{ status: 404 }, 'upstream_rejected'],
  [{ status: 500 }, 'upstream_5xx'],
])('a raster whose second range fails with %p is a failure, and is readable afterwards', async (fault, code) => {
  const service = open()
  const field = 'modeled_bedrock_depth_cm'
  const host = 'storage.googleapis.com'
  service.upstreams.fault({ host }, fault)
  service.upstreams.fault({ host, times: 1 }, { slow_ms: 0 })
  expect((await fetchFromOption(service, [field])).fields[field]).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(new RegExp(`^${code}: `)) as string,
  })
  service.upstreams.heal()
  expect((await fetchFromOption(service, [field])).fields[field]).toMatchObject({ status: 'ok', value: 86 })
})

/** The host name that a pattern matches. */
function hostOf(name: RegExp): string {
  return name.source.replaceAll(/[\^$\\]/g, '')
}
