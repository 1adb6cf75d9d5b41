import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runToEnd } from '../../src/async/incremental-task.ts'
import { segmentDistance2, xyzOf } from '../../src/geo/ecef.ts'
import { buildEdgeIndex, EdgeIndex } from '../../src/geo/edge-index.ts'
import { coordinateStep_degrees, type FlatGeometries } from '../../src/geo/flat-geometries.ts'

type Step = [x: number, y: number]
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
)
/** Few positions, so that many items share one. */
const crowded: fc.Arbitrary<Step> = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }))
const points = fc
  .oneof(fc.array(step, { minLength: 1, maxLength: 200 }), fc.array(crowded, { minLength: 1, maxLength: 2000 }))
  .map((all) => all.map((it) => [it]))
/** Lines of a few short segments, which are not subdivided. */
const lines = fc.array(
  fc
    .tuple(step, fc.array(fc.tuple(fc.nat(5000), fc.nat(5000)), { maxLength: 40 }))
    .map(([first, moves]): Step[] =>
      moves.reduce((line, [dx, dy]): Step[] => [...line, [line.at(-1)![0] + dx, line.at(-1)![1] + dy]], [first]),
    ),
  { minLength: 1, maxLength: 60 },
)

describe.each([
  ['points', points],
  ['lines', lines],
] as const)('a search among %s', (_name, features) => {
  test('finds the same features as a linear search, nearest first', () => {
    fc.assert(
      fc.property(features, step, fc.constantFrom(1e5, 1e6, Infinity), (all, at, radius_m) => {
        const { index, from, distances } = prepare(all, at)
        const search = { maxDistance2: radius_m ** 2, accepts: Uint8Array.from(all, (_, i) => (i % 3 === 0 ? 0 : 1)) }
        const expected = [...distances.entries()]
          .filter(([i, distance2]) => i % 3 !== 0 && distance2 <= search.maxDistance2)
          .toSorted(([i, a], [j, b]) => a - b || i - j)
        const nearest = index.nearest(from, search)
        expect(nearest).toBe(expected[0]?.[0] ?? -1)
        if (nearest >= 0) expect(index.distance2).toBe(expected[0]![1])
        const found = new Map<number, number>()
        let last = 0
        index.visitNearest(from, search, (feature, distance2) => {
          expect(distance2).toBeGreaterThanOrEqual(last)
          last = distance2
          if (!found.has(feature)) found.set(feature, distance2)
          return true
        })
        expect([...found].toSorted(([i, a], [j, b]) => a - b || i - j)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })

  test('stops when the caller has enough', () => {
    fc.assert(
      fc.property(features, step, (all, at) => {
        const { index, from } = prepare(all, at)
        let visits = 0
        index.visitNearest(from, { maxDistance2: Infinity, accepts: null }, () => ++visits < 2)
        expect(visits).toBeLessThanOrEqual(2)
      }),
      { numRuns: 50 },
    )
  })
})

test('an empty index finds nothing', () => {
  const { index, from } = prepare([], [0, 0])
  expect(index.nearest(from, { maxDistance2: Infinity, accepts: null })).toBe(-1)
  index.visitNearest(from, { maxDistance2: Infinity, accepts: null }, () => {
    throw new Error('found something')
  })
})

function prepare(all: Step[][], [x, y]: Step) {
  const vertices = all.flat()
  const shapes: FlatGeometries = {
    coordinates: Int32Array.from(vertices.flat()),
    starts: Uint32Array.from([0, ...all.keys()].map((_, i) => all.slice(0, i).flat().length)),
    polygonRings: Uint32Array.of(all.length),
    polygonFeatures: new Uint32Array(0),
    ringFeatures: Uint32Array.from(all.keys()),
  }
  const index = new EdgeIndex(runToEnd(buildEdgeIndex(shapes, () => true)))
  const from = xyzAt([x, y])
  const distances = all.map((line) =>
    line.reduce((least, end, i) => {
      const [a, b] = [xyzAt(line[Math.max(0, i - 1)]!), xyzAt(end)]
      return Math.min(least, segmentDistance2(from, a.x, a.y, a.z, b.x, b.y, b.z))
    }, Infinity),
  )
  return { index, from, distances }
}

function xyzAt([x, y]: Step) {
  return xyzOf({ lat: y * coordinateStep_degrees, lng: x * coordinateStep_degrees })
}
