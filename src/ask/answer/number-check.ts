import type { Point } from '../../model/place.ts'
import type { Fact } from './fact.ts'
import { approximateMark, numbersAsDigits } from '../planner/number-words.ts'
import { otherUnitsOf } from './units.ts'

/** What the numbers of an answer may come from: the facts, the place, and the question. */
export type Evidence = { facts: Fact[]; point: Point; question: string }

/**
 * Returns the numbers of an answer, in digits or words, that match no fetched value (in any unit, rounded as written)
 * and no text of the catalog about it.
 */
export function unsupportedNumbers(answer: string, { facts, point, question }: Evidence): string[] {
  const values = [
    ...facts.flatMap(quantitiesOf),
    ...differencesOf(facts),
    ...facts.flatMap(countsOf),
    facts.filter(({ result }) => result.status === 'ok').length,
  ]
  const quotedTexts = facts.flatMap(sourceTexts)
  const quotedNumbers = new Set(quotedTexts.map(datesAsYears).map(numbersAsDigits).flatMap(numbersIn))
  const catalogPhrases = new Set(
    facts
      .flatMap(catalogTexts)
      .map(numbersAsDigits)
      .flatMap((said) =>
        [...said.matchAll(numberPattern)].flatMap(({ 0: written, index }) => withNeighborWords(written, said, index)),
      ),
  )
  const questionNumbers = new Set(numbersIn(numbersAsDigits(question)))
  const text = numbersAsDigits(withoutDatesOf(quotedTexts, answer.replace(ignoredPattern, ' ')))
  return [...text.matchAll(numberPattern)]
    .filter(({ 0: written, index }) => {
      if (
        quotedNumbers.has(normalizeNumber(written)) ||
        withNeighborWords(written, text, index).some((it) => catalogPhrases.has(it))
      )
        return false
      if (questionNumbers.has(normalizeNumber(written)) && isComparison(text.slice(Math.max(0, index - 24), index)))
        return false
      return ![...values, ...(written.includes('.') ? [point.lat, point.lng] : [])].some((value) =>
        isRoundingOf(written, value),
      )
    })
    .map(([written]) => written)
}

/**
 * Numbers that are not values: citation numbers, `upstream_5xx`, the only error code with a digit, and the confidence
 * of all margins of error.
 */
const ignoredPattern = /\[\d{1,3}\]|\bupstream_5xx\b|\b90 ?% confidence\b/g
const numberPattern = /≈?\d[\d,]*(?:\.\d+)?/g

function numbersIn(text: string): string[] {
  return (text.match(numberPattern) ?? []).map(normalizeNumber)
}

function normalizeNumber(text: string): string {
  return text.replaceAll(',', '').replace(approximateMark, '').replace(/\.$/, '')
}

function quantitiesOf({ field, result }: Fact): number[] {
  if (result.status !== 'ok' || typeof result.value !== 'number') return []
  return [result.value, result.moe_90 ?? [], result.uncertainty_m ?? []]
    .flat()
    .flatMap((value) => [value, ...otherUnitsOf({ value, unit: field.unit ?? '' }).map((other) => other.value)])
}

/** Returns the length of a list, and zero for an absent value. */
function countsOf({ field, result }: Fact): number[] {
  if (result.status === 'absent') return [0]
  return result.status === 'ok' &&
    typeof result.value === 'string' &&
    (field.type === 'list' || result.value.includes(';'))
    ? [result.value.split(';').length]
    : []
}

/** A comparison may state a difference. */
function differencesOf(facts: Fact[]): number[] {
  const all = facts.map(quantitiesOf)
  return facts.flatMap((a, i) =>
    facts
      .slice(i + 1)
      .flatMap((b, k) =>
        a.field.unit !== null && a.field.unit === b.field.unit
          ? all[i]!.flatMap((value, unit) =>
              all[i + 1 + k]![unit] === undefined ? [] : [Math.abs(value - all[i + 1 + k]![unit]!)],
            )
          : [],
      ),
  )
}

/** The answer may quote text from the sources. */
function sourceTexts({ result }: Fact): string[] {
  return [result.dataset_vintage ?? '', result.status === 'ok' && typeof result.value === 'string' ? result.value : '']
}

/** The answer may quote text from the catalog, but a number only with the word beside it there: `100-year`. */
function catalogTexts({ field }: Fact): string[] {
  return [
    field.name.replaceAll('_', ' '),
    field.description,
    field.interpretation_hints,
    field.label ?? '',
    ...Object.values(field.class_labels ?? {}),
    field.null_meaning ?? '',
    field.unit ?? '',
  ]
}

/** Returns a number with the word before it, and with the word after it. */
function withNeighborWords(number: string, text: string, index: number): string[] {
  const before = /([a-z\d%]*)[\s-]*$/i.exec(text.slice(Math.max(0, index - 24), index))![1]!.toLowerCase()
  const after = /^[\s-]*([a-z%]*)/i.exec(text.slice(index + number.length))![1]!.toLowerCase()
  return [
    ...(before === '' ? [] : [`${before} ${normalizeNumber(number)}`]),
    ...(after === '' && before !== '' ? [] : [`${normalizeNumber(number)} ${after}`]),
  ]
}

function isComparison(before: string): boolean {
  return /\b(?:than|to|of|within|under|over|above|below|least|most)\s+(?:the\s+)?$/i.test(before)
}

const approximateTolerance = 0.1

/**
 * Whether a number is the value, rounded to the written precision. Trailing zeros of a whole number may be rounding.
 * Approximate numbers in words may be off by a tenth.
 */
function isRoundingOf(text: string, value: number): boolean {
  const digits = normalizeNumber(text)
  const size = Math.abs(value)
  if (text.startsWith(approximateMark))
    return Math.abs(Number(digits) - size) <= size * approximateTolerance * (1 + 1e-9)
  const [whole = '', places = ''] = digits.split('.')
  const zeros = places === '' ? Math.min(trailingZerosOf(whole), whole.length - 1) : 0
  const step = places === '' ? 10 ** zeros : 10 ** -places.length
  const tolerance = Math.max(Math.min(step, size * 0.1) / 2, size * 1e-9)
  return (
    Math.abs(Number(digits) - size) <= tolerance * (1 + 1e-9) || (zeros > 0 && Math.abs(Number(digits) - size) <= 0.5)
  )
}

function trailingZerosOf(digits: string): number {
  let zeros = 0
  while (digits[digits.length - 1 - zeros] === '0') zeros++
  return zeros
}

const datePattern = /\b(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?(?!\d)/g
const monthNames = 'January February March April May June July August September October November December'.split(' ')

/** Replaces the dates in a text, such as 2026-09-24, by their years: their other digits are not numbers. */
function datesAsYears(text: string): string {
  return text.replace(datePattern, '$1')
}

/** Removes the dates of the sources from an answer, as they stand there or with the name of the month. */
function withoutDatesOf(sources: readonly string[], answer: string): string {
  const forms = sources.flatMap((source) => [...source.matchAll(datePattern)].flatMap(writtenForms))
  return forms.toSorted((a, b) => b.length - a.length).reduce((text, form) => text.replaceAll(form, ' '), answer)
}

/** A date as people write it: 2026-09-24, September 24, 2026, 24 September 2026 and September 24, also as Sep. */
function writtenForms([iso, year, month, day]: RegExpExecArray): string[] {
  const name = monthNames[Number(month) - 1]!
  const names = [name, name.slice(0, 3)]
  if (day === undefined) return [iso]
  const number = Number(day)
  return [iso, ...names.flatMap((it) => [`${it} ${number}, ${year}`, `${number} ${it} ${year}`, `${it} ${number}`])]
}
