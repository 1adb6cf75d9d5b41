import type { Value } from '../model/source.ts'
import { numeric } from './numeric.ts'

type FormulaFunction = { takes: [least: number, most: number]; of: (...values: Value[]) => Value }

/** What a formula may call. Every one gives null for null, and where it has no number (the logarithm of 0). */
export const formulaFunctions: Readonly<Record<string, FormulaFunction>> = {
  floor: calculation(Math.floor),
  ln: calculation(Math.log),
  tan: calculation(Math.tan),
  radians: calculation((degrees) => (degrees * Math.PI) / 180),
  /** From `a` to `b` by a fraction of 0 to 1. */
  lerp: calculation((a, b, fraction) => a + (b - a) * fraction),
  /** Characters from the first index up to, not with, the second. */
  slice: { takes: [2, 3], of: sliced },
  weiss6: { takes: [2, 2], of: weiss6 },
}

/** Weiss's six slope positions, from the standardised topographic position index and the slope in degrees. */
function weiss6(index: Value = null, slope: Value = null): Value {
  if (index === null || slope === null) return null
  const z = numeric(index)
  if (z < -1) return 'valley'
  if (z < -0.5) return 'lower_slope'
  if (z > 1) return 'ridge'
  if (z > 0.5) return 'upper_slope'
  return numeric(slope) <= 5 ? 'flat' : 'middle_slope'
}

function sliced(text: Value = null, ...limits: Value[]): Value {
  return text === null || limits.includes(null) ? null : String(text).slice(...limits.map(numeric))
}

function calculation(of: (...values: number[]) => number): FormulaFunction {
  return {
    takes: [of.length, of.length],
    of: (...values) => {
      if (values.includes(null)) return null
      const result = of(...values.map(numeric))
      return Number.isFinite(result) ? result : null
    },
  }
}
