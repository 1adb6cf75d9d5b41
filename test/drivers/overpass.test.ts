import { describe, expect, test } from 'bun:test'
import type { Feature } from '../../src/model/source.ts'
import { driverErrorCode, evaluateField, startPublisher, invalidResponses } from './publisher.ts'

const instance = 'https://overpass.example'
const line = (...vertices: [number, number][]) => vertices.map(([lon, lat]) => ({ lat, lon }))
const square = line([-105.28, 40], [-105.26, 40], [-105.26, 40.03], [-105.28, 40.03], [-105.28, 40])
const query = async (elements: unknown[], dataset = 'osm_substations') => {
  using world = startPublisher(() => ({ version: 0.6, osm3s: {}, elements }))
  const found = (await world.open(dataset, 'overpass', { overpass: instance })!({ radius_m: 20_000 })) as Feature[]
  return { found, request: world.requests[0]! }
}

test('the driver opens only if the operator sets an instance, and uses that one', async () => {
  using world = startPublisher(() => ({ osm3s: {}, elements: [] }))
  expect(world.open('osm_substations', 'overpass')).toBe(null)
  await world.open('osm_substations', 'overpass', { overpass: 'https://overpass.example/own/interpreter' })!({
    radius_m: 20_000,
  })
  expect(world.requests[0]).toMatchObject({ host: 'overpass.example', path: 'own/interpreter' })
})

test('tags and radius are sent as a form', async () => {
  const { found, request } = await query([])
  expect(found).toEqual([])
  expect(request).toMatchObject({ path: 'api/interpreter', method: 'POST', type: 'application/x-www-form-urlencoded' })
  expect(new URLSearchParams(request.body).get('data')).toBe(
    '[out:json][timeout:25];nwr["power"="substation"](around:20000,40.0150123,-105.2705456);out geom;',
  )
})

describe('elements', () => {
  test('nodes, lines and areas are measured by their geometry, nearest first', async () => {
    const { found } = await query([
      { type: 'node', id: 1, lat: 40.1, lon: -105.27, tags: { power: 'substation', name: 'node' } },
      { type: 'way', id: 2, geometry: square, tags: { power: 'substation', name: 'area' } },
      { type: 'way', id: 3, geometry: square, tags: { highway: 'primary', name: 'round road' } },
      {
        type: 'relation',
        id: 4,
        members: [
          { type: 'way', role: 'outer', geometry: square },
          { type: 'node', ref: 1 },
        ],
        tags: { power: 'substation', name: 'relation' },
      },
      {
        type: 'way',
        id: 5,
        geometry: [null, ...line([-105.3, 40.2], [-105.2, 40.2])],
        tags: { power: 'line', name: 'line' },
      },
    ])
    expect(found.map(({ properties, distance_m }) => [properties.name, distance_m === 0])).toEqual([
      ['area', true],
      ['relation', true],
      ['round road', false],
      ['node', false],
    ])
  })
  test('are read by the fields', async () => {
    using world = startPublisher(() => ({
      osm3s: {},
      elements: [{ type: 'node', lat: 40.0150123, lon: -105.2705456, tags: { highway: 'residential' } }],
    }))
    expect(
      await evaluateField(
        'nearest_osm_substation_distance_m',
        'osm_substations',
        world.open('osm_substations', 'overpass', { overpass: instance }),
      ),
    ).toBeCloseTo(0, 3)
    expect(
      await evaluateField(
        'roads_within_500m_count',
        'osm_roads',
        world.open('osm_roads', 'overpass', { overpass: instance }),
      ),
    ).toBe(1)
  })
})

test('a point query is rejected', async () => {
  using world = startPublisher(() => ({ osm3s: {}, elements: [] }))
  expect(await driverErrorCode(world.open('osm_roads', 'overpass', { overpass: instance })!({ radius_m: 0 }))).toBe(
    'unsupported_request',
  )
})

test.each([
  ...invalidResponses,
  [
    'a timeout next to an empty list',
    () =>
      Response.json({
        osm3s: {},
        elements: [],
        remark: 'runtime error: Query timed out in "query" at line 1 after 25 seconds.',
      }),
    'timeout',
  ],
  [
    'an out-of-memory error',
    () => Response.json({ osm3s: {}, elements: [], remark: 'runtime error: Query run out of memory' }),
    'bad_response',
  ],
  [
    'no free slot',
    () => new Response('<html>Dispatcher_Client::request_read_and_idx::rate_limited</html>'),
    'rate_limited',
  ],
  ['an unknown name', () => new Response('', { status: 406 }), 'upstream_rejected'],
  ['elements without the database', () => Response.json({ elements: [] }), 'bad_response'],
  [
    'a way without a geometry',
    () => Response.json({ osm3s: {}, elements: [{ type: 'way', id: 1, tags: {} }] }),
    'bad_response',
  ],
  [
    'a way of which all vertices are omitted',
    () => Response.json({ osm3s: {}, elements: [{ type: 'way', id: 1, geometry: [null, null] }] }),
    'bad_response',
  ],
  [
    'a vertex that is text',
    () => Response.json({ osm3s: {}, elements: [{ type: 'way', geometry: [{ lat: '1', lon: 2 }] }] }),
    'bad_response',
  ],
] as typeof invalidResponses)('%s fails', async (_what, response, code) => {
  using world = startPublisher(response)
  expect(await driverErrorCode(world.open('osm_roads', 'overpass', { overpass: instance })!({ radius_m: 500 }))).toBe(
    code,
  )
})
