import type { Value } from '../model/source.ts'
import { requireNumber } from './require-number.ts'

type FormulaFunction = { arity: [least: number, most: number]; compute: (...values: Value[]) => Value }

/** What a formula may call. Every one gives null for null, and where it has no number (the logarithm of 0). */
export const formulaFunctions: Readonly<Record<string, FormulaFunction>> = {
  floor: numericFunction(Math.floor),
  ln: numericFunction(Math.log),
  tan: numericFunction(Math.tan),
  radians: numericFunction((degrees) => (degrees * Math.PI) / 180),
  /** From `a` to `b` by a fraction of 0 to 1. */
  lerp: numericFunction((a, b, fraction) => a + (b - a) * fraction),
  /** Characters from the first index up to, not with, the second. */
  slice: { arity: [2, 3], compute: sliceText },
  weiss6: { arity: [2, 2], compute: weiss6 },
}

/** Weiss's six slope positions, from the standardised topographic position index and the slope in degrees. */
function weiss6(index: Value = null, slope: Value = null): Value {
  if (index === null || slope === null) return null
  const z = requireNumber(index)
  if (z < -1) return 'valley'
  if (z < -0.5) return 'lower_slope'
  if (z > 1) return 'ridge'
  if (z > 0.5) return 'upper_slope'
  return requireNumber(slope) <= 5 ? 'flat' : 'middle_slope'
}

function sliceText(text: Value = null, ...limits: Value[]): Value {
  return text === null || limits.includes(null) ? null : String(text).slice(...limits.map(requireNumber))
}

function numericFunction(compute: (...values: number[]) => number): FormulaFunction {
  return {
    arity: [compute.length, compute.length],
    compute: (...values) => {
      if (values.includes(null)) return null
      const result = compute(...values.map(requireNumber))
      return Number.isFinite(result) ? result : null
    },
  }
}
