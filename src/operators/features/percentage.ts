import { Estimate } from '../../model/estimate.ts'
import type { Properties } from '../../model/source.ts'
import { cleanValue } from '../value/clean-value.ts'
import {
  marginOfProportion,
  marginOfSum,
  publishedMargin,
  type KnownEstimate,
  type MarginRules,
} from '../value/margin-of-error.ts'
import { t } from '../operator.ts'
import { requireAttribute, requireNumber } from '../../geo/attribute.ts'

/** A percentage: the sum of the columns `parts` in the column `whole`, of which they are parts. */
export const percentageSchema = t.Object({ parts: t.Array(t.String(), { minItems: 1 }), whole: t.String() })

type Percentage = { parts: string[]; whole: string }
type Rules = { sentinels?: (string | number)[]; margins?: MarginRules }

/**
 * Returns a percentage from a row, with its margin of error if the table has margins. Null if a column has no value,
 * or if the whole is 0.
 */
export function percentageOf(
  row: Properties,
  { parts, whole }: Percentage,
  { sentinels = [], margins }: Rules,
): number | Estimate | null {
  const total = numberIn(row, whole, sentinels)
  const numbers = parts.map((column) => numberIn(row, column, sentinels)).filter((value) => value !== null)
  if (total === null || total === 0 || numbers.length < parts.length) return null
  const sum = numbers.reduce((a, b) => a + b, 0)
  const percentage = (100 * sum) / total
  if (!margins) return percentage
  const estimates: KnownEstimate[] = []
  for (const [i, column] of [whole, ...parts].entries()) {
    const margin = publishedMargin(row, column, margins)
    if (margin === null) return percentage
    const { moe_90 } = margin
    if (moe_90 === null) return new Estimate(percentage, margin)
    estimates.push({ value: [total, ...numbers][i]!, moe_90 })
  }
  const [denominator, ...summands] = estimates
  const numerator = { value: sum, moe_90: marginOfSum(summands) }
  return new Estimate(percentage, { moe_90: 100 * marginOfProportion(numerator, denominator!) })
}

function numberIn(row: Properties, column: string, sentinels: (string | number)[]): number | null {
  const value = cleanValue(requireAttribute(row, column), { sentinels })
  return value === null ? null : requireNumber(value)
}
