import type { Field } from '../../catalog/records.ts'
import { withoutBrackets, capitalize, uncapitalize, subjectOf } from '../planner/subject.ts'
import { joinNames } from './answer-lead.ts'
import type { Fact } from './fact.ts'
import { formatValue, type UnitOptions } from './format-value.ts'
import { convertTo, parseUnit } from './units.ts'

/** How a sentence is written: its citations, its units, and whether it states the vintage. */
export type SentenceOptions = UnitOptions & { citations: string; showsVintage: boolean }

/** Returns a fact as a verifiable sentence: subject, value with unit and meaning, vintage and source. */
export function sentenceOf({ field, result }: Fact, options: SentenceOptions): string {
  if (result.status !== 'ok') return ''
  const { citations, showsVintage } = options
  return `${withMeaning(statementOf(field, result.value, options), meaningOf(result.value, field))}${marginClause({ field, result }, options)}${showsVintage ? vintageClause(result.dataset_vintage) : ''} ${citations}.`
}

/** Returns the name and the distance of a nearest feature as one sentence. */
export function nearestSentence(name: Fact, distance: Fact, options: SentenceOptions): string {
  const { citations, showsVintage } = options
  const distanceText = withMeaning(
    `${formatValue(distance.result.value!, distance.field, options)} away`,
    meaningOf(distance.result.value!, distance.field),
  )
  return `${capitalize(subjectOf(name.field))} is ${String(name.result.value)}, ${distanceText}${showsVintage ? vintageClause(name.result.dataset_vintage) : ''} ${citations}.`
}

/** Returns which values are absent and why: two sentences for all with the same reason and source. */
export function absenceSentences(absent: Fact[], cite: (fact: Fact) => string): string[] {
  const byReason = Map.groupBy(absent, (fact) => `${absenceReasonOf(fact)} ${cite(fact)}`)
  return [...byReason].map(([reason, facts]) => {
    const labels = facts
      .filter(
        ({ field }) =>
          !facts.some((it) => it.field.name === field.name.replace(/_distance_m$/, '_name') && it.field !== field),
      )
      .map(labelOf)
    const verb = labels.length > 1 ? 'have' : 'has'
    return `${capitalize(namesWithin(sentenceMax_words - 4, labels))} ${verb} no value here. ${capitalize(reason)}.`
  })
}

/** A longer sentence is hard to read. */
export const sentenceMax_words = 40

/** Joins names, as many as the words allow, but at least one, and says how many more there are. */
export function namesWithin(max_words: number, names: string[]): string {
  let words = 3
  const cut = names.findIndex((name, i) => (words += name.split(/\s+/).length) > max_words && i > 0)
  return joinNames(cut < 0 ? names : [...names.slice(0, cut), `${names.length - cut} more`])
}

function labelOf({ field }: Fact): string {
  return `${field.type === 'boolean' ? 'whether ' : ''}${subjectOf(field)}`
}

/** Adds the meaning to the parentheses at the end of the text, or in its own. */
function withMeaning(text: string, meaning: string | null): string {
  if (meaning === null) return text
  return text.endsWith(')') ? `${text.slice(0, -1)}; ${meaning})` : `${text} (${meaning})`
}

function statementOf(field: Field, value: string | number | boolean, units: UnitOptions): string {
  const subject = subjectOf(field)
  if (typeof value === 'boolean') return capitalize(value ? subject : negate(subject))
  const valueText = formatValue(value, field, units)
  const countedNoun =
    field.unit === 'count' && value !== 1 ? /^the number of (?!the )(.+)$/.exec(subject)?.[1] : undefined
  if (countedNoun !== undefined)
    return value === 0 ? `There are no ${countedNoun}` : `There are ${valueText} ${countedNoun}`
  return `${capitalize(subject)}${subject.startsWith('How ') ? ':' : ' is'} ${valueText}`
}

/** The margin of error of an estimate, or the uncertainty of a distance. */
function marginClause({ field, result }: Fact, units: UnitOptions): string {
  if (result.status !== 'ok') return ''
  if (result.uncertainty_m !== undefined) return `, give or take ${formatValue(result.uncertainty_m, field, units)}`
  if (result.moe_90 === undefined) return ''
  if (result.moe_90 === null) return ', without a margin of error'
  const margin = field.unit === '%' ? `${result.moe_90} percentage points` : formatValue(result.moe_90, field, units)
  return `, ±${margin} at 90% confidence${result.reliability === 'low' ? ' (low reliability)' : ''}`
}

/** Negates a sentence by its first verb, without its parentheses, which describe the positive case. */
function negate(positive: string): string {
  const sentence = withoutBrackets(positive)
  const negative = sentence.replace(
    / (?:(is|are)|(lie|fall|flood|map|take|belong|cover)s)(?= )/i,
    (_, be: string | undefined, verb: string) => (be === undefined ? ` does not ${verb}` : ` ${be} not`),
  )
  return negative === sentence ? `this is false: ${sentence}` : negative
}

const absenceReasons = {
  outside_coverage: 'the place is outside what the source covers',
  not_mapped: 'the place is not mapped',
  no_data: 'the source has no data for it',
  none_within_radius: 'there is none within the distance that is searched',
}

function absenceReasonOf({ field: { null_meaning }, result }: Fact): string {
  const reason = result.status === 'absent' ? result.absent_reason : 'no_data'
  if (reason === 'outside_coverage' || null_meaning === null) return absenceReasons[reason]
  return uncapitalize(null_meaning.split('. ')[0]!.replace(/\.$/, ''))
    .replace(/^(?:the )?point\b/, 'this place')
    .replaceAll('the point', 'this place')
}

function vintageClause(vintage: string | null): string {
  if (vintage === null) return ''
  return /^\d{4}-\d\d/.test(vintage) ? `, as of ${vintage}` : `, data of ${vintage}`
}

/** Hints in the built-in catalog have at most about 400 characters. Those of an overlay can have any length. */
const hintsMax = 600

/**
 * Returns what a value means, or null: the label of its class, else what the interpretation hints say about it, without
 * the parentheses in them.
 */
export function meaningOf(
  value: string | number | boolean,
  { interpretation_hints, class_labels, unit }: Pick<Field, 'interpretation_hints' | 'class_labels' | 'unit'>,
): string | null {
  const label = class_labels?.[String(value)]
  if (label !== undefined) return label
  const clauses = interpretation_hints
    .slice(0, hintsMax)
    .split(/(?<=[.;])\s+/)
    .map((clause) => clause.replace(/[.;]$/, ''))
  const meanings =
    typeof value === 'number'
      ? clauses
          .flatMap((clause) => clause.split(/,\s+(?![^(]*\))/))
          .flatMap((part) => meaningOfNumber(value, part, unit) ?? [])
      : clauses.flatMap((clause) => meaningOfKey(String(value), clause) ?? [])
  const meaning = meanings
    .find((it) => !/^(?:in )?the source$/.test(it))
    ?.replace(/^(?:\([^)]*\)|cm|m|km|ft)\s*:\s*/, '')
  return meaning === undefined ? null : withoutBrackets(meaning).trim() || null
}

/** Parses `A, AE: 1-percent-annual-chance flood area`: keys, a colon, and their meaning. */
function meaningOfKey(value: string, clause: string): string | null {
  const at = clause.indexOf(': ')
  if (at < 0) return null
  const keys = clause
    .slice(0, at)
    .split(/,\s*|\s+(?:and|or)\s+/)
    .map((key) => key.replace(/^['"]|['"]$/g, ''))
  return keys.includes(value) ? clause.slice(at + 2) : null
}

const rangePattern =
  /^(-?\d[\d,.]*)\s*(?:-|to)\s*(-?\d[\d,.]*)\s+(?:(?:m|km|cm|mm|ft|in)\s+)?(?:(?:is|means)\s+)?([a-z].*)$/
const boundPattern =
  /^(?:(?:and|or)\s+)?(under|below|less than|above|over|more than)\s+(-?\d[\d,.]*)\s*(%|[a-zA-Z]+\b)?:?\s*(.*)$/i

/** Parses `51-100 moderate`, `Under 250 is desert`, `over 50 km interpolate`. */
function meaningOfNumber(value: number, part: string, unit: string | null): string | null {
  const range = rangePattern.exec(part)
  if (range) return value >= parseNumber(range[1]!) && value <= parseNumber(range[2]!) ? range[3]! : null
  const bound = boundPattern.exec(part)
  if (!bound) return null
  const [, side, limitText, unitWord = '', rest = ''] = bound
  const limit = parseNumber(limitText!)
  const limitUnit = unitWord === '%' ? '%' : parseUnit(unitWord)
  const comparable = limitUnit === null ? value : convertTo({ value, unit: unit ?? '' }, limitUnit)
  if (comparable === null || limit === 0) return null
  const isMatch = /under|below|less/i.test(side!) ? comparable < limit : comparable > limit
  const meaning = (limitUnit === null ? `${unitWord} ${rest}` : rest).trim().replace(/^(?:is|means|suggests)\s+/, '')
  return isMatch && meaning !== '' ? meaning : null
}

function parseNumber(text: string): number {
  return Number(text.replaceAll(',', ''))
}
