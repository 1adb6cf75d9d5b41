import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { editDistanceWithin } from '../../src/packs/addresses/street-score.ts'

/** The distance by its definition. */
function editDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const isSame = a.at(-1) === b.at(-1)
  const isSwap = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
  return Math.min(
    editDistance(a.slice(0, -1), b) + 1,
    editDistance(a, b.slice(0, -1)) + 1,
    editDistance(a.slice(0, -1), b.slice(0, -1)) + (isSame ? 0 : 1),
    ...(isSwap ? [editDistance(a.slice(0, -2), b.slice(0, -2)) + 1] : []),
  )
}

test('the edit distance is exact up to its limit, and larger above it', () => {
  const word = fc.string({ unit: fc.constantFrom('A', 'B', 'C'), maxLength: 6 })
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 6 }), (a, b, limit) => {
      const [distance, found] = [editDistance(a, b), editDistanceWithin(a, b, limit)]
      if (distance <= limit) expect(found).toBe(distance)
      else expect(found).toBeGreaterThan(limit)
    }),
    { numRuns: 500 },
  )
})
