import { describe, expect, test } from 'bun:test'
import { arcgisDriver } from '../../src/drivers/arcgis/arcgis.ts'
import {
  answerOf,
  arcgisServer,
  arcgisErrorCode,
  openArcgis,
  squarePolygon,
  type ArcgisRequest,
} from './arcgis-server.ts'

const at = { lat: 39.7392, lng: -104.9903 }
const here = { at, radius_m: 0 }
const near = { at, radius_m: 1000 }
const named = (NAME: string, geometry?: unknown) => ({
  attributes: { OBJECTID: 1, NAME },
  ...(geometry !== undefined && { geometry }),
})
const point = (lng: number, lat: number) => ({ x: lng, y: lat })
const names = (features: { properties: Record<string, unknown> }[]) => features.map(({ properties }) => properties.NAME)

test('without a network the driver does not open', () => {
  const opened = arcgisDriver.open(
    { endpoint: 'https://example.gov/arcgis/rest/services/A/MapServer/0' },
    'features',
    { net: null } as Parameters<typeof arcgisDriver.open>[2],
    { id: 'made', key: null, ttl_seconds: 60 },
  )
  expect(opened).toBeNull()
})

describe('a point query', () => {
  test('sends the point as plain text and a condition, and requests no outlines', async () => {
    using server = arcgisServer(() => answerOf([{ attributes: { FLD_ZONE: 'AE', SFHA_TF: 'T' } }]))
    const { near, remote } = openArcgis({ endpoint: `${server.service}/28` }, { attributes: ['FLD_ZONE', 'SFHA_TF'] })
    expect(await near(here)).toEqual([{ properties: { FLD_ZONE: 'AE', SFHA_TF: 'T' }, distance_m: 0 }])
    expect(remote).toEqual({ host: new URL(server.service).host })
    const [{ path, method, query }] = server.requests as [(typeof server.requests)[0]]
    expect([path, method]).toEqual(['/arcgis/rest/services/Made/MapServer/28/query', 'GET'])
    expect(Object.fromEntries(query)).toEqual({
      where: '1=1',
      geometry: '-104.9903,39.7392',
      geometryType: 'esriGeometryPoint',
      inSR: '4326',
      spatialRel: 'esriSpatialRelIntersects',
      outFields: 'FLD_ZONE,SFHA_TF',
      returnGeometry: 'false',
      f: 'json',
    })
  })

  test('returns nothing if the list is empty', async () => {
    using server = arcgisServer(() => answerOf([]))
    expect(await openArcgis({ endpoint: `${server.service}/28` }).near(here)).toEqual([])
  })

  test('requests all attributes if none are named, and prefers those of the settings', async () => {
    using server = arcgisServer(() => answerOf([]))
    await openArcgis({ endpoint: `${server.service}/0` }).near(here)
    await openArcgis({ endpoint: `${server.service}/0`, out_fields: '*' }, { attributes: ['A'] }).near(here)
    expect(server.requests.map(({ query }) => query.get('outFields'))).toEqual(['*', '*'])
  })

  test('returns the area from simplified outlines if the settings require it', async () => {
    using server = arcgisServer(() =>
      answerOf([
        { attributes: { NAME: 'county', area: 'unknown' }, geometry: { rings: [squarePolygon(-105, 39.7, 0.5)] } },
        { attributes: { NAME: 'town' }, geometry: { rings: [squarePolygon(-105, 39.7, 0.05)] } },
      ]),
    )
    const [county, town] = await openArcgis({ endpoint: `${server.service}/22`, area: true }).near(here)
    expect(Number(county!.properties.area) / Number(town!.properties.area)).toBeCloseTo(100, 0)
    const { query } = server.requests[0]!
    expect(query.get('returnGeometry')).toBe('true')
    expect(query.get('outSR')).toBe('4326')
    expect(query.get('maxAllowableOffset')).toBe('0.0005')
  })
})

test.each([
  ['is known to be there although its outline is missing', [named('here', undefined)], {}, ['here']],
  ['of several is not known to be the smallest', [named('here', undefined), named('also', undefined)], {}, null],
  ['fails if its outline is requested', [named('here', null)], { with_geometry: true as const }, null],
])('a feature at a point %s', async (_what, features, query, expected) => {
  using server = arcgisServer(() => answerOf(features))
  const found = openArcgis({ endpoint: `${server.service}/0`, area: true }).near({ ...here, ...query })
  if (expected) expect(names(await found)).toEqual(expected)
  else expect(await arcgisErrorCode(found)).toBe('bad_response')
})

describe('a radius query', () => {
  const features = [
    named('far', point(-104.9903, 39.7392 + 0.011)),
    named('second', point(-104.9903, 39.7392 + 0.005)),
    named('first', point(-104.9903 + 0.001, 39.7392)),
    named('holding', { rings: [squarePolygon(-104.99, 39.74, 0.01)] }),
    named('with a hole here', {
      rings: [squarePolygon(-104.9903, 39.7392, 0.01), squarePolygon(-104.9903, 39.7392, 0.004).toReversed()],
    }),
    named('of two parts', { rings: [squarePolygon(-103, 39, 0.01), squarePolygon(-104.9903, 39.7392, 0.001)] }),
  ]

  test.each([
    ['null', null],
    ['missing', undefined],
    ['empty', { rings: [] }],
    ['NaN', { x: 'NaN', y: 'NaN' }],
  ])('fails if the geometry of one feature is %s, because that one could be anywhere', async (_name, geometry) => {
    using server = arcgisServer(() => answerOf([...features, named('nowhere', geometry)]))
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('bad_response')
  })

  test('leaves out an outline of which simplification leaves nothing, but not one that is null', async () => {
    const simplified = { max_allowable_offset_degrees: 0.00005 }
    const found = async (geometry: unknown) => {
      using server = arcgisServer(() => answerOf([...features, named('small', geometry)]))
      const { near: query } = openArcgis({ endpoint: `${server.service}/0`, ...simplified })
      return names(await query(near))
    }
    expect(await found({ rings: [] })).toHaveLength(5)
    expect(found(null)).rejects.toThrow('returned a feature without a geometry')
  })

  test('returns features nearest first, without those that are farther', async () => {
    using server = arcgisServer(() => answerOf(features))
    const found = await openArcgis({ endpoint: `${server.service}/0` }).near(near)
    expect(names(found)).toEqual(['holding', 'of two parts', 'first', 'with a hole here', 'second'])
    expect(found.map(({ distance_m }) => Math.round(distance_m))).toEqual([0, 0, 86, 343, 555])
    expect(names(await openArcgis({ endpoint: `${server.service}/0` }).near({ ...near, limit: 2 }))).toEqual([
      'holding',
      'of two parts',
    ])
  })

  test('sends the box around the circle and the precision of the settings', async () => {
    using server = arcgisServer(() => answerOf([]))
    await openArcgis({
      endpoint: `${server.service}/0`,
      geometry_precision: 5,
      max_allowable_offset_degrees: 0.00005,
    }).near(near)
    const { query } = server.requests[0]!
    const [xmin, ymin, xmax, ymax] = query.get('geometry')!.split(',').map(Number)
    expect([xmin! < -105.0019, xmax! > -104.9787, ymin! < 39.7302, ymax! > 39.7482]).toEqual([true, true, true, true])
    expect(Object.fromEntries(query)).toMatchObject({
      where: '1=1',
      geometryType: 'esriGeometryEnvelope',
      inSR: '4326',
      outSR: '4326',
      returnGeometry: 'true',
      geometryPrecision: '5',
      maxAllowableOffset: '0.00005',
      f: 'json',
    })
  })

  test('returns the nearest position along a line', async () => {
    using server = arcgisServer(() =>
      answerOf([
        named('street', {
          paths: [
            [
              [-104.9953, 39.74],
              [-104.9853, 39.74],
            ],
          ],
        }),
      ]),
    )
    const [street] = await openArcgis({ endpoint: `${server.service}/0` }).near(near)
    expect(street!.fraction).toBeCloseTo(0.5, 3)
  })

  test('sends two boxes across the antimeridian and returns each feature once', async () => {
    const island = { attributes: { OBJECTID: 7, NAME: 'Semisopochnoi' }, geometry: point(179.6, 51.95) }
    using server = arcgisServer(({ query }) =>
      answerOf(
        query.get('geometry')!.split(',')[2] === '180'
          ? [island]
          : [island, { attributes: { NAME: 'Amchixtam' }, geometry: point(-179.9, 52) }],
      ),
    )
    const found = await openArcgis({ endpoint: `${server.service}/0` }).near({
      at: { lat: 52, lng: -179.9 },
      radius_m: 50_000,
    })
    expect(names(found)).toEqual(['Amchixtam', 'Semisopochnoi'])
    expect(found[1]!.distance_m).toBeWithin(34_000, 36_000)
    const boxes = server.requests
      .map(({ query }) => query.get('geometry')!.split(',').map(Number) as [number, number, number, number])
      .toSorted(([a], [b]) => a - b)
    expect(boxes.map(([xmin, , xmax]) => [Math.round(xmin), Math.round(xmax)])).toEqual([
      [-180, -179],
      [179, 180],
    ])
  })

  test('reads outlines in Web Mercator from a server that ignores outSR', async () => {
    using server = arcgisServer(() =>
      answerOf([named('Denver', { x: -11_687_466.6, y: 4_827_917 })], {
        spatialReference: { wkid: 102100, latestWkid: 3857 },
      }),
    )
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near({ at, radius_m: 5000 })).toHaveLength(1)
  })
})

describe('a condition', () => {
  const rows = [{ attributes: { GAP_Sts: '1' } }, { attributes: { GAP_Sts: '4' } }]
  const where = "GAP_Sts IN ('1','2')"

  test('is sent and also applied locally', async () => {
    using server = arcgisServer(() => answerOf(rows))
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near({ ...here, where })).toHaveLength(1)
    expect(server.requests[0]!.query.get('where')).toBe(where)
  })

  test.each(['4', null, '<Null>', 'ZZ9'])(
    'that no returned feature matches, such as one with %p, is a bad response',
    async (code) => {
      using server = arcgisServer(() => answerOf([{ attributes: { GAP_Sts: code } }]))
      expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near({ ...here, where }))).toBe(
        'bad_response',
      )
    },
  )

  test('is applied only locally if the server is too slow', async () => {
    using server = arcgisServer(() => answerOf(rows))
    expect(
      await openArcgis({ endpoint: `${server.service}/0`, where_on_server: false }).near({ ...here, where }),
    ).toHaveLength(1)
    expect(server.requests[0]!.query.get('where')).toBe('1=1')
  })

  test('with a quote is sent as a form, because some publishers refuse a quote in a URL', async () => {
    using server = arcgisServer(() => answerOf(rows.slice(0, 1)))
    const { near } = openArcgis({ endpoint: `${server.service}/0` })
    await near({ ...here, where })
    await near({ ...here, where: 'GAP_Sts = 1' })
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  test('that makes the URL too long is sent as a form', async () => {
    using server = arcgisServer(() => answerOf(rows))
    const long = `GAP_Sts IN (${Array.from({ length: 500 }, (_, i) => `'${i}'`).join(',')})`
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near({ ...here, where: long })).toHaveLength(2)
    expect(server.requests.map(({ method, query }) => [method, query.get('where')])).toEqual([['POST', long]])
  })
})

describe('the URL', () => {
  test('of several layers is requested for each, and the results form one list', async () => {
    using server = arcgisServer(({ path }) => answerOf([named(path.split('/').at(-2)!)]))
    const found = await openArcgis({ endpoint: server.service, layers: [2, 6, '8'] }).near(here)
    expect(names(found)).toEqual(['2', '6', '8'])
  })

  test('may contain a level, which the query must then have', async () => {
    using server = arcgisServer(() => answerOf([]))
    const { near } = openArcgis({ endpoint: `${server.service.replace('Made', 'slr_{level}ft')}/0` })
    await near({ ...here, level: 3 })
    expect(server.requests[0]!.path).toBe('/arcgis/rest/services/slr_3ft/MapServer/0/query')
    expect(await arcgisErrorCode(near(here))).toBe('unsupported_request')
  })

  test('may contain parentheses, which are encoded', async () => {
    let url = ''
    const net = { fetchJson: async (call: { url: string }) => ((url = call.url), answerOf([])) }
    const opened = arcgisDriver.open(
      { endpoint: 'https://example.gov/rest/services/Sites_(NPL)/FeatureServer/0' },
      'features',
      { net, runHourly: () => {} } as never,
      { id: 'made', key: null, ttl_seconds: 60 },
    )!
    await opened.source(here as never, { signal: new AbortController().signal })
    expect(url).toStartWith('https://example.gov/rest/services/Sites_%28NPL%29/FeatureServer/0/query?')
  })
})

describe('the attributes', () => {
  test('keep their names and values; of two that differ only in their table, the first non-empty one remains', async () => {
    const attributes = {
      'Wetlands.ATTRIBUTE': 'PFO1A',
      'NWI_Wetland_Codes.ATTRIBUTE': 'PEM1C',
      'Wetlands.ACRES': null,
      'NWI_Wetland_Codes.ACRES': 2.5,
      'Wetlands.NOTE': ' ',
      date: 1_700_000_000_000,
    }
    using server = arcgisServer(() => answerOf([{ attributes }]))
    const [wetland] = await openArcgis({ endpoint: `${server.service}/0` }).near({
      ...here,
      where: "acres > 1 AND attribute LIKE 'PFO%'",
    })
    expect(wetland!.properties).toEqual({
      'Wetlands.ATTRIBUTE': 'PFO1A',
      'NWI_Wetland_Codes.ACRES': 2.5,
      'Wetlands.NOTE': ' ',
      date: 1_700_000_000_000,
    })
  })
})

describe('a layer found by name', () => {
  const layers = [
    { id: 70, name: 'Counties', type: 'Group Layer', subLayerIds: [71] },
    { id: 71, name: 'Counties Labels', type: 'Feature Layer', subLayerIds: null },
    { id: 72, name: 'Counties', type: 'Raster Layer' },
    { id: 84, name: 'Counties', type: 'Feature Layer', subLayerIds: null },
    { id: 99, name: 'Counties', type: 'Feature Layer' },
  ]
  const counties = (service: string) => ({ endpoint: `${service}/82`, layer_name: '^counties$' })

  test('is the first feature layer with that name, looked up once a day', async () => {
    using server = arcgisServer(({ path }) => (path.endsWith('/query') ? answerOf([]) : { layers }))
    let time_ms = 0
    const { near } = openArcgis(counties(server.service), { now: () => new Date(time_ms) })
    await Promise.all([near(here), near(within(1))])
    expect(server.queries().map(({ path }) => path.split('/').at(-2))).toEqual(['84', '84'])
    expect(server.requests).toHaveLength(3)
    time_ms = 86_399_999
    await near(here)
    expect(server.requests).toHaveLength(4)
    time_ms = 86_400_000
    await near(here)
    expect(server.requests).toHaveLength(6)
  })

  /** Answers that are no list, and the error when the layer is not where it was either. */
  const lists: [string, unknown, string][] = [
    ['is an error', { error: { code: 499, message: 'Token Required' } }, 'schema_changed'],
    ['is not a list', { layers: 'none' }, 'bad_response'],
    ['is empty', { layers: [] }, 'bad_response'],
    ['is a page', new Response('<html></html>', { headers: { 'content-type': 'text/html' } }), 'bad_response'],
    ['is unavailable', new Response('', { status: 503 }), 'upstream_5xx'],
  ]
  const servedBy = (list: unknown, lastKnown: unknown) =>
    arcgisServer(({ path }) =>
      path.endsWith('/query')
        ? answerOf([])
        : path.endsWith('/82')
          ? lastKnown
          : list instanceof Response
            ? list.clone()
            : list,
    )

  test.each(lists)(
    'is its last known URL if the list of layers %s and the layer there has the name',
    async (_, list) => {
      using server = servedBy(list, { id: 82, name: 'Counties', type: 'Feature Layer' })
      const { near } = openArcgis(counties(server.service))
      await near(here)
      await near(here)
      expect(server.queries().map(({ path }) => path.split('/').at(-2))).toEqual(['82', '82'])
    },
  )

  test.each(lists)(
    'is never queried if the list of layers %s and the layer there has another name',
    async (_, list, code) => {
      using server = servedBy(list, { id: 82, name: 'Census Tracts', type: 'Feature Layer' })
      expect(await arcgisErrorCode(openArcgis(counties(server.service)).near(here))).toBe(code)
      expect(server.queries()).toEqual([])
    },
  )

  test('is not one whose name is longer than a pattern reads', async () => {
    using server = arcgisServer(() => ({ layers: [{ id: 1, name: `Counties${'x'.repeat(10_000)}` }] }))
    const { near } = openArcgis({ endpoint: `${server.service}/82`, layer_name: '^counties' })
    expect(await arcgisErrorCode(near(here))).toBe('schema_changed')
  })

  test('fails if the list of layers does not have the name', async () => {
    using server = servedBy({ layers: layers.slice(0, 3) }, { id: 82, name: 'Counties', type: 'Feature Layer' })
    expect(await arcgisErrorCode(openArcgis(counties(server.service)).near(here))).toBe('schema_changed')
    expect(server.queries()).toEqual([])
  })

  test('has the geometry type of the dataset', async () => {
    const named = (geometryType: string) => ({ id: 7, name: 'Counties', type: 'Feature Layer', geometryType })
    const polygons = (service: string) => ({ ...counties(service), layer_geometry: 'esriGeometryPolygon' })
    using lines = servedBy({ layers: [named('esriGeometryPolyline')] }, {})
    expect(await arcgisErrorCode(openArcgis(polygons(lines.service)).near(here))).toBe('schema_changed')
    using areas = servedBy({ layers: [named('esriGeometryPolyline'), { ...named('esriGeometryPolygon'), id: 8 }] }, {})
    await openArcgis(polygons(areas.service)).near(here)
    expect(areas.queries().map(({ path }) => path.split('/').at(-2))).toEqual(['8'])
  })

  test('is looked up by the next caller if the first one aborted', async () => {
    using server = arcgisServer(({ path }) => (path.endsWith('/query') ? answerOf([]) : { layers }))
    const { near } = openArcgis(counties(server.service))
    await near(here, AbortSignal.abort(new Error('gone'))).catch(() => {})
    await near(here)
    expect(server.queries().map(({ path }) => path.split('/').at(-2))).toEqual(['84'])
  })

  const within = (radius_m: number) => ({ at, radius_m })
})

describe('the day of the last change', () => {
  const edits = { lastEditDate: Date.UTC(2026, 9, 2), dataLastEditDate: Date.UTC(2026, 8, 30) }
  const described = (editingInfo: unknown) => (request: ArcgisRequest) =>
    request.path.endsWith('/query')
      ? answerOf([])
      : { fields: [{ name: 'NAME' }], ...(editingInfo !== null && { editingInfo }) }

  test.each<[string, unknown, string | null]>([
    ['that of the data', edits, '2026-09-30'],
    ['that of the layer, if only this is stated', { lastEditDate: edits.lastEditDate }, '2026-10-02'],
    ['unknown, if the layer does not state it', null, null],
    ['unknown, if it is no date', { dataLastEditDate: null }, null],
  ])('is %s', async (_name, editingInfo, day) => {
    using server = arcgisServer(described(editingInfo))
    const { near, editedOn, runJobs } = openArcgis({ endpoint: `${server.service}/0` })
    await near(here)
    expect(editedOn()).toBeNull()
    await runJobs()
    expect(editedOn()).toBe(day)
  })

  test('is the earliest of several layers, and unknown if one does not state it', async () => {
    let second: unknown = { dataLastEditDate: Date.UTC(2025, 0, 5) }
    using server = arcgisServer((request) => described(request.path.includes('/1') ? second : edits)(request))
    const settings = { endpoint: server.service, layers: [0, 1] }
    const { near, editedOn, runJobs } = openArcgis(settings)
    await near(here)
    await runJobs()
    expect(editedOn()).toBe('2025-01-05')
    second = null
    const again = openArcgis(settings)
    await again.near(here)
    await again.runJobs()
    expect(again.editedOn()).toBeNull()
  })
})

describe('a count', () => {
  const count = { ...near, count_only: true } as const

  test('is requested with a polygon of the circle, as a form, and returned as placeholder features', async () => {
    using server = arcgisServer(() => ({ count: 135_321 }))
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near({ ...count, where: 'HEIGHT > 0' })).toHaveLength(
      135_321,
    )
    const { method, query } = server.requests[0]!
    expect(method).toBe('POST')
    expect(query.get('returnCountOnly')).toBe('true')
    expect(query.get('geometryType')).toBe('esriGeometryPolygon')
    expect(query.get('where')).toBe('HEIGHT > 0')
    const { rings } = JSON.parse(query.get('geometry')!) as { rings: [number, number][][] }
    expect(rings[0]).toHaveLength(65)
    expect(rings[0]!.at(-1)).toEqual(rings[0]![0])
  })

  test('of several layers is their sum', async () => {
    using server = arcgisServer(() => ({ count: 3 }))
    expect(await openArcgis({ endpoint: server.service, layers: [1, 2] }).near(count)).toHaveLength(6)
  })

  test('comes from the list if the condition is not sent or the circle crosses the antimeridian', async () => {
    using server = arcgisServer(({ query }) =>
      answerOf(
        query.get('geometry')!.startsWith('-10')
          ? [named('here', point(-104.99, 39.739)), named('there', point(-104.99, 39.739))]
          : [named('Amchixtam', point(-179.9, 52))],
      ),
    )
    expect(
      await openArcgis({ endpoint: `${server.service}/0`, where_on_server: false }).near({
        ...count,
        where: "NAME = 'here'",
      }),
    ).toHaveLength(1)
    expect(
      await openArcgis({ endpoint: `${server.service}/0` }).near({
        ...count,
        at: { lat: 52, lng: -179.99 },
        radius_m: 10_000,
      }),
    ).toHaveLength(1)
  })

  const faults: [string, unknown, string][] = [
    ['missing', {}, 'bad_response'],
    ['a text', { count: '12' }, 'bad_response'],
    ['negative', { count: -1 }, 'bad_response'],
    ['broken', { count: 1.5 }, 'bad_response'],
    ['implausibly large', { count: 10_000_001 }, 'bad_value'],
    ['an error', { error: { code: 504, message: 'Timeout' } }, 'upstream_5xx'],
  ]
  test.each(faults)('that is %s is an error', async (_name, answer, code) => {
    using server = arcgisServer(() => answer)
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(count))).toBe(code)
  })
})

describe('an error response', () => {
  const errors: [string, unknown, string][] = [
    [
      '400',
      { code: 400, message: 'Unable to perform query. Please check your parameters.', details: [] },
      'upstream_rejected',
    ],
    ['404', { code: 404, message: 'Service not found' }, 'upstream_rejected'],
    ['498', { code: 498, message: 'Invalid Token', details: ['Invalid Token'] }, 'upstream_rejected'],
    ['499', { code: 499, message: 'Token Required' }, 'upstream_rejected'],
    ['429', { code: 429, message: 'Too many requests' }, 'rate_limited'],
    ['500', { code: 500, message: 'Error performing query operation', details: [] }, 'upstream_5xx'],
    ['504', { code: 504, message: 'Timeout' }, 'upstream_5xx'],
    ['no code', { message: 'You do not have permissions to access this resource.' }, 'upstream_rejected'],
    ['a text', 'failed', 'upstream_rejected'],
  ]
  test.each(errors)('inside a 200 is not an empty list: %s', async (_name, error, code) => {
    using server = arcgisServer(() => ({ error }))
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(here))).toBe(code)
  })

  test('names the layer, the code and the message, briefly and without URLs', async () => {
    using server = arcgisServer(() => ({
      error: { code: 400, message: `Cannot read https://secret.example/?token=1 ${'x'.repeat(400)}`, details: null },
    }))
    const error = (await openArcgis({ endpoint: `${server.service}/28` })
      .near(here)
      .catch((thrown: unknown) => thrown)) as Error
    expect(error.message).toStartWith(
      `${new URL(server.service).host} (Made/MapServer/28) rejected the request: 400 Cannot read … xxx`,
    )
    expect(error.message).not.toContain('token')
    expect(error.message.length).toBeLessThan(300)
  })

  const answers: [string, unknown][] = [
    ['no features', { fields: [] }],
    ['an empty list that does not describe its layer', { features: [] }],
    ['a feature without any attribute', { features: [{ attributes: {} }] }],
    ['features that are not a list', { features: {} }],
    ['a feature without attributes', { features: [{ geometry: null }] }],
    ['a feature that is null', { features: [null] }],
    ['an attribute that is a list', { features: [{ attributes: { A: [1] } }] }],
    ['a list', []],
    ['a number', 7],
    ['null', null],
    ['an invalid outline', answerOf([named('here', { rings: [[['a', 'b']]] })])],
    [
      'an outline in another coordinate system',
      answerOf([named('here', point(1, 2))], { spatialReference: { wkid: 2263 } }),
    ],
    ['a page', new Response('<html>Maintenance</html>', { headers: { 'content-type': 'text/html' } })],
  ]
  test.each(answers)('is a response with %s', async (_name, answer) => {
    using server = arcgisServer(() => (answer instanceof Response ? answer.clone() : answer))
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('bad_response')
  })

  test('of one of several layers fails the query', async () => {
    using server = arcgisServer(({ path }) =>
      path.includes('/2/') ? { error: { code: 500, message: 'no' } } : answerOf([]),
    )
    expect(await arcgisErrorCode(openArcgis({ endpoint: server.service, layers: [1, 2] }).near(here))).toBe(
      'upstream_5xx',
    )
  })
})
