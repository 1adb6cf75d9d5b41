import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import type { FetchAnswer, FieldResult } from '../fetch/fetch-answer.ts'
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
  const [first, second] = [estimateIn(a), estimateIn(b)]
  if (!first || !second || Math.abs(first.value - second.value) > Math.hypot(first.moe_90, second.moe_90)) return ''
  return '; the difference is within the margins of error'
}

function estimateIn({ result }: Fact): { value: number; moe_90: number } | null {
  if (result.status !== 'ok' || typeof result.value !== 'number' || typeof result.moe_90 !== 'number') return null
  return { value: result.value, moe_90: result.moe_90 }
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
