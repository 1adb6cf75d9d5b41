import { coreOf } from './core.ts'
import type { Fact } from './fact.ts'
import { shown } from './shown.ts'
import { capital, farThingOf, subjectOf } from './subject.ts'
import { wordsOf } from './words.ts'

/** The sentences that answer a comparison of things with each other: which of two is closer or greater, or all in order. `cite` gives the mark of a fact's source. */
export function comparisonsIn(question: string, facts: Fact[], cite: (fact: Fact) => string): string[] {
  const words = wordsOf(question)
  const asks = (of: Set<string>) => words.some((word) => of.has(word))
  const isAsked = ({ field }: Fact) => asks(comparing) || asks(isDistance(field) ? comparingDistances : comparingSizes)
  const numbers = facts.filter((fact) => fact.field.unit !== null && fact.field.name !== 'utc_offset_standard_hours' && fact.result.status === 'ok' && typeof fact.result.value === 'number' && isAsked(fact))
  const alike = [...Map.groupBy(numbers, ({ field }) => `${field.unit}${isDistance(field)}`).values()].map(ofOneKind).filter(({ length }) => length > 1)
  return alike.map((group) => `${compared(group.toSorted((a, b) => Number(a.result.value) - Number(b.result.value)))} ${[...new Set(group.map(cite))].join('')}.`)
}

const comparing = new Set(['compare', 'compared', 'comparison', 'versus', 'vs', 'difference'])
const comparingDistances = new Set(['closer', 'nearer', 'farther', 'further'])
const comparingSizes = new Set(['higher', 'lower', 'bigger', 'larger', 'smaller', 'greater', 'more', 'less', 'fewer'])

/** The distances; of other figures those whose names share a word with another: incomes with incomes, no homes with roads. */
function ofOneKind(facts: Fact[]): Fact[] {
  const cores = facts.map(({ field }) => new Set(coreOf(field.name)))
  return facts.filter(({ field }, i) => isDistance(field) || cores.some((core, k) => k !== i && !core.isDisjointFrom(cores[i]!)))
}

function isDistance({ name }: Fact['field']): boolean {
  return name.endsWith('_distance_m')
}

function compared(ordered: Fact[]): string {
  const [least, most] = [ordered[0]!, ordered.at(-1)!]
  if (ordered.length > 2) return `Compared, the ${isDistance(least.field) ? 'closest' : 'least'} first: ${ordered.map((it) => `${calledOf(it)}, ${valueOf(it)}`).join('; ')}`
  if (least.result.value === most.result.value) return `${capital(calledOf(least))} and ${calledOf(most)} are the same: ${valueOf(least)}`
  const [first, other] = isDistance(least.field) ? [least, most] : [most, least]
  return `${capital(calledOf(first))} is ${isDistance(first.field) ? 'closer' : 'greater'}: ${valueOf(first)}, against ${valueOf(other)} for ${calledOf(other)}`
}

function calledOf({ field }: Fact): string {
  return isDistance(field) ? farThingOf(field) : subjectOf(field)
}

function valueOf({ field, result }: Fact): string {
  return shown(result.value!, field, null)
}
