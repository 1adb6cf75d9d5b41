import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { geoJsonOf } from '../../src/geo/text/geojson.ts'
import { countPositions } from '../../src/geo/measure.ts'
import { simplifyForDrawing, simplifyGeometry } from '../../src/geo/overlay/simplify.ts'
import type { Geometry, Position } from '../../src/model/source.ts'

const geometry = (parts: Partial<Geometry>): Geometry => ({ points: [], lines: [], polygons: [], ...parts })
const square = (w: number, s: number, size: number): Position[] => [
  [w, s],
  [w + size, s],
  [w + size, s + size],
  [w, s + size],
  [w, s],
]
const positions = fc.array(
  fc.tuple(fc.double({ min: -10, max: 10, noNaN: true }), fc.double({ min: -10, max: 10, noNaN: true })),
  { minLength: 2, maxLength: 60 },
)

test('Every position of a line is within the tolerance of the simplified line', () => {
  fc.assert(
    fc.property(positions, fc.double({ min: 0.01, max: 5, noNaN: true }), (line, tolerance) => {
      const [simplified] = simplifyGeometry(geometry({ lines: [line] }), tolerance, 1).lines
      for (const position of line) expect(distanceToLine(position, simplified!)).toBeLessThanOrEqual(tolerance + 1e-9)
      expect(simplified![0]).toEqual(line[0])
      expect(simplified!.at(-1)).toEqual(line.at(-1))
    }),
  )
})

test('A line whose farthest position is always the next one is simplified, too', () => {
  const count = 200_000
  const line = Array.from({ length: count }, (_, i): Position => [i / count, (i % 2 === 0 ? 1 : -1) * (1 - i / count)])
  const [simplified] = simplifyGeometry(geometry({ lines: [line] }), 0.25, 1).lines
  expect(simplified!.length).toBeLessThan(count)
  const kept = new Set(simplified)
  let [last, next] = [0, 0]
  for (const [i, position] of line.entries()) {
    if (kept.has(position)) last = i
    if (next <= i) for (next = i + 1; next < count && !kept.has(line[next]!);) next++
    if (i % 97 === 0 && next < count)
      expect(distanceToLine(position, [line[last]!, line[next]!])).toBeLessThanOrEqual(0.25 + 1e-9)
  }
})

test('A simplified geometry has at most the given number of positions', () => {
  const circle = Array.from({ length: 5000 }, (_, i): Position => {
    const angle = (2 * Math.PI * i) / 4999
    return [Math.cos(angle) + 0.01 * Math.sin(97 * angle), Math.sin(angle)]
  })
  const { geometry: simplified, tolerance_degrees } = simplifyForDrawing(geometry({ polygons: [[circle]] }), 100)
  expect(countPositions(simplified)).toBeLessThanOrEqual(100)
  expect(countPositions(simplified)).toBeGreaterThan(10)
  expect(tolerance_degrees).toBeGreaterThan(0)
})

test('Simplifying ends and keeps a polygon, whatever its shape', () => {
  fc.assert(
    fc.property(positions, fc.integer({ min: 1, max: 50 }), (ring, most) => {
      const closed = [...ring, ring[0]!]
      const { geometry: simplified } = simplifyForDrawing(geometry({ polygons: [[closed]], points: [[1, 1]] }), most)
      expect(simplified.points).toEqual([[1, 1]])
      for (const part of simplified.polygons.flat()) expect(part.at(-1)).toEqual(part[0])
    }),
  )
})

test('GeoJSON has a polygon for each outer ring, with its own holes', () => {
  const rings = [square(0, 0, 10), square(1, 1, 8), square(2, 2, 2), square(20, 0, 5)]
  expect(geoJsonOf(geometry({ polygons: [rings] }))).toEqual({
    type: 'MultiPolygon',
    coordinates: [[square(0, 0, 10), square(1, 1, 8).toReversed()], [square(20, 0, 5)], [square(2, 2, 2)]],
  })
})

test('GeoJSON of a polygon with 20,000 holes has each of them in its outer ring', () => {
  const outer = Array.from({ length: 200_000 }, (_, i): Position => {
    const angle = (2 * Math.PI * (i % 199_999)) / 199_999
    return [400 * Math.cos(angle), 400 * Math.sin(angle)]
  })
  const holes = Array.from({ length: 20_000 }, (_, i) => square(-100 + (i % 200), -50 + Math.floor(i / 200), 0.5))
  const { type, coordinates } = geoJsonOf(geometry({ polygons: [[...holes, outer]] })) as {
    type: string
    coordinates: Position[][]
  }
  expect(type).toBe('Polygon')
  expect(coordinates).toHaveLength(20_001)
  expect(coordinates[0]).toBe(outer)
})

test.each([
  ['nothing', {}, null],
  ['a point', { points: [[1, 2]] }, { type: 'Point', coordinates: [1, 2] }],
  [
    'two points',
    {
      points: [
        [1, 2],
        [3, 4],
      ],
    },
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
  ],
  [
    'a clockwise ring',
    { polygons: [[square(0, 0, 1).toReversed()]] },
    { type: 'Polygon', coordinates: [square(0, 0, 1)] },
  ],
] as [string, Partial<Geometry>, unknown][])('GeoJSON of %s', (_name, parts, expected) => {
  expect(geoJsonOf(geometry(parts))).toEqual(expected as never)
})

function distanceToLine([x, y]: Position, line: Position[]): number {
  return Math.min(
    ...line.map(([bx, by], i) => {
      const [ax, ay] = line[Math.max(0, i - 1)]!
      const length2 = (bx - ax) ** 2 + (by - ay) ** 2
      const along =
        length2 === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2))
      return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay))
    }),
  )
}
