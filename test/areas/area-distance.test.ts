import { expect, test } from 'bun:test'
import { distanceBetween, geometriesIntersect, measuredGeometry } from '../../src/areas/area-distance.ts'
import type { FlatPath } from '../../src/model/area.ts'
import { boxRing } from '../packs/encode-wkb.ts'
import { randomStar, seededRandom } from './random-polygons.ts'

const polygonOf = (...rings: FlatPath[]) => measuredGeometry({ polygons: [rings], lines: [], points: [] })
const linesOf = (...lines: FlatPath[]) => measuredGeometry({ polygons: [], lines, points: [] })
const pointsOf = (...points: FlatPath) => measuredGeometry({ polygons: [], lines: [], points })
const boxOf = (...box: [number, number, number, number]) =>
  boxRing(...box)
    .slice(0, -1)
    .flat()

const square = polygonOf(boxOf(-105, 39, -104, 40))
const triangle = [-105, 39, -104, 38, -103, 36]

test.each([
  ['itself, a triangle', polygonOf(triangle), polygonOf(triangle), true],
  ['a line through two of its corners', square, linesOf([-106, 38, -103, 41]), true],
  ['a line along an edge', square, linesOf([-104.8, 40, -104.2, 40]), true],
  ['a polygon on the other side of an edge', square, polygonOf(boxOf(-104, 39.2, -103, 39.8)), true],
  ['a polygon at a corner', square, polygonOf([-104, 40, -103.5, 40.5, -104, 40.5]), true],
  ['a point on an edge', square, pointsOf(-104.5, 40), true],
  ['a point inside', square, pointsOf(-104.5, 39.5), true],
  ['a polygon inside', square, polygonOf(boxOf(-104.6, 39.4, -104.4, 39.6)), true],
  ['a polygon around it', square, polygonOf(boxOf(-110, 35, -100, 45)), true],
  ['a line in its box', polygonOf(triangle), linesOf([-104.9, 37, -104.5, 37]), false],
  ['a polygon with it in a hole', square, polygonOf(boxOf(-110, 35, -100, 45), boxOf(-106, 38, -103, 41)), false],
  ['a line a meter away', square, linesOf([-104.8, 40.00001, -104.2, 40.00001]), false],
  ['a line, which is an area, and a point on it', linesOf([-105, 39, -104, 40]), pointsOf(-104.5, 39.5), true],
] as const)('an area touches %s', (_name, area, feature, expected) => {
  expect(geometriesIntersect(area, feature)).toBe(expected)
})

test('the distance to a line of many vertices is that to the nearest of them', () => {
  const line = linesOf(Array.from({ length: 2002 }, (_, i) => (i % 2 === 0 ? -105 + i / 2000 : 40)))
  for (const lng of [-105, -104.37, -104])
    expect(distanceBetween(line, pointsOf(lng, 40.1), 1e6)).toBeCloseTo(
      distanceBetween(pointsOf(lng, 40), pointsOf(lng, 40.1), 1e6),
    )
})

test('2,000 stars touch a neighbor with a common edge, whatever its direction', () => {
  const random = seededRandom(4711)
  for (let i = 0; i < 2000; i++) {
    const star = randomStar(random, { x: -104, y: 39, size: 0.5, vertices: 3 + Math.floor(6 * random()) })
    const [x1, y1, x2, y2] = star as [number, number, number, number]
    // The triangle on the outer side of the first edge.
    const [x, y] = [(x1 + x2) / 2 + (y2 - y1) / 5, (y1 + y2) / 2 - (x2 - x1) / 5]
    expect(geometriesIntersect(polygonOf(star), polygonOf([x2, y2, x1, y1, x, y]))).toBe(true)
  }
})
