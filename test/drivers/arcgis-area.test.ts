import { afterAll, describe, expect, test } from 'bun:test'
import { arcgisDriver } from '../../src/drivers/arcgis/arcgis.ts'
import type { DriverDeps } from '../../src/drivers/driver.ts'
import type { AreaQuery } from '../../src/model/area.ts'
import { openHttpClient } from '../../src/net/http-client.ts'
import { arcgis } from '../upstreams/arcgis.ts'
import { layer, type SimulatedLayer } from '../upstreams/layers/layer.ts'
import { area, square, type Offset, type SimulatedShape } from '../upstreams/layers/shapes.ts'
import type { ReceivedRequest, SimulatedService } from '../upstreams/service.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'

const at = 'https://services.arcgis.com/made-up/arcgis/rest/services/Made_Up/FeatureServer/0'
const closing: (() => void)[] = []
afterAll(() => closing.forEach((close) => close()))

/** A polygon of 64 corners, of which a generalized outline keeps only some. */
const round = (east: number): SimulatedShape =>
  area(
    'boulder',
    ...Array.from({ length: 64 }, (_, i): Offset => {
      const angle = (-2 * Math.PI * i) / 64
      return [east + 700 * Math.cos(angle), 700 * Math.sin(angle)]
    }),
  )

function layerOf(shape: (i: number) => SimulatedShape, count: number): SimulatedLayer {
  return layer({
    at,
    name: 'Made up',
    kind: 'polygon',
    columns: 'OBJECTID NAME',
    max_record_count: 15,
    rows: Array.from({ length: count }, (_, i) => [shape(i), { NAME: `n${i}` }]),
  })
}
/** Forty squares of 60 m in a row to the east, 200 m apart. */
const squares = layerOf((i) => square('boulder', 30, 200 * i, 0), 40)

/** Changes the JSON of an answer. */
type Lie = (body: Record<string, unknown>, query: URLSearchParams) => void

function listFrom(simulated: SimulatedLayer, lie: Lie = () => {}) {
  const services = arcgis([simulated]).map(({ host, answer }): SimulatedService => ({
    host,
    async answer(request: ReceivedRequest) {
      const reply = await answer(request)
      if (reply === null || typeof reply.body !== 'string' || !reply.body.startsWith('{')) return reply
      const body = JSON.parse(reply.body) as Record<string, unknown>
      lie(body, new URLSearchParams([...request.query, ...new URLSearchParams(request.body)]))
      return { ...reply, body: JSON.stringify(body) }
    },
  }))
  const upstreams = openUpstreams({ services })
  const net = openHttpClient({
    mirror: upstreams.url,
    userAgent: 'test',
    catalogHosts: new Set([new URL(at).host]),
    now: () => new Date(),
    random: Math.random,
  })
  closing.push(net.close, upstreams.close)
  const deps = { net, now: () => new Date(), runHourly() {} } as unknown as DriverDeps
  const opened = arcgisDriver.open({ endpoint: at }, 'features', deps, { id: 'made_up', key: null, ttl_seconds: 60 })
  const list = (query: AreaQuery) => opened!.listInArea!(query, { signal: AbortSignal.timeout(20_000) })
  return { list, upstreams }
}

const boulder = { west: -105.5, south: 39.9, east: -105, north: 40.3 }
const metersEast = (east: number) => -105.2705 + east / 85_300

describe('the features of an area', () => {
  test('are complete although the service sends fifteen at a time, in the order of their ids', async () => {
    const { list, upstreams } = listFrom(squares)
    const features = await list({ extent: boulder })
    expect(features.map(({ key }) => key)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    expect(features[3]).toMatchObject({ properties: { NAME: 'n3' }, geometry: { polygons: [[{ length: 5 }]] } })
    expect(upstreams.unknown).toEqual([])
  })

  test('are only those that touch the polygon, or the line, and pass the condition', async () => {
    const { list } = listFrom(squares)
    const [west, east] = [metersEast(-100), metersEast(650)]
    const ring = [west, 40.01, west, 40.02, east, 40.02, east, 40.01]
    const polygon = { extent: boulder, filter: { kind: 'polygon' as const, paths: [ring] } }
    expect((await list(polygon)).map(({ key }) => key)).toEqual([1, 2, 3, 4])
    expect((await list({ ...polygon, where: "NAME = 'n2'" })).map(({ key }) => key)).toEqual([3])
    const line = { kind: 'line' as const, paths: [[metersEast(190), 40.01, metersEast(190), 40.02]] }
    expect((await list({ extent: boulder, filter: line })).map(({ key }) => key)).toEqual([2])
  })

  test('are none where the service counts none', async () => {
    expect(await listFrom(squares).list({ extent: { west: -100, south: 39, east: -99, north: 40 } })).toEqual([])
  })
})

describe('a service that', () => {
  const isIds = (query: URLSearchParams) => query.get('returnIdsOnly') === 'true'
  const featuresIn = (body: Record<string, unknown>) => (body.features ?? []) as { attributes: { OBJECTID: number } }[]
  const lies: [string, Lie, string][] = [
    [
      'lists fewer ids than it counts',
      (body, query) => void (isIds(query) && (body.objectIds as number[]).pop()),
      'bad_response',
    ],
    ['repeats an id', (body, query) => void (isIds(query) && ((body.objectIds as number[])[1] = 1)), 'bad_response'],
    ['counts fewer features than it lists', (body) => void ('count' in body && (body.count = 39)), 'bad_response'],
    [
      'leaves a feature out',
      (body) => void (body.features = featuresIn(body).filter((it) => it.attributes.OBJECTID !== 7)),
      'bad_response',
    ],
    [
      'repeats a feature',
      (body) => void (featuresIn(body).length > 1 && (featuresIn(body)[1] = featuresIn(body)[0]!)),
      'bad_response',
    ],
    [
      'leaves an outline out',
      (body) =>
        featuresIn(body).forEach(
          (it) => it.attributes.OBJECTID === 7 && delete (it as { geometry?: unknown }).geometry,
        ),
      'bad_response',
    ],
    ['counts too many', (body) => void ('count' in body && (body.count = 50_000)), 'too_large'],
    [
      'does not list ids',
      (body, query) => {
        if (!isIds(query)) return
        delete body.objectIds
        body.error = { code: 400, message: 'Unable to complete operation.' }
      },
      'unsupported_request',
    ],
  ]
  test.each(lies)('%s makes the list fail', (_, lie, code) => {
    const { list } = listFrom(squares, lie)
    expect(list({ extent: boulder })).rejects.toMatchObject({ name: 'Error', code })
  })

  test('generalizes its outlines makes the list fail', async () => {
    const layerOfRounds = layerOf((i) => round(1_500 * i), 3)
    expect(await listFrom(layerOfRounds).list({ extent: boulder })).toHaveLength(3)
    const { list } = listFrom(layerOfRounds, (body) => {
      for (const feature of featuresIn(body)) {
        const { geometry } = feature as unknown as { geometry?: { rings: unknown[][] } }
        if (geometry) geometry.rings = geometry.rings.map((ring) => ring.filter((__, i) => i % 8 === 0))
      }
    })
    expect(list({ extent: boulder })).rejects.toMatchObject({ code: 'bad_response' })
  })
})
