import type { Field } from '../catalog/records.ts'
import { withoutBrackets } from './brackets.ts'
import type { Fact } from './fact.ts'
import { meaningOf } from './meaning.ts'
import { shown } from './shown.ts'
import { capital, small, subjectOf } from './subject.ts'

/** How a sentence is told: the marks of its sources, the unit that was asked for, and whether it says of when its data are. */
export type Telling = { cited: string; asked: string | null; isDated: boolean }

/** A fact as a sentence that can be checked: what it is of, its value with unit and meaning, its vintage and its source. */
export function sentenceOf({ field, result }: Fact, { cited, asked, isDated }: Telling): string {
  if (result.status !== 'ok') return ''
  return `${explained(statement(field, result.value, asked), meaningOf(result.value, field))}${isDated ? ofVintage(result.vintage) : ''} ${cited}.`
}

/** The nearest thing by its name and its distance, in one sentence. */
export function nearestSentence(name: Fact, distance: Fact, { cited, asked, isDated }: Telling): string {
  const far = explained(`${shown(distance.result.value!, distance.field, asked)} away`, meaningOf(distance.result.value!, distance.field))
  return `${capital(subjectOf(name.field))} is ${String(name.result.value)}, ${far}${isDated ? ofVintage(name.result.vintage) : ''} ${cited}.`
}

/** What has no value here, and why: one sentence for all that have none for the same reason from the same source. */
export function absenceSentences(absent: Fact[], cite: (fact: Fact) => string): string[] {
  const whys = Map.groupBy(absent, (fact) => `${absence(fact)} ${cite(fact)}`)
  return [...whys].map(([why, of]) => {
    const named = of.filter(({ field }) => !of.some((it) => it.field.name === field.name.replace(/_distance_m$/, '_name') && it.field !== field)).map(calledOf)
    const all = named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)!} have` : `${named[0]!} has`
    return `${capital(all)} no value here: ${why}.`
  })
}

function calledOf({ field }: Fact): string {
  return `${field.type === 'boolean' ? 'whether ' : ''}${subjectOf(field)}`
}

/** What it means stands in the brackets that are there already, or in its own. */
function explained(text: string, meaning: string | null): string {
  if (meaning === null) return text
  return text.endsWith(')') ? `${text.slice(0, -1)}; ${meaning})` : `${text} (${meaning})`
}

function statement(field: Field, value: string | number | boolean, asked: string | null): string {
  const subject = subjectOf(field)
  if (typeof value === 'boolean') return capital(value ? subject : denied(subject))
  const said = shown(value, field, asked)
  const counted = field.unit === 'count' && value !== 1 ? /^the number of (?!the )(.+)$/.exec(subject)?.[1] : undefined
  if (counted !== undefined) return value === 0 ? `There are no ${counted}` : `There are ${said} ${counted}`
  return `${capital(subject)}${subject.startsWith('How ') ? ':' : ' is'} ${said}`
}

/** The contrary of a sentence, by its first verb, without the brackets that say what would be so. */
function denied(affirmed: string): string {
  const sentence = withoutBrackets(affirmed)
  const negative = sentence.replace(/ (?:(is|are)|(lie|fall|flood|map|take|belong|cover)s)(?= )/i, (_, be: string | undefined, verb: string) => (be === undefined ? ` does not ${verb}` : ` ${be} not`))
  return negative === sentence ? `it is not so that ${sentence}` : negative
}

const reasons = { outside_coverage: 'the place is outside what the source covers', not_mapped: 'the place is not mapped', no_data: 'the source has no data for it', none_within_radius: 'there is none within the distance that is searched' }

function absence({ field: { null_meaning }, result }: Fact): string {
  const reason = result.status === 'absent' ? result.absent_reason : 'no_data'
  if (reason === 'outside_coverage' || null_meaning === null) return reasons[reason]
  return small(null_meaning.split('. ')[0]!.replace(/\.$/, '')).replace(/^(?:the )?point\b/, 'this place').replaceAll('the point', 'this place')
}

function ofVintage(vintage: string | null): string {
  if (vintage === null) return ''
  return /^\d{4}-\d\d/.test(vintage) ? `, as of ${vintage}` : `, data of ${vintage}`
}
