import { afterEach, describe, expect, test } from 'bun:test'
import type { FaultKind } from '../upstreams/faults.ts'
import { openOnlineHouse, type OnlineHouse } from '../upstreams/online-house.ts'
import { places } from '../upstreams/places.ts'
import { fetchFields } from './single-option-service.ts'

const opened: OnlineHouse[] = []
const open = () => {
  const house = openOnlineHouse()
  opened.push(house)
  return house
}
afterEach(() => opened.splice(0).forEach((house) => house.close()))

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
  test.each(faults)('a first way with %p is made good by the second', async (fault) => {
    const house = open()
    house.upstreams.fault({ host: hostOf(first) }, fault)
    const { fields, partial_failures } = await fetchFields(house, [field])
    expect(fields[field]).toMatchObject({ status: 'ok', driver: by })
    expect(partial_failures).toEqual([])
    expect([house.upstreams.callsTo(first) > 0, house.upstreams.callsTo(second) > 0]).toEqual([true, true])
  })

  test.each(faults)('both ways with %p are a failure with the code of the last', async (fault, code) => {
    const house = open()
    house.upstreams.fault({}, fault)
    const { fields } = await fetchFields(house, [field])
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
  { what: 'a layer, after its number was looked up', field: 'within_slr_3ft_inundation', path: /\/query$/ },
  {
    what: 'the name of a station, after its reading',
    field: 'nearest_stream_gage_name',
    path: /\/monitoring-locations\//,
  },
  { what: 'the second file of a table', field: 'county_building_permits_total_units', path: /co2024a/ },
])('after a first call that went well, $what', ({ field, path }) => {
  test.each<[FaultKind, string]>([
    ['reset', 'connection_failed'],
    ['html_200', 'bad_response'],
    ['empty_200', 'bad_response'],
    [{ status: 500 }, 'upstream_5xx'],
  ])('with %p is a failure', async (fault, code) => {
    const house = open()
    house.upstreams.fault({ path }, fault)
    const { fields } = await fetchFields(house, [field])
    expect(fields[field]).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(new RegExp(`^${code}: `)) as string,
    })
    house.upstreams.heal()
    expect((await fetchFields(house, [field])).fields[field]).toMatchObject({ status: 'ok' })
  })
})

test.each<FaultKind>(['reset', 'html_200', 'empty_200', { status: 500 }, { status: 404 }])(
  'a layer whose number cannot be looked up (%p) is asked where it was last seen',
  async (fault) => {
    const house = open()
    house.upstreams.fault({ path: /\/dc_slr\/.*\/MapServer$/ }, fault)
    expect(
      (await fetchFields(house, ['within_slr_3ft_inundation'], places.miami_beach)).fields.within_slr_3ft_inundation,
    ).toMatchObject({ status: 'ok' })
    expect(house.upstreams.calls.at(-1)!.path).toEndWith('/MapServer/0/query')
  },
)

test.each<[FaultKind, string]>([
  ['truncated', 'connection_failed'],
  ['html_200', 'bad_response'],
  ['empty_200', 'bad_response'],
  [{ status: 404 }, 'upstream_rejected'],
  [{ status: 500 }, 'upstream_5xx'],
])('a raster whose second piece comes with %p is a failure, and is read when that is over', async (fault, code) => {
  const house = open()
  const field = 'modeled_bedrock_depth_cm'
  const host = 'storage.googleapis.com'
  house.upstreams.fault({ host }, fault)
  house.upstreams.fault({ host, times: 1 }, { slow_ms: 0 })
  expect((await fetchFields(house, [field])).fields[field]).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(new RegExp(`^${code}: `)) as string,
  })
  house.upstreams.heal()
  expect((await fetchFields(house, [field])).fields[field]).toMatchObject({ status: 'ok', value: 86 })
})

/** The one host that a pattern of a whole name says. */
function hostOf(name: RegExp): string {
  return name.source.replaceAll(/[\^$\\]/g, '')
}
