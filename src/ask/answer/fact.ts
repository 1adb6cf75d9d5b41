import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import type { DataGap } from './ask-answer.ts'

/** A field and its result at the place. Answers are written from facts. */
export type Fact = { field: Field; result: FieldResult }

/** Returns the facts of a fetch in its order. */
export function factsOf(results: FetchAnswer['fields'], { fields }: Catalog): Fact[] {
  return Object.entries(results).map(([name, result]) => ({ field: fields.get(name)!, result }))
}

/**
 * Says that the difference of two estimates is not statistically significant at 90 % confidence: it is not larger
 * than the margin of error of the difference. Empty if it is, or if a value has no margin.
 */
export function insignificanceClause(a: Fact, b: Fact): string {
  const margins = [marginIn(a), marginIn(b)].filter((margin) => margin !== null)
  const difference = Math.abs(Number(a.result.value) - Number(b.result.value))
  return margins.length < 2 || difference > Math.hypot(...margins)
    ? ''
    : '; the difference is within the margins of error'
}

/** Returns the margin of error of a value at 90 % confidence; null if it has none. */
export function marginIn({ result }: Fact): number | null {
  return result.status === 'ok' ? (result.moe_90 ?? null) : null
}

/** Returns the fields without a value. */
export function gapsOf(facts: Fact[]): DataGap[] {
  return facts.flatMap(({ field, result }) => {
    if (result.status === 'ok') return []
    return [
      { field: field.name, reason: result.status === 'absent' ? result.absent_reason : result.error.split(':')[0]! },
    ]
  })
}
