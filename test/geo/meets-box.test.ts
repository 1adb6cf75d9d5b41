import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { geometryMeetsBox } from '../../src/geo/meets-box.ts'
import type { Extent } from '../../src/model/area.ts'
import type { Geometry, Position } from '../../src/model/source.ts'

const empty: Geometry = { points: [], lines: [], polygons: [] }
const box: Extent = { west: -1, south: -1, east: 1, north: 1 }

/** Whether two convex shapes have a point in common: no side of either separates them. */
function convexShapesMeet(a: readonly Position[], b: readonly Position[]): boolean {
  return [a, b].every((shape) =>
    shape.every(([x, y], i) => {
      const [toX, toY] = shape[(i + 1) % shape.length]!
      const axes = [
        [y - toY, toX - x],
        [toX - x, toY - y],
      ] as const
      return axes.every(([nx, ny]) => {
        const spans = [a, b].map((it) => it.map(([px, py]) => px * nx + py * ny))
        const [one, other] = spans as [number[], number[]]
        return Math.max(...one) >= Math.min(...other) && Math.max(...other) >= Math.min(...one)
      })
    }),
  )
}

const position = fc.tuple(
  fc.integer({ min: -40, max: 40 }),
  fc.integer({ min: -40, max: 40 }),
) as fc.Arbitrary<Position>
const boxRing: Position[] = [
  [-10, -10],
  [10, -10],
  [10, 10],
  [-10, 10],
]
const gridBox: Extent = { west: -10, south: -10, east: 10, north: 10 }

test('A triangle meets a box exactly if no line separates them', () => {
  fc.assert(
    fc.property(fc.tuple(position, position, position), ([a, b, c]) => {
      const area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
      fc.pre(area !== 0)
      const polygon = { ...empty, polygons: [[[a, b, c, a]]] }
      expect(geometryMeetsBox(polygon, gridBox)).toBe(convexShapesMeet([a, b, c], boxRing))
    }),
    { numRuns: 3000 },
  )
})

test('A line meets a box exactly if no line separates them', () => {
  fc.assert(
    fc.property(position, position, (a, b) => {
      expect(geometryMeetsBox({ ...empty, lines: [[a, b]] }, gridBox)).toBe(convexShapesMeet([a, b], boxRing))
    }),
    { numRuns: 3000 },
  )
})

test('A box in the hole of a polygon does not meet it', () => {
  const ring = (size: number): Position[] => boxRing.map(([x, y]) => [(x / 10) * size, (y / 10) * size])
  expect(geometryMeetsBox({ ...empty, polygons: [[ring(3), ring(2)]] }, box)).toBe(false)
  expect(geometryMeetsBox({ ...empty, polygons: [[ring(3)]] }, box)).toBe(true)
})

test('Longitudes repeat after 360 degrees', () => {
  expect(geometryMeetsBox({ ...empty, points: [[-179.5, 52]] }, { west: 179, south: 51, east: 181, north: 53 })).toBe(
    true,
  )
  expect(geometryMeetsBox({ ...empty, points: [[178, 52]] }, { west: 179, south: 51, east: 181, north: 53 })).toBe(
    false,
  )
})
