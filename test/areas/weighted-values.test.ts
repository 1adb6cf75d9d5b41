import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { WeightedValues } from '../../src/areas/weighted-values.ts'

/** The same statistics from all values at once. */
function expectedOf(pairs: readonly (readonly [value: number, weight: number])[]) {
  const total = pairs.reduce((sum, [, weight]) => sum + weight, 0)
  const mean = pairs.reduce((sum, [value, weight]) => sum + value * weight, 0) / total
  const variance = pairs.reduce((sum, [value, weight]) => sum + weight * (value - mean) ** 2, 0) / total
  const sorted = pairs.toSorted(([a], [b]) => a - b)
  const percentile = (share: number) => {
    let sum = 0
    return sorted.find(([, weight]) => (sum += weight) >= share * total * (1 - 1e-12))![0]
  }
  return { mean, sd: Math.sqrt(variance), p10: percentile(0.1), p50: percentile(0.5), p90: percentile(0.9) }
}

test('the statistics are those of all values and weights', () => {
  const pair = fc.tuple(fc.integer({ min: -5000, max: 9000 }), fc.double({ min: 0.001, max: 1, noNaN: true }))
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 60 }), (pairs) => {
      const values = new WeightedValues(0.1)
      for (const [value, weight] of pairs) values.add(value, weight)
      const [found, expected] = [values.statistics(), expectedOf(pairs)]
      expect(found.mean).toBeCloseTo(expected.mean, 4)
      expect(found.sd).toBeCloseTo(expected.sd, 4)
      expect([found.p10, found.p50, found.p90]).toEqual([expected.p10, expected.p50, expected.p90])
      expect([found.min, found.max]).toEqual([Math.min(...pairs.map(([v]) => v)), Math.max(...pairs.map(([v]) => v))])
    }),
    { seed: 20261123 },
  )
})

test('two million values take bins, and percentiles are within half a step', () => {
  const values = new WeightedValues(0.01)
  const count = 2_000_000
  // Every integer once, in another order.
  for (let i = 0; i < count; i++) values.add(((i * 1_234_577) % count) / 1000, 1)
  const { mean, min, max, p10, p50, p90 } = values.statistics()
  expect(mean).toBeCloseTo((count - 1) / 2000, 6)
  expect([min, max]).toEqual([0, (count - 1) / 1000])
  const expected = [200, 1000, 1800]
  for (const [i, found] of [p10, p50, p90].entries()) expect(Math.abs(found - expected[i]!)).toBeLessThan(0.006)
})
