import { describe, expect, test } from 'bun:test'
import { roundTo, roundToDigits } from '../../src/model/round.ts'
import { randomOf } from '../../scripts/bench/random.ts'

/** Numbers of all sizes: any, with few decimals, and in the middle between two results. */
function randomNumbers(count: number): { value: number; decimals: number }[] {
  const random = randomOf(1)
  return Array.from({ length: count }, (_, i) => {
    const decimals = Math.floor(14 * random())
    const value = (random() - 0.5) * 10 ** (24 * random() - 8)
    const steps = Math.round(value * 10 ** decimals)
    return { decimals, value: [value, steps / 10 ** decimals, (steps + 0.5) / 10 ** decimals][i % 3]! }
  })
}

describe('rounding', () => {
  test('to decimals is the same as toFixed', () => {
    const wrong = randomNumbers(50_000).filter(
      ({ value, decimals }) => !Object.is(roundTo(value, decimals), Number(value.toFixed(decimals))),
    )
    expect(wrong).toEqual([])
  })

  test('to digits is the same as toPrecision', () => {
    const wrong = randomNumbers(50_000).filter(
      ({ value }) => !Object.is(roundToDigits(value, 9), Number(value.toPrecision(9))),
    )
    expect(wrong).toEqual([])
  })

  test.each([0, -0, 0.5, 1.5, 2.5, -1e-9, 1e21, 1e300, 5e-324, NaN, Infinity, -Infinity])('of %p', (value) => {
    expect(roundTo(value, 3)).toBe(Number(value.toFixed(3)))
    expect(roundToDigits(value, 9)).toBe(Number(value.toPrecision(9)))
  })
})
