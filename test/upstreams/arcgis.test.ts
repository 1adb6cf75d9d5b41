import { afterAll, beforeAll, expect, test } from 'bun:test'
import { arcgis } from './arcgis.ts'
import { layer, type SimulatedLayer } from './layers/layer.ts'
import { box, line, multipartShape, point, positionOf, ring, square, type ShapePosition } from './layers/shapes.ts'
import { testPlaces } from './test-places.ts'
import { openUpstreams, type Upstreams } from './upstreams.ts'

const server = 'https://maps.example.gov/arcgis/rest/services/Made/MapServer'
const hosted = 'https://services9.arcgis.com/made/arcgis/rest/services/Made/FeatureServer'
const layers: SimulatedLayer[] = [
  layer({
    at: `${server}/0`,
    name: 'Zones',
    kind: 'polygon',
    columns: 'OBJECTID NAME CLASS:integer DEPTH:double',
    max_record_count: 2,
    rows: [
      [square('boulder', 100), { NAME: 'Home', CLASS: 1, DEPTH: -9999 }],
      [ring('boulder', 500, 200), { NAME: "O'Hara", CLASS: 2, DEPTH: null }],
      [
        multipartShape(square('boulder', 50, 1_000, 0), square('boulder', 50, 2_000, 0)),
        { NAME: ' ', CLASS: 2, DEPTH: 1.5 },
      ],
      [box('boulder', -3_000, -10, -1_000, 10), { NAME: null, CLASS: 3, DEPTH: 0 }],
    ],
  }),
  layer({
    at: `${hosted}/3`,
    name: 'Roads',
    kind: 'line',
    columns: 'OBJECTID NAME',
    rows: [[line('boulder', [-1_000, 100], [1_000, 100]), { NAME: 'Pearl' }]],
  }),
  layer({
    at: `${hosted}/4`,
    name: 'Sites',
    kind: 'point',
    columns: 'OBJECTID NAME',
    quirks: ['no_json_point', 'no_distance', 'answers_lower_case'],
    rows: [[point('boulder', 300, 0), { NAME: 'Well' }]],
  }),
  layer({
    at: `${server}/5`,
    name: 'Odd',
    kind: 'point',
    columns: 'T.OBJECTID T.NAME',
    quirks: ['where_required', 'where_times_out'],
    rows: [[point('boulder', 0, 0), { 'T.NAME': 'x' }]],
  }),
  layer({
    at: `${server}/6`,
    name: 'Heavy',
    kind: 'point',
    columns: 'objectid name',
    quirks: ['geometry_times_out'],
    rows: [[point('boulder', 0, 0), { name: 'x' }]],
  }),
]

let world: Upstreams
beforeAll(() => {
  world = openUpstreams({ services: arcgis(layers) })
})
afterAll(() => world.close())

type Said = {
  error?: { code: number; message: string }
  count?: number
  objectIds?: number[]
  type?: string
  spatialReference?: { wkid: number }
  exceededTransferLimit?: boolean
  properties?: { exceededTransferLimit?: boolean }
  features: {
    attributes: Record<string, unknown>
    properties: Record<string, unknown>
    geometry: {
      x: number
      y: number
      rings: ShapePosition[][]
      paths: ShapePosition[][]
      type: string
      coordinates: unknown[]
    } | null
  }[]
}
const home = testPlaces.boulder
const here = `${home.lng},${home.lat}`
const onPoint = { geometry: here, geometryType: 'esriGeometryPoint', inSR: '4326', f: 'json' }

async function query(address: string, request: Record<string, string>, method: 'GET' | 'POST' = 'GET'): Promise<Said> {
  const url = `${world.url}/${address.slice('https://'.length)}`
  const form = new URLSearchParams(request)
  const posted = {
    method: 'POST',
    body: form.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
  const response = await (method === 'GET' ? fetch(`${url}?${form.toString()}`) : fetch(url, posted))
  expect(response.status).toBe(200)
  return response.json() as Promise<Said>
}
const zones = (request: Record<string, string>, method?: 'POST') =>
  query(`${server}/0/query`, { outFields: '*', f: 'json', ...request }, method)
const names = ({ features }: Said) => features.map(({ attributes }) => attributes.NAME)

test('a point matches the polygon around it, and not a polygon whose hole contains it', async () => {
  const said = await zones({ ...onPoint, returnGeometry: 'false' })
  expect(said.features).toEqual([{ attributes: { OBJECTID: 1, NAME: 'Home', CLASS: 1, DEPTH: -9999 } } as never])
})

test('an envelope and a posted polygon find the features they touch', async () => {
  const [west, south] = positionOf(home, [-250, -250])
  const [east, north] = positionOf(home, [960, 250])
  const envelope = JSON.stringify({
    xmin: west,
    ymin: south,
    xmax: east,
    ymax: north,
    spatialReference: { wkid: 4326 },
  })
  expect(
    (await zones({ geometry: envelope, geometryType: 'esriGeometryEnvelope', returnCountOnly: 'true' })).count,
  ).toBe(3)
  const rings = [
    [
      [west, south],
      [west, north],
      [positionOf(home, [-240, 0])[0], north],
      [positionOf(home, [-240, 0])[0], south],
      [west, south],
    ],
  ]
  const posted = await zones(
    { geometry: JSON.stringify({ rings, spatialReference: { wkid: 4326 } }), geometryType: 'esriGeometryPolygon' },
    'POST',
  )
  expect(names(posted)).toEqual(["O'Hara"])
})

test('a radius around a point is in meters, measured to the edge of a feature', async () => {
  const within = async (distance: number) =>
    (await zones({ ...onPoint, distance: String(distance), units: 'esriSRUnit_Meter', returnCountOnly: 'true' })).count
  expect([await within(195), await within(205), await within(945), await within(955), await within(1_005)]).toEqual([
    1, 2, 2, 3, 4,
  ])
})

test.each([
  ['1=1', [1, 2, 3, 4]],
  ["NAME = 'Home'", [1]],
  ["NAME = 'O''Hara'", [2]],
  ['class IN (2, 3)', [2, 3, 4]],
  ['CLASS NOT IN (2, 3)', [1]],
  ["NAME <> '' AND NAME <> ' '", [1, 2]],
  ['NAME IS NULL OR CLASS = 1', [1, 4]],
  ['NOT (CLASS >= 2)', [1]],
  ['DEPTH <= 0', [1, 4]],
  ['DEPTH IS NOT NULL AND DEPTH > -9998.5', [3, 4]],
  ["NAME LIKE '%''H%'", [2]],
  ["UPPER(NAME) LIKE 'HOM_'", [1]],
  ['CLASS BETWEEN 2 AND 2', [2, 3]],
])('where %s', async (where, ids) => {
  expect((await zones({ where, returnIdsOnly: 'true' })).objectIds).toEqual(ids)
})

test.each(["LOST = 'x'", 'NAME = 3', "CLASS = '1'", 'NAME ==', 'NAME', "NAME = 'x' OR", '; DROP TABLE'])(
  'where %s is rejected with an error in a 200 response',
  async (where) => {
    expect((await zones({ where })).error).toMatchObject({ code: 400, message: 'Failed to execute query.' })
  },
)

test('an unknown column, a query without a condition and an unknown format are rejected with an error in a 200 response', async () => {
  expect((await zones({ ...onPoint, outFields: 'NAME,LOST' })).error?.code).toBe(400)
  expect((await zones({})).error?.code).toBe(400)
  expect((await zones({ ...onPoint, f: 'pbf' })).error?.code).toBe(400)
  expect((await zones({ geometry: here, inSR: '4326' })).error?.code).toBe(400) // without geometryType it is an envelope
  expect((await zones({ ...onPoint, geometry: '{"x":' })).error?.code).toBe(400)
})

test('only the requested columns are returned, and only the object id without any', async () => {
  expect((await zones({ ...onPoint, outFields: 'class,NAME' })).features[0]?.attributes).toEqual({
    NAME: 'Home',
    CLASS: 1,
  })
  expect((await zones({ ...onPoint, outFields: '' })).features[0]?.attributes).toEqual({ OBJECTID: 1 })
})

test('a list longer than a page is truncated and flagged, and continues from an offset', async () => {
  const first = await zones({ where: '1=1', orderByFields: 'CLASS DESC' })
  expect([names(first), first.exceededTransferLimit]).toEqual([[null, "O'Hara"], true])
  const last = await zones({ where: '1=1', orderByFields: 'CLASS DESC', resultOffset: '2', resultRecordCount: '50' })
  expect([names(last), last.exceededTransferLimit]).toEqual([[' ', 'Home'], undefined])
  const geojson = await zones({ where: '1=1', f: 'geojson', resultRecordCount: '1' })
  expect([geojson.exceededTransferLimit, geojson.features.length]).toEqual([true, 1])
  expect((await zones({ where: '1=1', returnCountOnly: 'true' })).count).toBe(4)
})

test('Esri rings are one list with clockwise borders and counterclockwise holes; GeoJSON separates polygons and uses the opposite order', async () => {
  const turn = (points: ShapePosition[]) =>
    Math.sign(points.slice(1).reduce((sum, [x, y], index) => sum + points[index]![0] * y - x * points[index]![1], 0))
  const about = (points: ShapePosition[]) => turn(points.map(([x, y]): ShapePosition => [x - home.lng, y - home.lat]))
  const esri = (await zones({ where: 'CLASS = 2' })).features
  expect(esri[0]?.geometry?.rings.map(about)).toEqual([-1, 1])
  expect(esri[1]?.geometry?.rings.map(about)).toEqual([-1, -1])
  const geojson = (await zones({ where: 'CLASS = 2', f: 'geojson' })).features
  expect(geojson.map(({ geometry }) => [geometry?.type, geometry?.coordinates.length])).toEqual([
    ['Polygon', 2],
    ['MultiPolygon', 2],
  ])
  expect((geojson[0]!.geometry!.coordinates as ShapePosition[][]).map(about)).toEqual([1, -1])
})

test('a hosted layer returns Web Mercator unless degrees are requested', async () => {
  const requested = { where: '1=1', outFields: '*', f: 'json' }
  const metres = await query(`${hosted}/3/query`, requested)
  expect(metres.spatialReference?.wkid).toBe(102_100)
  expect(metres.features[0]?.geometry?.paths[0]?.[0]?.[0]).toBeLessThan(-11_700_000)
  const degrees = await query(`${hosted}/3/query`, { ...requested, outSR: '4326', geometryPrecision: '4' })
  expect(degrees.features[0]?.geometry?.paths[0]?.[0]).toEqual([-105.282_2, 40.015_9])
  expect(
    (
      await query(`${hosted}/3/query`, {
        ...requested,
        geometry: '-105.3,40,-105.2,40.1',
        geometryType: 'esriGeometryEnvelope',
      })
    ).features,
  ).toEqual([]) // degrees read as meters
  expect(
    (
      await query(`${hosted}/3/query`, {
        ...requested,
        geometry: '-105.3,40,-105.2,40.1',
        geometryType: 'esriGeometryEnvelope',
        inSR: '4326',
      })
    ).features.length,
  ).toBe(1)
})

test('the restricted services reject a point in JSON, a distance, a query without where, a condition, a bare name, and geometry', async () => {
  const asJson = JSON.stringify({ x: home.lng, y: home.lat, spatialReference: { wkid: 4326 } })
  expect((await query(`${hosted}/4/query`, { ...onPoint, geometry: asJson })).error?.code).toBe(400)
  expect(
    (await query(`${hosted}/4/query`, { ...onPoint, distance: '500', units: 'esriSRUnit_Meter' })).error?.code,
  ).toBe(400)
  expect(
    (await query(`${hosted}/4/query`, { where: '1=1', outFields: 'NAME', f: 'json' })).features[0]?.attributes,
  ).toEqual({ name: 'Well' })
  expect((await query(`${server}/5/query`, onPoint)).error?.code).toBe(400)
  expect((await query(`${server}/5/query`, { ...onPoint, where: "T.NAME = 'x'" })).error?.code).toBe(500)
  expect((await query(`${server}/5/query`, { ...onPoint, where: '1=1', outFields: 'NAME' })).error?.code).toBe(400)
  expect(
    (await query(`${server}/5/query`, { ...onPoint, where: '1=1', outFields: '*' })).features[0]?.attributes,
  ).toMatchObject({ 'T.NAME': 'x' })
  expect(
    (await fetch(`${world.url}/maps.example.gov/arcgis/rest/services/Made/MapServer/6/query?where=1%3D1&f=json`))
      .status,
  ).toBe(504)
})

test('services and layers describe themselves, and a missing one is an error in a 200 response', async () => {
  expect(await query(server, { f: 'json' })).toMatchObject({ layers: [{ id: 0, name: 'Zones' }, { id: 5 }, { id: 6 }] })
  expect(await query(`${server}/0`, { f: 'json' })).toMatchObject({
    id: 0,
    name: 'Zones',
    objectIdField: 'OBJECTID',
    maxRecordCount: 2,
    geometryType: 'esriGeometryPolygon',
  })
  expect((await query(`${hosted}/99/query`, onPoint)).error).toMatchObject({ code: 400, message: 'Invalid URL' })
  expect((await query(`${server}/99/query`, onPoint)).error?.code).toBe(500)
  expect(world.unknown.length).toBe(2)
})

test('a URL that is too long is rejected, and the same query works as a POST', async () => {
  const where = `CLASS IN (${Array.from({ length: 2_000 }, (_, index) => index).join(',')})`
  expect(
    (
      await fetch(
        `${world.url}/maps.example.gov/arcgis/rest/services/Made/MapServer/0/query?${new URLSearchParams({ where, f: 'json' }).toString()}`,
      )
    ).status,
  ).toBe(414)
  expect((await zones({ where, returnCountOnly: 'true' }, 'POST')).count).toBe(4)
})
