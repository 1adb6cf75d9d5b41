import { describe, expect, test } from 'bun:test'
import type { Feature } from '../../src/model/source.ts'
import { driverErrorCode, evaluateField, startPublisher, invalidResponses } from './publisher.ts'

const gauges = {
  gauges: [
    {
      lid: 'FAR',
      name: 'Far Creek',
      latitude: 40.2,
      longitude: -105.27,
      status: { observed: { floodCategory: 'minor' } },
    },
    {
      lid: 'NEAR',
      name: 'Near Creek',
      latitude: 40.02,
      longitude: -105.27,
      status: { observed: { floodCategory: 'no_flooding' } },
    },
    { lid: 'BARE', name: 'No place', latitude: null, longitude: null },
  ],
}
const names = async (found: Promise<unknown> | undefined) =>
  ((await found) as Feature[]).map(({ properties }) => properties.name)

describe('records in a box', () => {
  test('are measured and have the attribute names of the map', async () => {
    using world = startPublisher(() => gauges)
    const source = world.open('noaa_nwps', 'rest_features')
    expect(await names(source!({ radius_m: 75_000 }))).toEqual(['Near Creek', 'Far Creek'])
    expect(await names(source!({ radius_m: 75_000, limit: 1 }))).toEqual(['Near Creek'])
    expect(await names(source!({ radius_m: 75_000, where: "flood_category = 'minor'" }))).toEqual(['Far Creek'])
    expect(await names(source!({ radius_m: 100 }))).toEqual([])
    expect(await evaluateField('river_flood_category', 'noaa_nwps', source)).toBe('no_flooding')
    expect(Number(world.requests[0]!.query['bbox.ymin'])).toBeLessThan(39.4)
  })
  test('of another place only are not an absence', async () => {
    using world = startPublisher(() => ({ gauges: gauges.gauges.slice(0, 1) }))
    expect(await driverErrorCode(world.open('noaa_nwps', 'rest_features')!({ radius_m: 100 }))).toBe('bad_response')
  })
  test('are empty if the list is empty', async () => {
    using world = startPublisher(() => ({ gauges: [] }))
    expect(await names(world.open('noaa_nwps', 'rest_features')!({ radius_m: 5000 }))).toEqual([])
  })
  test('are rejected without a finite radius', async () => {
    using world = startPublisher(() => gauges)
    expect(await driverErrorCode(world.open('noaa_nwps', 'rest_features')!({ radius_m: Infinity }))).toBe(
      'unsupported_request',
    )
  })
  test.each([
    ...invalidResponses,
    ['a list under another name', () => Response.json({ stations: [] }), 'bad_response'],
    ['a record without coordinates', () => Response.json({ gauges: [{ lat: 1 }] }), 'bad_response'],
    ['a record that is a number', () => Response.json({ gauges: [1] }), 'bad_response'],
    [
      'records without any position',
      () => Response.json({ gauges: [{ latitude: 'n', longitude: 'w' }] }),
      'bad_response',
    ],
  ] as typeof invalidResponses)('%s fails', async (_what, response, code) => {
    using world = startPublisher(response)
    expect(await driverErrorCode(world.open('noaa_nwps', 'rest_features')!({ radius_m: 5000 }))).toBe(code)
  })
})

describe('a truncated list', () => {
  test('with the maximum number of rows is too_large', async () => {
    const row = { case_id: 1, p_name: 'A', t_hh: 80, xlong: -105.27, ylat: 40.02 }
    using world = startPublisher(({ query }) => Array.from({ length: query.select ? 1000 : 0 }, () => row))
    expect(await driverErrorCode(world.open('usgs_uswtdb', 'rest_features')!({ radius_m: 10_000 }))).toBe('too_large')
  })
  test('with a larger total is too_large, and a complete one is not', async () => {
    let total_results = 37
    using world = startPublisher(() => ({
      total_results,
      fuel_stations: [{ station_name: 'S', latitude: '40.02', longitude: -105.27 }],
    }))
    const source = world.open('nlr_alt_fuel_stations', 'rest_features', { key: 'k' })!
    expect(await driverErrorCode(source({ radius_m: 5000 }))).toBe('too_large')
    total_results = 1
    expect(((await source({ radius_m: 5000 })) as Feature[]).length).toBe(1)
    expect(world.requests[0]!.query).toMatchObject({ api_key: 'k', radius: '3.107', latitude: '40.0150123' })
    expect(world.open('nlr_alt_fuel_stations', 'rest_features')).toBe(null)
  })
})

describe('a whole list', () => {
  const list = (name: string) => ({ count: 1, stations: [{ id: '1', name, lat: 40.1, lng: -105.2 }] })
  test('is downloaded once for concurrent callers, and again when it expires, while the old one is served', async () => {
    let now = Date.parse('2026-07-16T00:00:00Z')
    let version = 'one'
    using world = startPublisher(() => (version === 'down' ? new Response('', { status: 400 }) : list(version)))
    const source = world.open('noaa_coops_stations', 'rest_features', { now: () => new Date(now) })!
    const query = () => names(source({ radius_m: 200_000 }))
    expect(await Promise.all([query(), query(), query()])).toEqual([['one'], ['one'], ['one']])
    expect(world.requests.length).toBe(1)
    now += 604_801_000
    version = 'down'
    expect(await query()).toEqual(['one'])
    while (world.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
    now += 604_801_000
    expect(await driverErrorCode(source({ radius_m: 200_000 }))).toBe('upstream_rejected')
    version = 'two'
    expect(await query()).toEqual(['two'])
  })
  test('stops waiting when its caller aborts, and continues for the next one', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    using world = startPublisher(() => promise)
    const source = world.open('noaa_coops_stations', 'rest_features')!
    const giving = new AbortController()
    const hasty = source({ radius_m: 200_000 }, { signal: giving.signal })
    const noDeadline = source({ radius_m: 200_000 })
    giving.abort(new Error('gone'))
    expect(String(await driverErrorCode(hasty))).toBe('Error: gone')
    resolve(list('late'))
    expect(await names(noDeadline)).toEqual(['late'])
    expect(world.requests.length).toBe(1)
  })
})
