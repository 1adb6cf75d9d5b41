import { expect, test } from 'bun:test'
import { parseEsriGeometry, parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Geometry } from '../../src/model/source.ts'

const geometry = (parts: Partial<Geometry>): Geometry => ({ points: [], lines: [], polygons: [], ...parts })
const square = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
] as [number, number][]

const geojson = [
  ['null', null, {}],
  ['Point', { type: 'Point', coordinates: [-105, 39, 1600] }, { points: [[-105, 39]] }],
  ['an empty Point', { type: 'Point', coordinates: [] }, {}],
  [
    'MultiPoint',
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    {
      points: [
        [1, 2],
        [3, 4],
      ],
    },
  ],
  ['LineString', { type: 'LineString', coordinates: square }, { lines: [square] }],
  ['MultiLineString', { type: 'MultiLineString', coordinates: [square, [], square] }, { lines: [square, square] }],
  ['Polygon', { type: 'Polygon', coordinates: [square, square] }, { polygons: [[square, square]] }],
  ['MultiPolygon', { type: 'MultiPolygon', coordinates: [[square], []] }, { polygons: [[square]] }],
  [
    'GeometryCollection',
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2] },
        { type: 'Polygon', coordinates: [square] },
      ],
    },
    { points: [[1, 2]], polygons: [[square]] },
  ],
] as const
test.each(geojson)('GeoJSON geometries are parsed: %s', (_name, value, expected) =>
  expect(parseGeoJsonGeometry(value)).toEqual(geometry(expected as unknown as Partial<Geometry>)),
)

test.each([
  ['points', 'MultiPoint', [1, 2]],
  ['lines', 'MultiLineString', [[1, 2]]],
] as const)('GeoJSON may have more %s than a function has arguments', (member, type, part) => {
  const count = 1_200_000
  const parsed = parseGeoJsonGeometry({ type, coordinates: Array<unknown>(count).fill(part) })
  expect(parsed[member]).toHaveLength(count)
})

const esri = [
  ['nothing', undefined, {}],
  ['an object without members', {}, {}],
  ['a point', { x: -105, y: 39, spatialReference: { wkid: 4326 } }, { points: [[-105, 39]] }],
  ['a point of NaN', { x: 'NaN', y: 'NaN' }, {}],
  ['a point of null', { x: null, y: null }, {}],
  [
    'points',
    {
      points: [
        [1, 2],
        ['NaN', 'NaN'],
        [3, 4, 5],
      ],
    },
    {
      points: [
        [1, 2],
        [3, 4],
      ],
    },
  ],
  ['paths', { paths: [square, square] }, { lines: [square, square] }],
  ['rings, all of one polygon', { rings: [square, square] }, { polygons: [[square, square]] }],
  ['no rings', { rings: [] }, {}],
] as const
test.each(esri)('Esri JSON geometries are parsed: %s', (_name, value, expected) =>
  expect(parseEsriGeometry(value)).toEqual(geometry(expected as unknown as Partial<Geometry>)),
)

test('Web Mercator is converted to degrees, by the reference of the geometry or of the response', () => {
  const [x, y] = [-11_688_546.533, 4_828_017.093]
  const ofItsOwn = parseEsriGeometry({ x, y, spatialReference: { wkid: 102100, latestWkid: 3857 } })
  expect(ofItsOwn.points[0]![0]).toBeCloseTo(-105, 6)
  expect(ofItsOwn.points[0]![1]).toBeCloseTo(39.74, 2)
  expect(parseEsriGeometry({ x, y }, { wkid: 3857 })).toEqual(ofItsOwn)
})

const wrong = [
  ['a text', () => parseGeoJsonGeometry('POINT(1 2)')],
  ['an unknown type', () => parseGeoJsonGeometry({ type: 'Circle', coordinates: [1, 2] })],
  ['a feature in place of its geometry', () => parseGeoJsonGeometry({ type: 'Feature', geometry: null })],
  ['numbers as text', () => parseGeoJsonGeometry({ type: 'Point', coordinates: ['1', '2'] })],
  ['one number', () => parseGeoJsonGeometry({ type: 'LineString', coordinates: [[1]] })],
  [
    'metres that call themselves degrees',
    () => parseGeoJsonGeometry({ type: 'Point', coordinates: [-11_688_546, 4_828_017] }),
  ],
  ['infinite numbers', () => parseGeoJsonGeometry({ type: 'Point', coordinates: [Infinity, 0] })],
  ['a collection in a collection without end', () => parseGeoJsonGeometry(nested(20))],
  ['Esri: a list', () => parseEsriGeometry([1, 2])],
  ['Esri: curves', () => parseEsriGeometry({ curveRings: [] })],
  ['Esri: another reference', () => parseEsriGeometry({ x: 1, y: 2, spatialReference: { wkid: 4269 } })],
  ['Esri: rings of no positions', () => parseEsriGeometry({ rings: [[1, 2]] })],
] as const
test.each(wrong)('a malformed geometry is bad_response: %s', (_name, read) => {
  expect(read).toThrow(UpstreamError)
  expect(read).toThrow(/malformed geometry/)
})

function nested(depth: number): unknown {
  return depth === 0
    ? { type: 'Point', coordinates: [1, 2] }
    : { type: 'GeometryCollection', geometries: [nested(depth - 1)] }
}
