import type { Static } from '@sinclair/typebox'
import { attributeOf, numberOf } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Margin } from '../../model/estimate.ts'
import type { Properties } from '../../model/source.ts'
import { t } from '../operator.ts'

/** How a table publishes the margins of error of its estimates, at 90 % confidence. */
export const marginRulesSchema = t.Object({
  /** The ends of the names of an estimate and of its margin: `B01003_001E` has `B01003_001M`. */
  suffixes: t.Tuple([t.String({ minLength: 1 }), t.String({ minLength: 1 })]),
  /** Numbers in place of a margin: the margin that they stand for, null if there is none, and why. */
  codes: t.Record(t.String(), t.Object({ moe_90: t.Union([t.Literal(0), t.Null()]), note: t.String() })),
})
export type MarginRules = Static<typeof marginRulesSchema>

/** Returns the margin that a row has for the estimate in a column; null if the column is not an estimate. */
export function publishedMargin(row: Properties, column: string, { suffixes, codes }: MarginRules): Margin | null {
  const [estimateEnd, marginEnd] = suffixes
  if (!column.endsWith(estimateEnd)) return null
  const raw = attributeOf(row, column.slice(0, -estimateEnd.length) + marginEnd)
  if (raw === undefined) return { moe_90: null, note: 'The source that answered has no margins of error.' }
  if (raw === null || raw === '') return { moe_90: null, note: 'The publisher gives no margin of error here.' }
  const moe_90 = numberOf(raw)
  const code = String(moe_90)
  if (Object.hasOwn(codes, code)) return codes[code]!
  if (moe_90 === null || !(moe_90 >= 0 && moe_90 < Infinity))
    throw new UpstreamError(
      'bad_value',
      `The source returned the margin of error ${JSON.stringify(raw)}. Expected a number of at least 0.`,
    )
  return { moe_90 }
}

/** An estimate whose margin of error is known. */
export type KnownEstimate = { value: number; moe_90: number }

// The formulas of the Census Bureau: "Understanding and Using American Community Survey Data", chapter 8.

/** The margin of a sum. Of the estimates that are 0, only the largest margin counts. */
export function marginOfSum(parts: readonly KnownEstimate[]): number {
  const zeros = parts.filter(({ value }) => value === 0).map(({ moe_90 }) => moe_90)
  const others = parts.filter(({ value }) => value !== 0).map(({ moe_90 }) => moe_90)
  return Math.hypot(Math.max(0, ...zeros), ...others)
}

/** The margin of a proportion, whose numerator is a part of its denominator. */
export function marginOfProportion(part: KnownEstimate, whole: KnownEstimate): number {
  const proportion = part.value / whole.value
  const variance = part.moe_90 ** 2 - (proportion * whole.moe_90) ** 2
  return variance < 0 ? marginOfRatio(part, whole) : Math.sqrt(variance) / whole.value
}

/** The margin of a ratio, whose numerator is not a part of its denominator. */
export function marginOfRatio(numerator: KnownEstimate, denominator: KnownEstimate): number {
  const ratio = numerator.value / denominator.value
  return Math.hypot(numerator.moe_90, ratio * denominator.moe_90) / denominator.value
}
