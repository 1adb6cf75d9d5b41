import { expect, test } from 'bun:test'
import type { Feature } from '../../src/model/source.ts'
import { driverErrorCode, evaluateField, startPublisher, invalidResponses } from './publisher.ts'

const box = (w: number, s: number, e: number, n: number) => [
  [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
    [w, s],
  ],
]
const drought = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { DM: 0 },
      geometry: { type: 'MultiPolygon', coordinates: [box(-106, 39, -105, 41), box(-90, 30, -89, 31)] },
    },
    {
      type: 'Feature',
      properties: { DM: 2 },
      geometry: { type: 'Polygon', coordinates: box(-105.5, 39.9, -105.2, 40.2) },
    },
    { type: 'Feature', properties: { DM: 4 }, geometry: { type: 'Polygon', coordinates: box(-80, 30, -79, 31) } },
    { type: 'Feature', properties: { DM: 3 }, geometry: null },
  ],
}
const volcanoes = {
  type: 'FeatureCollection',
  features: [
    { type: 'Feature', geometry: { type: 'Point', coordinates: [-106, 40] }, properties: { Volcano_Name: 'Near' } },
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [179.9, 52] },
      properties: { Volcano_Name: 'Over the line' },
    },
  ],
}

test('the polygons that contain the point have the attribute names of the map', async () => {
  using world = startPublisher(() => drought)
  const source = world.open('ndmc_usdm', 'geojson_file')
  expect(
    ((await source!({ radius_m: 0 })) as Feature[]).map(({ properties }) => String(properties.dm)).toSorted(),
  ).toEqual(['0', '2'])
  expect(await evaluateField('drought_category', 'ndmc_usdm', source)).toBe('D2')
  expect(world.requests.map(({ path }) => path)).toEqual(['data/json/usdm_20260714.json'])
})

test('an unpublished week falls back to earlier weeks, at most two', async () => {
  using world = startPublisher(({ path }) => (path.includes('20260630') ? drought : new Response('', { status: 404 })))
  expect(((await world.open('ndmc_usdm', 'geojson_file')!({ radius_m: 0 })) as Feature[]).length).toBe(2)
  expect(world.requests.map(({ path }) => path.slice(-13, -5))).toEqual(['20260714', '20260707', '20260630'])
  using none = startPublisher(() => new Response('', { status: 404 }))
  expect(await driverErrorCode(none.open('ndmc_usdm', 'geojson_file')!({ radius_m: 0 }))).toBe('upstream_rejected')
  expect(none.requests.length).toBe(3)
})

test('points are found across the antimeridian, and a file without features fails', async () => {
  using world = startPublisher(() => volcanoes)
  const source = world.open('gvp_holocene_volcanoes', 'geojson_file')!
  const found = (await source({ at: { lat: 52, lng: -179.9 }, radius_m: 50_000 })) as Feature[]
  expect(found.map(({ properties }) => properties.Volcano_Name)).toEqual(['Over the line'])
  expect(found[0]!.distance_m).toBeCloseTo(13_735, -2)
  expect(await evaluateField('nearest_volcano_name', 'gvp_holocene_volcanoes', source)).toBe('Near')
  expect(world.requests.length).toBe(1)
  using empty = startPublisher(() => ({ type: 'FeatureCollection', features: [] }))
  expect(await driverErrorCode(empty.open('gvp_holocene_volcanoes', 'geojson_file')!({ radius_m: 50_000 }))).toBe(
    'bad_response',
  )
})

test.each([
  ...invalidResponses,
  ['an XML report', () => new Response('<ows:ExceptionReport/>'), 'bad_response'],
  ['a document without a list', () => Response.json({ type: 'FeatureCollection' }), 'bad_response'],
  ['a feature that is a number', () => Response.json({ type: 'FeatureCollection', features: [1] }), 'bad_response'],
  [
    'an invalid geometry',
    () =>
      Response.json({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', geometry: { type: 'Cube' }, properties: {} }],
      }),
    'bad_response',
  ],
] as typeof invalidResponses)('%s fails', async (_what, response, code) => {
  using world = startPublisher(response)
  expect(await driverErrorCode(world.open('gvp_holocene_volcanoes', 'geojson_file')!({ radius_m: 50_000 }))).toBe(code)
})
