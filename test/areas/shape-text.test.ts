import { describe, expect, test } from 'bun:test'
import { parseShapeText, shapeTextOf, type AreaSelector } from '../../src/areas/shape/shape-text.ts'

const ring = [
  [-105, 39.7],
  [-104.9, 39.7],
  [-104.9, 39.8],
  [-105, 39.7],
]
const hole = ring.map(([lng, lat]) => [lng! + 0.01, lat! + 0.01]).map((at) => at.map((it) => Number(it.toFixed(7))))
const line = { type: 'LineString', coordinates: ring.slice(0, 2) } as const

const shapes: [text: string, shape: AreaSelector][] = [
  ['county:08031', { county_fips: '08031' }],
  ['parcel:39.7,-105', { parcel_of: { lat: 39.7, lng: -105 } }],
  ['circle:39.7,-105,500', { around: { lat: 39.7, lng: -105, radius_m: 500 } }],
  ['line:39.7,-105;39.7,-104.9', { geometry: { ...line, coordinates: [...line.coordinates] } }],
  [
    'line:39.7,-105;39.7,-104.9|39.7,-105;39.7,-104.9',
    { geometry: { type: 'MultiLineString', coordinates: [line.coordinates, line.coordinates] } },
  ],
  [
    'corridor:60:39.7,-105;39.7,-104.9',
    { corridor: { width_m: 60, line: { ...line, coordinates: [...line.coordinates] } } },
  ],
  [
    'polygon:39.7,-105;39.7,-104.9;39.8,-104.9|39.71,-104.99;39.71,-104.89;39.81,-104.89',
    { geometry: { type: 'Polygon', coordinates: [ring, hole] } },
  ],
  [
    'polygon:39.7,-105;39.7,-104.9;39.8,-104.9||39.71,-104.99;39.71,-104.89;39.81,-104.89',
    { geometry: { type: 'MultiPolygon', coordinates: [[ring], [hole]] } },
  ],
]

describe('the text of an area in a URL', () => {
  test.each(shapes)('%s is written and read', (text, shape) => {
    expect(shapeTextOf(shape)).toBe(text)
    expect(parseShapeText(text)).toEqual(shape)
  })

  test.each([
    '',
    'polygon',
    'polygon:',
    'polygon:1,2;x',
    'county:8',
    'circle:1,2',
    'circle:39.7,-105,-50',
    'circle:39.7,-105,0',
    'corridor:-60:39,-105;40,-105',
    'corridor:0x10:39,-105;40,-105',
    'corridor:0:1,2;3,4',
    'star:1,2',
    'line:1e9,2',
  ])('%p is no area', (text) => expect(parseShapeText(text)).toBeNull())
})
