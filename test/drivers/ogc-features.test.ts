import { describe, expect, test } from 'bun:test'
import type { Feature } from '../../src/model/source.ts'
import { driverErrorCode, evaluateField, startPublisher, invalidResponses } from './publisher.ts'

const item = (id: string, lat: number, time: string, value: string | null, parameter_code = '00060') => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [-105.27, lat] },
  properties: { monitoring_location_id: id, parameter_code, time, value, unit_of_measure: 'ft^3/s', qualifier: null },
})
const page = (features: unknown[], next?: string) => ({
  type: 'FeatureCollection',
  features,
  links: [{ rel: 'self', href: '/x' }, ...(next ? [{ rel: 'next', href: next }] : [])],
})
const well = item('USGS-4', 40.03, '2026-07-16T11:00:00+00:00', '17.42', '72019')
const stations = [
  well,
  item('USGS-1', 40.1, '2026-07-16T11:00:00+00:00', '535'),
  item('USGS-2', 40.05, '2026-07-16T10:00:00+00:00', '12'),
  item('USGS-2', 40.05, '2026-07-16T11:30:00+00:00', '13.0'),
  item('USGS-3', 40.02, '2026-07-01T11:30:00+00:00', '9'),
]
const world = () => startPublisher(() => page(stations))
const id = 'usgs_waterdata_discharge'

test('the newest recent value of each station is returned as text', async () => {
  using water = world()
  const found = (await water.open(id, 'ogc_features')!({ radius_m: 30_000 })) as Feature[]
  expect(found.map(({ properties }) => [properties.monitoring_location_id, properties.value])).toEqual([
    ['USGS-2', '13.0'],
    ['USGS-1', '535'],
  ])
  expect(water.requests[0]!.query).toMatchObject({ parameter_code: '00060,72019', limit: '2000' })
})

test.each([null, { type: 'Point', coordinates: [] }])('a feature with the geometry %p fails', async (geometry) => {
  using water = startPublisher(() => page([...stations, { ...well, geometry }]))
  expect(await driverErrorCode(water.open(id, 'ogc_features')!({ radius_m: 30_000 }))).toBe('bad_response')
})

test.each(['1970-01-01T00:00:00Z', '2099-07-16T11:00:00Z'])('a value of %s fails', async (time) => {
  using water = startPublisher(() => page([item('USGS-9', 40.02, time, '5')]))
  expect(await driverErrorCode(water.open(id, 'ogc_features')!({ radius_m: 30_000 }))).toBe('bad_value')
})

test.each([42, '42', 'ZZ9', null])(
  'a parameter code of %p fails, because it says of no dataset what it is',
  async (code) => {
    using water = startPublisher(() => page([{ ...well, properties: { ...well.properties, parameter_code: code } }]))
    for (const dataset of [id, 'usgs_waterdata_groundwater', 'usgs_waterdata_daily_discharge'])
      expect(await driverErrorCode(water.open(dataset, 'ogc_features')!({ radius_m: 30_000 }))).toBe('bad_value')
  },
)

test('datasets with the same URL share its pages and filter their own features', async () => {
  const next = '/ogcapi/v0/collections/latest-continuous/items?cursor=2'
  using water = startPublisher((request) => (request.query.cursor ? page([stations[1]]) : page([well], next)))
  const [gages, wells] = await Promise.all(
    [id, 'usgs_waterdata_groundwater'].map(async (dataset) => {
      const found = (await water.open(dataset, 'ogc_features')!({ radius_m: 30_000 })) as Feature[]
      return found.map(({ properties }) => properties.monitoring_location_id)
    }),
  )
  expect([gages, wells]).toEqual([['USGS-1'], ['USGS-4']])
  expect(water.requests.map(({ path, query }) => query.cursor ?? path.split('/').at(-1))).toEqual(['items', '2'])
})

test('the fields read the features', async () => {
  using water = world()
  expect(await evaluateField('nearest_stream_gage_discharge_cfs', id, water.open(id, 'ogc_features'))).toBe(13)
})

test('a gauge with ice has no value', async () => {
  using water = startPublisher(() => page([item('USGS-9', 40.02, '2026-07-16T11:00:00Z', null)]))
  expect(await evaluateField('nearest_stream_gage_discharge_cfs', id, water.open(id, 'ogc_features'))).toBe(null)
})

describe('pages', () => {
  test('are read to the last one', async () => {
    using water = startPublisher(({ query }) =>
      query.cursor
        ? page([item('USGS-5', 40.1, '2026-07-16T11:00:00+00:00', '8', '72019')])
        : page([well], 'https://api.waterdata.usgs.gov/ogcapi/v0/collections/latest-continuous/items?cursor=2'),
    )
    const found = (await water.open('usgs_waterdata_groundwater', 'ogc_features')!({ radius_m: 30_000 })) as Feature[]
    expect(found.length).toBe(2)
  })
  test('without an end fail as too_large', async () => {
    using water = startPublisher(() => page([stations[0]], '/ogcapi/v0/collections/latest-continuous/items?cursor=on'))
    expect(await driverErrorCode(water.open('usgs_waterdata_groundwater', 'ogc_features')!({ radius_m: 30_000 }))).toBe(
      'too_large',
    )
    expect(water.requests.length).toBe(5)
  })
  test.each([
    [5, []],
    [5, [stations[1]]],
  ])('with fewer features than their count of %p are no answer', async (numberMatched, features) => {
    using water = startPublisher(() => ({ ...page(features), numberMatched }))
    expect(await driverErrorCode(water.open(id, 'ogc_features')!({ radius_m: 30_000 }))).toBe('bad_response')
  })
  test('with fewer features than they say to have are no answer', async () => {
    using water = startPublisher(() => ({ ...page(stations.slice(1)), numberReturned: stations.length }))
    expect(await driverErrorCode(water.open(id, 'ogc_features')!({ radius_m: 30_000 }))).toBe('bad_response')
  })
  test('on another host are rejected', async () => {
    using water = startPublisher(() => page([stations[0]], 'https://elsewhere.example/items'))
    expect(await driverErrorCode(water.open('usgs_waterdata_groundwater', 'ogc_features')!({ radius_m: 30_000 }))).toBe(
      'bad_response',
    )
  })
})

test.each([
  ...invalidResponses,
  [
    'a code and a description',
    () => Response.json({ code: 'InvalidParameterValue', description: 'bad bbox' }),
    'upstream_rejected',
  ],
  [
    'a quota error inside a 200',
    () => Response.json({ error: { code: 'OVER_RATE_LIMIT', message: 'You have exceeded your rate limit.' } }),
    'rate_limited',
  ],
  ['a document without a list', () => Response.json({ type: 'FeatureCollection' }), 'bad_response'],
  ['a feature that is text', () => Response.json({ features: ['x'] }), 'bad_response'],
  [
    'an invalid geometry',
    () => Response.json({ features: [{ geometry: { type: 'Point', coordinates: ['a', 'b'] }, properties: {} }] }),
    'bad_response',
  ],
] as typeof invalidResponses)('%s fails', async (_what, response, code) => {
  using water = startPublisher(response)
  expect(await driverErrorCode(water.open(id, 'ogc_features')!({ radius_m: 30_000 }))).toBe(code)
})
