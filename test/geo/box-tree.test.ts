import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildBoxTree, type BoxTree } from '../../src/geo/box-tree.ts'

type At = [number, number, number]
const coordinate = fc.double({ min: -1000, max: 1000, noNaN: true })
const at = fc.tuple(coordinate, coordinate, coordinate)
/** Few positions, so that many items share one. */
const crowded = fc.integer({ min: -3, max: 3 })
const items = fc.oneof(
  fc.array(at, { minLength: 1, maxLength: 200 }),
  fc.array(fc.tuple(crowded, crowded, crowded), { minLength: 1, maxLength: 2000 }),
)
const sizes = { points: 0, boxes: 40 }

test.each(['points', 'boxes'] as const)(
  'a search among %s finds the same items as a linear search, nearest first',
  (kind) => {
    fc.assert(
      fc.property(items, at, fc.constantFrom(1, 1, 2, 10), (all, [x, y, z], limit) => {
        const boxes = Float64Array.from(
          all.flatMap((point, i) => [...point, ...point.map((it) => it + sizes[kind] * ((i % 7) / 7))]),
        )
        const distance2 = (item: number) =>
          (all[item]![0] - x) ** 2 + (all[item]![1] - y) ** 2 + (all[item]![2] - z) ** 2
        const found: number[] = []
        treeOf(boxes).visitNearest(
          { x, y, z },
          {
            maxDistance2: 1000 ** 2,
            accepts: (item) => item % 3 !== 0,
            distance2,
            maxResults: limit,
            onFound: (_item, measured) => found.push(measured) < limit,
          },
        )
        const slow = all
          .map((_, item) => item)
          .filter((item) => item % 3 !== 0)
          .map(distance2)
          .filter((it) => it <= 1000 ** 2)
          .toSorted((a, b) => a - b)
        expect(found).toEqual(slow.slice(0, limit))
      }),
      { numRuns: 300 },
    )
  },
)

test('every item is found exactly once', () => {
  fc.assert(
    fc.property(items, (all: At[]) => {
      const found: number[] = []
      treeOf(Float64Array.from(all.flatMap((point) => [...point, ...point]))).visitNearest(
        { x: 0, y: 0, z: 0 },
        {
          maxDistance2: Infinity,
          accepts: () => true,
          distance2: () => 0,
          onFound: (item) => found.push(item) > 0,
          maxResults: Infinity,
        },
      )
      expect(found.toSorted((a, b) => a - b)).toEqual(all.map((_, item) => item))
    }),
    { numRuns: 100 },
  )
})

test('of items at the same distance, the first one is nearest', () => {
  fc.assert(
    fc.property(items, at, (all: At[], [x, y, z]) => {
      const distances = all.map(([a, b, c]) => (a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2)
      const found: number[] = []
      treeOf(Float64Array.from(all.flatMap((point) => [...point, ...point]))).visitNearest(
        { x, y, z },
        {
          maxDistance2: Infinity,
          accepts: () => true,
          distance2: (item) => distances[item]!,
          onFound: (item) => found.push(item) > 1,
          maxResults: 1,
        },
      )
      expect(found).toEqual([distances.indexOf(Math.min(...distances))])
    }),
    { numRuns: 300 },
  )
})

test('an empty tree finds nothing', () => {
  treeOf(new Float64Array(0)).visitNearest(
    { x: 0, y: 0, z: 0 },
    {
      maxDistance2: Infinity,
      accepts: () => true,
      distance2: () => 0,
      onFound: () => {
        throw new Error('found something')
      },
      maxResults: Infinity,
    },
  )
})

function treeOf(boxes: Float64Array): BoxTree {
  const steps = buildBoxTree(boxes)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
