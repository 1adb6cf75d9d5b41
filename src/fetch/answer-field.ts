import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Field } from '../catalog/records.ts'
import { vintageNoteOf } from '../catalog/vintage-note.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate, reliabilityOf } from '../model/estimate.ts'
import { Absent, type Outcome, type FieldValue } from '../model/outcome.ts'
import type { Freshness } from '../model/source.ts'
import type { Log } from '../log.ts'
import type { FieldResult } from './fetch-answer.ts'
import type { DatasetHandle } from './source-registry.ts'
import type { Evaluation } from './evaluation.ts'
import { uncertaintyMembersOf } from './uncertainty.ts'

/** Floats of fields without `decimals` have 9 digits (0.1 m in 10,000 km), more than any source measures. */
const significantDigits = 9

/**
 * Answers one field. An error becomes a failed result of this field only; an aborted signal rejects instead.
 * `primaryHandle` is the dataset that a failed result names.
 */
export function answerField(
  field: Field,
  primaryHandle: DatasetHandle,
  { evaluate, log, signal }: Deps,
): MaybePromise<FieldResult> {
  try {
    const evaluation = evaluate(field)
    return evaluation instanceof Promise ? evaluation.then(resultOf).catch(failedResult) : resultOf(evaluation)
  } catch (error) {
    return failedResult(error)
  }

  function resultOf(evaluation: Evaluation): FieldResult {
    const { value, freshness } = evaluation
    const result = withProvenance(outcomeOf(field, value), field, evaluation)
    return freshness ? withFreshness(result, freshness) : result
  }

  function failedResult(error: unknown): MaybePromise<FieldResult> {
    // Not thrown at once, because other fields of the request may be waiting.
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    return withProvenance(failureOf(error, field, log), field, { handle: primaryHandle, option: null })
  }
}

type Deps = { evaluate: (field: Field) => MaybePromise<Evaluation>; log: Log; signal: AbortSignal }

function withFreshness(result: FieldResult, freshness: Freshness): FieldResult {
  if (freshness.cache !== 'stale') return { ...result, cache: freshness.cache }
  const note = `The source failed. This value is ${ageOf(freshness.age_s)} old.`
  return { ...result, cache: 'stale', notes: result.notes === undefined ? note : `${note} ${result.notes}` }
}

function ageOf(age_s: number): string {
  const hours = Math.round(age_s / 3600)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

function withProvenance(
  outcome: NotedOutcome,
  { unit, ttl_seconds, source_url: fieldSourceUrl }: Field,
  { handle: { dataset }, option, date }: Pick<Evaluation, 'handle' | 'option' | 'date'>,
): FieldResult {
  const source_url = fieldSourceUrl ?? dataset.source_url
  const vintage = date ?? option?.vintage ?? dataset.vintage ?? option?.editedOn?.() ?? null
  return {
    ...outcome,
    source: dataset.service,
    unit,
    source_url,
    ttl_seconds,
    vintage,
    ...(outcome.status === 'ok' && uncertaintyMembersOf(outcome.value, unit, dataset)),
    ...(vintage === null && outcome.status === 'ok' && { vintage_note: vintageNoteOf(dataset) }),
    driver: option?.driver ?? null,
  }
}

function outcomeOf(field: Field, fieldValue: FieldValue): NotedOutcome {
  if (fieldValue instanceof Absent) return { value: null, status: 'absent', absent_reason: fieldValue.reason }
  if (!(fieldValue instanceof Estimate)) return okOutcomeOf(field, fieldValue)
  return { ...okOutcomeOf(field, fieldValue.value), ...marginMembersOf(field, fieldValue) }
}

type NotedOutcome = Outcome & { notes?: string }
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
  const rounded = roundTo(Number(moe_90.toPrecision(significantDigits)), decimals)
  return rounded === 0 ? Number(moe_90.toPrecision(1)) : rounded
}

function okOutcomeOf(field: Field, fieldValue: string | number | boolean): OkOutcome {
  if (typeof fieldValue !== typeOf[field.type])
    throw new UpstreamError(
      'bad_value',
      `${field.name} must be ${field.type === 'integer' ? 'an' : 'a'} ${field.type}, but its source returned ${JSON.stringify(fieldValue)}.`,
    )
  if (field.enum && field.type !== 'list' && !field.enum.includes(fieldValue as string | number))
    throw new UpstreamError(
      'bad_value',
      `${field.name} must be one of ${field.enum.join(', ')}, but its source returned ${JSON.stringify(fieldValue)}.`,
    )
  if (typeof fieldValue !== 'number') return { value: fieldValue, status: 'ok' }
  const value = field.type === 'integer' ? Math.round(fieldValue) : Number(fieldValue.toPrecision(significantDigits))
  const [min, max] = field.valid_range ?? [null, null]
  if (!Number.isFinite(value))
    throw new UpstreamError('bad_value', `${field.name} must be a finite number, but its source returned ${value}.`)
  if (value >= (min ?? -Infinity) && value <= (max ?? Infinity))
    return { value: roundTo(value, field.decimals), status: 'ok' }
  throw new UpstreamError(
    'out_of_range',
    `${value} is outside the valid range of ${field.name}, ${min ?? 'open'} to ${max ?? 'open'}.`,
  )
}

/** Rounds to the precision of the source, so that `10.8999996` of a 32-bit raster is 10.9. */
function roundTo(value: number, decimals: number | undefined): number {
  return decimals === undefined ? value : Number(value.toFixed(decimals)) + 0
}

const typeOf = { string: 'string', list: 'string', integer: 'number', float: 'number', boolean: 'boolean' } as const

function failureOf(error: unknown, field: Field, log: Log): Outcome {
  if (error instanceof UpstreamError)
    return { value: null, status: 'failed', error: `${error.code}: ${error.message}`, retryable: error.retryable }
  log.error('field_error', { field: field.name, error })
  return {
    value: null,
    status: 'failed',
    error: `internal_error: An internal error occurred while ${field.name} was evaluated.`,
    retryable: false,
  }
}
