import type { Value } from '../model/source.ts'
import { totalOfYear } from './functions/total-of-year.ts'
import { requireNumber } from '../geo/attribute.ts'

type FormulaFunction = { arity: [min: number, max: number]; compute: (...values: Value[]) => Value }

/** The functions of formulas. All return null for null, and for an undefined result (the logarithm of 0). */
export const formulaFunctions: Readonly<Record<string, FormulaFunction>> = {
  floor: numericFunction(Math.floor),
  ln: numericFunction(Math.log),
  tan: numericFunction(Math.tan),
  radians: numericFunction((degrees) => (degrees * Math.PI) / 180),
  /** Linear interpolation from `a` to `b`. `fraction` is 0 to 1. */
  lerp: numericFunction((a, b, fraction) => a + (b - a) * fraction),
  /** Characters from the first index up to the second (exclusive). */
  slice: { arity: [2, 3], compute: sliceText },
  /** Whether a text is in a comma-separated list. */
  one_of: {
    arity: [2, 2],
    compute: (text = null, list = null) => (text === null ? null : String(list).split(',').includes(String(text))),
  },
  weiss6: { arity: [2, 2], compute: weiss6 },
  total_of_year: { arity: [4, 4], compute: totalOfYear },
}

/** Weiss's six slope positions, from the standardized topographic position index and the slope in degrees. */
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
