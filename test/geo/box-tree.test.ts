import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { boxTreeOf } from '../../src/geo/box-tree.ts'

const coordinate = fc.double({ min: -1000, max: 1000, noNaN: true })
const points = fc.array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 1, maxLength: 200 })

test('a search finds what a look at every item would find, nearest first', () => {
  fc.assert(fc.property(points, fc.tuple(coordinate, coordinate, coordinate), fc.integer({ min: 1, max: 10 }), (all, [x, y, z], limit) => {
    const boxes = Float64Array.from(all.flatMap((point) => [...point, ...point]))
    const distance2 = (item: number) => (all[item]![0] - x) ** 2 + (all[item]![1] - y) ** 2 + (all[item]![2] - z) ** 2
    const found: number[] = []
    boxTreeOf(boxes).nearest({ x, y, z }, {
      reach2: 1000 ** 2, accepts: (item) => item % 3 !== 0, distance2,
      found: (_item, measured) => found.push(measured) < limit,
    })
    const slow = all.map((_, item) => item).filter((item) => item % 3 !== 0).map(distance2).filter((it) => it <= 1000 ** 2).toSorted((a, b) => a - b)
    expect(found).toEqual(slow.slice(0, limit))
  }), { numRuns: 300 })
})

test('a tree of nothing finds nothing', () => {
  boxTreeOf(new Float64Array(0)).nearest({ x: 0, y: 0, z: 0 }, {
    reach2: Infinity, accepts: () => true, distance2: () => 0,
    found: () => { throw new Error('found something') },
  })
})
