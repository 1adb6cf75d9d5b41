import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ringsContain } from '../../src/geo/polygon.ts'

/** A square with a square hole. */
const coordinates = Float64Array.of(0, 0, 10, 0, 10, 10, 0, 10, 0, 0, 4, 4, 4, 6, 6, 6, 6, 4, 4, 4)
const starts = Uint32Array.of(0, 5, 10)
const holds = (x: number, y: number) => ringsContain(coordinates, starts, 0, 2, x, y)

const cases = [
  ['inside', 2, 2, true],
  ['in the hole', 5, 5, false],
  ['outside', 12, 5, false],
  ['level with a corner', -1, 10, false],
  ['between hole and edge', 8, 5, true],
  ['level with the corner of the hole', 2, 4, true],
] as const
test.each(cases)('a point %s', (_name, x, y, expected) => expect(holds(x, y)).toBe(expected))

test('a point on a border of two polygons lies in exactly one of them', () => {
  const part = fc.double({ min: 0.001, max: 0.999, noNaN: true })
  const corner = fc.double({ min: -50, max: 50, noNaN: true })
  fc.assert(
    fc.property(corner, corner, part, (x1, x2, along) => {
      // The border goes from (x1, 0) to (x2, 1), with one polygon on each side.
      const west = Float64Array.of(-100, 0, x1, 0, x2, 1, -100, 1, -100, 0)
      const east = Float64Array.of(x1, 0, 100, 0, 100, 1, x2, 1, x1, 0)
      const one = Uint32Array.of(0, 5)
      const x = x1 + (x2 - x1) * along
      expect(
        [ringsContain(west, one, 0, 1, x, along), ringsContain(east, one, 0, 1, x, along)].filter(Boolean),
      ).toHaveLength(1)
    }),
    { numRuns: 2000 },
  )
})
