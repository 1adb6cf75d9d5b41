import type { Field } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate, reliabilityOf } from '../model/estimate.ts'
import { Absent, type FieldValue, type Outcome } from '../model/outcome.ts'
import { compilePattern } from '../model/pattern.ts'
import { isMark, placeholderError } from '../model/placeholder.ts'
import { roundTo, roundToDigits } from '../model/round.ts'

/** Floats of fields without `decimals` have 9 digits (0.1 m in 10,000 km), more than any source measures. */
const significantDigits = 9

/** Throws `bad_value` for a text or code that a field cannot have. */
export type ValueCheck = (value: string | number | boolean) => void

/** Compiles what the catalog says about the texts and codes of a field; null if it may have any. */
export function compileValueCheck(field: Field): ValueCheck | null {
  const { enum: values, pattern, type } = field
  if (type === 'list') return null
  if (values) {
    const allowed = new Set<string | number | boolean>(values)
    return (value) => {
      if (!allowed.has(value)) throw notAllowedError(field, value, values)
    }
  }
  if (pattern === undefined) return null
  const matches = compilePattern(pattern)
  return (value) => {
    if (!matches(String(value))) throw noMatchError(field, value)
  }
}

/** Rounds and checks a value as an answer has it. @throws {UpstreamError} `bad_value` or `out_of_range`. */
export function checkedValueOf(field: Field, value: string | number | boolean): string | number | boolean {
  requireTypeOf(field, value)
  compileValueCheck(field)?.(value)
  return roundedOutcomeOf(field, value).value
}

/** Returns the outcome of a value. @throws {UpstreamError} like `okOutcomeOf`. */
export function outcomeOf(field: Field, fieldValue: FieldValue, check: ValueCheck | null): NotedOutcome {
  if (fieldValue instanceof Absent) return { value: null, status: 'absent', absent_reason: fieldValue.reason }
  if (!(fieldValue instanceof Estimate)) return okOutcomeOf(field, fieldValue, check)
  return { ...okOutcomeOf(field, fieldValue.value, check), ...marginMembersOf(field, fieldValue) }
}

/** An outcome, and a note about it. */
export type NotedOutcome = Outcome & { notes?: string }
type OkOutcome = Extract<Outcome, { status: 'ok' }>

function marginMembersOf(
  { type, decimals }: Field,
  { value, margin: { moe_90, note } }: Estimate,
): Pick<OkOutcome, 'moe_90' | 'reliability'> & { notes?: string } {
  const reliability = reliabilityOf(value, moe_90)
  return {
    moe_90: moe_90 === null ? null : roundMargin(moe_90, type === 'integer' ? 0 : decimals),
    ...(reliability && { reliability }),
    ...(note !== undefined && { notes: note }),
  }
}

/** Rounds a margin like its value. One that is not 0 keeps a digit, because 0 means that there is no sampling error. */
function roundMargin(moe_90: number, decimals: number | undefined): number {
  const rounded = roundToDecimals(roundToDigits(moe_90, significantDigits), decimals)
  return rounded === 0 ? Number(moe_90.toPrecision(1)) : rounded
}

/** Rounds and checks a value. @throws {UpstreamError} `bad_value` or `out_of_range`. */
export function okOutcomeOf(field: Field, fieldValue: string | number | boolean, check: ValueCheck | null): OkOutcome {
  requireTypeOf(field, fieldValue)
  check?.(fieldValue)
  return roundedOutcomeOf(field, fieldValue)
}

function requireTypeOf(field: Field, value: string | number | boolean): void {
  if (isMark(value)) throw placeholderError(value)
  if (typeof value === typeOf[field.type]) return
  throw new UpstreamError(
    'bad_value',
    `${field.name} must be ${field.type === 'integer' ? 'an' : 'a'} ${field.type}, but its source returned ${JSON.stringify(value)}.`,
  )
}

/**
 * Checks that a date or a year is not in the future and not before the first one that a field can have.
 * @throws {UpstreamError} `bad_value` for a text that is no date and for the first day of 1970, and `out_of_range`.
 */
export function requirePastDate({ name, unit, earliest = '' }: Field, value: FieldValue, now: Date): void {
  if ((unit !== 'date' && unit !== 'year') || typeof value === 'object') return
  const date = String(value)
  if (unit === 'date' && !/^\d{4}-\d\d-\d\d$/.test(date))
    throw new UpstreamError('bad_value', `${name} must be a date, but its source returned ${JSON.stringify(value)}.`)
  if (date >= epoch.first && date <= epoch.last) throw placeholderError(date)
  // It can be tomorrow already where the publisher is.
  const latest = new Date(now.getTime() + day_ms).toISOString().slice(0, 10)
  if (date >= earliest && date <= latest) return
  throw new UpstreamError(
    'out_of_range',
    `${date} is outside the dates of ${name}, ${earliest || 'open'} to ${latest}.`,
  )
}

const day_ms = 86_400_000
/** What programs make of a time of 0, in UTC and in the time zones of the US, and of seconds in place of milliseconds. */
const epoch = { first: '1969-12-31', last: '1970-01-25' }

function noMatchError({ name, pattern }: Field, value: string | number | boolean): UpstreamError {
  return new UpstreamError(
    'bad_value',
    `${name} must match ${pattern}, but its source returned ${JSON.stringify(String(value).slice(0, 100))}.`,
  )
}

function notAllowedError({ name }: Field, value: string | number | boolean, allowed: Iterable<unknown>): UpstreamError {
  return new UpstreamError(
    'bad_value',
    `${name} must be one of ${[...allowed].join(', ')}, but its source returned ${JSON.stringify(value)}.`,
  )
}

/** @throws {UpstreamError} `bad_value` or `out_of_range`. */
function roundedOutcomeOf(field: Field, fieldValue: string | number | boolean): OkOutcome {
  if (typeof fieldValue !== 'number') return { value: fieldValue, status: 'ok' }
  const value = field.type === 'integer' ? Math.round(fieldValue) : roundToDigits(fieldValue, significantDigits)
  const [min, max] = field.valid_range ?? [null, null]
  if (!Number.isFinite(value))
    throw new UpstreamError('bad_value', `${field.name} must be a finite number, but its source returned ${value}.`)
  if (value >= (min ?? -Infinity) && value <= (max ?? Infinity))
    return { value: roundToDecimals(value, field.decimals), status: 'ok' }
  throw new UpstreamError(
    'out_of_range',
    `${value} is outside the valid range of ${field.name}, ${min ?? 'open'} to ${max ?? 'open'}.`,
  )
}

/** Rounds to the precision of the source, so that `10.8999996` of a 32-bit raster is 10.9. */
function roundToDecimals(value: number, decimals: number | undefined): number {
  return decimals === undefined ? value : roundTo(value, decimals) + 0
}

const typeOf = { string: 'string', list: 'string', integer: 'number', float: 'number', boolean: 'boolean' } as const
