import { expect, test } from 'bun:test'
import { runCoroutine } from '../../src/async/maybe-promise.ts'
import {
  distanceBetween,
  geometriesIntersect,
  measuredGeometry,
  type MeasuredGeometry,
} from '../../src/areas/area-distance.ts'
import { lengthWithin_m } from '../../src/areas/shape/partition.ts'
import type { FlatPath } from '../../src/model/area.ts'
import { boxRing } from '../packs/encode-wkb.ts'
import { randomStar, seededRandom } from './random-polygons.ts'

let turns = 0
const countTurn = () => {
  turns++
  return null
}
const polygonOf = (...rings: FlatPath[]) => measuredGeometry({ polygons: [rings], lines: [], points: [] }, countTurn)
const linesOf = (...lines: FlatPath[]) => measuredGeometry({ polygons: [], lines, points: [] }, countTurn)
const pointsOf = (...points: FlatPath) => measuredGeometry({ polygons: [], lines: [], points }, countTurn)
const boxOf = (...box: [number, number, number, number]) =>
  boxRing(...box)
    .slice(0, -1)
    .flat()

const areTouching = (area: MeasuredGeometry, feature: MeasuredGeometry) =>
  runCoroutine(geometriesIntersect(area, feature)) as boolean
const distanceOf = (a: MeasuredGeometry, b: MeasuredGeometry) => runCoroutine(distanceBetween(a, b, 1e6)) as number

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
  expect(areTouching(area, feature)).toBe(expected)
})

test('the distance to a line of many vertices is that to the nearest of them', () => {
  const line = linesOf(Array.from({ length: 2002 }, (_, i) => (i % 2 === 0 ? -105 + i / 2000 : 40)))
  for (const lng of [-105, -104.37, -104])
    expect(distanceOf(line, pointsOf(lng, 40.1))).toBeCloseTo(distanceOf(pointsOf(lng, 40), pointsOf(lng, 40.1)))
})

test('2,000 stars touch a neighbor with a common edge, whatever its direction', () => {
  const random = seededRandom(4711)
  for (let i = 0; i < 2000; i++) {
    const star = randomStar(random, { x: -104, y: 39, size: 0.5, vertices: 3 + Math.floor(6 * random()) })
    const [x1, y1, x2, y2] = star as [number, number, number, number]
    // The triangle on the outer side of the first edge.
    const [x, y] = [(x1 + x2) / 2 + (y2 - y1) / 5, (y1 + y2) / 2 - (x2 - x1) / 5]
    expect(areTouching(polygonOf(star), polygonOf([x2, y2, x1, y1, x, y]))).toBe(true)
  }
})

/** A polygon with thin teeth of several degrees, which is divided into 50 times as many vertices. */
const teeth = (count: number, shift: number): FlatPath =>
  Array.from({ length: count }, (_, i) => [-105 + (i % 4 < 2 ? 0 : 5), 35 + shift + i / count]).flat()

/** A line within one of the teeth. */
const zigzag = Array.from({ length: 150 }, (_, i) => [-103 + i / 1_000, 35.0166 + (i % 2) / 2_000]).flat()

test.each([
  ['a contact', () => areTouching(polygonOf(teeth(150, 0)), linesOf(zigzag))],
  ['a distance', () => distanceOf(polygonOf(teeth(150, 0)), polygonOf(teeth(150, 2)))],
  ['a length', () => runCoroutine(lengthWithin_m([teeth(150, 0)], [[teeth(150, 0.0001)]], countTurn))],
])('%s of many vertices is computed in many steps, between which others have a turn', async (_what, compute) => {
  turns = 0
  await compute()
  expect(turns).toBeGreaterThan(100)
})

test('a polygon whose edges are too long to divide is too large to measure its distance', () => {
  expect(() => distanceOf(polygonOf(teeth(50_000, 0)), pointsOf(-100, 39))).toThrow('too many vertices')
})

test('lines that cross outlines too often are too large to measure', () => {
  const ring = Array.from({ length: 1_000 }, (_, i) => [-105 + i / 200, i % 2 === 0 ? 34 : 37]).flat()
  const length = lengthWithin_m([teeth(1_000, 0)], [[ring]], countTurn)
  expect(() => runCoroutine(length)).toThrow('more than 200,000 times')
})
