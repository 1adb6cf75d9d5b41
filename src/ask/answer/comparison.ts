import { keywordsOf } from '../planner/field-keywords.ts'
import { insignificanceClause, type Fact } from './fact.ts'
import type { UnitSystem } from './display-units.ts'
import { formatValue } from './format-value.ts'
import { capitalize, distanceSubjectOf, subjectOf } from '../planner/subject.ts'
import { splitWords } from '../planner/words.ts'

/** How the sentences of an answer are written: `cite` returns the citation of a fact. */
export type WritingOptions = { cite: (fact: Fact) => string; units: UnitSystem }

/** Returns sentences that answer a comparison: which of two is closer or greater, or all in order. */
export function comparisonSentences(question: string, facts: Fact[], { cite, units }: WritingOptions): string[] {
  const words = splitWords(question)
  const mentions = (of: Set<string>) => words.some((word) => of.has(word))
  const isCompared = ({ field }: Fact) =>
    mentions(comparisonWords) || mentions(isDistance(field) ? distanceWords : sizeWords)
  const numbers = facts.filter(
    (fact) =>
      fact.field.unit !== null &&
      fact.field.name !== 'utc_offset_standard_hours' &&
      fact.result.status === 'ok' &&
      typeof fact.result.value === 'number' &&
      isCompared(fact),
  )
  const groups = [...Map.groupBy(numbers, ({ field }) => `${field.unit}${isDistance(field)}`).values()]
    .map(comparableFacts)
    .filter(({ length }) => length > 1)
  return groups.map(
    (group) =>
      `${comparisonOf(
        group.toSorted((a, b) => Number(a.result.value) - Number(b.result.value)),
        units,
      )} ${[...new Set(group.map(cite))].join('')}.`,
  )
}

const comparisonWords = new Set(['compare', 'compared', 'comparison', 'versus', 'vs', 'difference'])
const distanceWords = new Set(['closer', 'nearer', 'farther', 'further'])
const sizeWords = new Set(['higher', 'lower', 'bigger', 'larger', 'smaller', 'greater', 'more', 'less', 'fewer'])

/**
 * Returns all distances, and of the other numbers only those that share a keyword: incomes can be compared with
 * incomes, but homes cannot be compared with roads.
 */
function comparableFacts(facts: Fact[]): Fact[] {
  const cores = facts.map(({ field }) => new Set(keywordsOf(field.name)))
  return facts.filter(
    ({ field }, i) => isDistance(field) || cores.some((core, k) => k !== i && !core.isDisjointFrom(cores[i]!)),
  )
}

function isDistance({ name }: Fact['field']): boolean {
  return name.endsWith('_distance_m')
}

function comparisonOf(sorted: Fact[], units: UnitSystem): string {
  const valueTextOf = ({ field, result }: Fact) => formatValue(result.value!, field, { units })
  const [least, most] = [sorted[0]!, sorted.at(-1)!]
  if (sorted.length > 2)
    return `In order, ${isDistance(least.field) ? 'closest' : 'lowest'} first: ${sorted.map((it) => `${labelOf(it)}, ${valueTextOf(it)}`).join('; ')}`
  if (least.result.value === most.result.value)
    return `${capitalize(labelOf(least))} and ${labelOf(most)} are the same: ${valueTextOf(least)}`
  const [first, other] = isDistance(least.field) ? [least, most] : [most, least]
  return `${capitalize(labelOf(first))} is ${isDistance(first.field) ? 'closer' : 'greater'}: ${valueTextOf(first)}, compared with ${valueTextOf(other)} for ${labelOf(other)}${insignificanceClause(first, other)}`
}

function labelOf({ field }: Fact): string {
  return isDistance(field) ? distanceSubjectOf(field) : subjectOf(field)
}
