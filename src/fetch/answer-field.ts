import type { Field } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { Absent, type Outcome, type FieldValue } from '../model/outcome.ts'
import type { Freshness } from '../model/source.ts'
import type { Log } from '../log.ts'
import type { FieldResult } from './fetch-answer.ts'
import type { DatasetHandle } from './source-registry.ts'
import type { FieldEvaluator, Evaluation } from './field-evaluator.ts'

/** What a float is rounded to: a tenth of a metre in 10,000 km, and more than any source knows. */
const significantDigits = 9

/** One field at one place, in its time. Whatever goes wrong in here goes wrong for this field only, but for a client who has gone. */
export async function answerField(
  field: Field,
  primaryHandle: DatasetHandle,
  evaluator: FieldEvaluator,
  { log, signal }: Deps,
): Promise<FieldResult> {
  try {
    const { value, handle, option, freshness } = await evaluator.evaluate(field)
    const result = withProvenance(outcomeOf(field, value), field, handle, option)
    return freshness ? { ...result, ...freshnessMembersOf(freshness) } : result
  } catch (error) {
    signal.throwIfAborted()
    return withProvenance(failureOf(error, field, log), field, primaryHandle, null)
  }
}

/** What answering a field takes beside the asking: the log, and whether the client is still there. */
type Deps = { log: Log; signal: AbortSignal }

function freshnessMembersOf(freshness: Freshness): Pick<FieldResult, 'cache' | 'notes'> {
  if (freshness.cache !== 'stale') return { cache: freshness.cache }
  return { cache: 'stale', notes: `The source failed; this is what it said ${ageOf(freshness.age_s)} ago.` }
}

function ageOf(age_s: number): string {
  const hours = Math.round(age_s / 3600)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

function withProvenance(
  outcome: Outcome,
  { unit, ttl_seconds, source_url: fieldSourceUrl }: Field,
  { dataset }: DatasetHandle,
  option: Evaluation['option'],
): FieldResult {
  const source_url = fieldSourceUrl ?? dataset.source_url
  return {
    ...outcome,
    source: dataset.service,
    unit,
    source_url,
    ttl_seconds,
    vintage: option?.vintage ?? dataset.vintage ?? null,
    driver: option?.driver ?? null,
  }
}

function outcomeOf(field: Field, fieldValue: FieldValue): Outcome {
  if (fieldValue instanceof Absent) return { value: null, status: 'absent', absent_reason: fieldValue.reason }
  if (typeof fieldValue !== typeOf[field.type])
    throw new UpstreamError(
      'bad_value',
      `${field.name} is a ${field.type}, and its source gave ${JSON.stringify(fieldValue)}.`,
    )
  if (typeof fieldValue !== 'number') return { value: fieldValue, status: 'ok' }
  const value = field.type === 'integer' ? Math.round(fieldValue) : Number(fieldValue.toPrecision(significantDigits))
  const [min, max] = field.valid_range ?? [null, null]
  if (!Number.isFinite(value))
    throw new UpstreamError('bad_value', `${field.name} is a number, and its source gave ${value}.`)
  if (value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return { value, status: 'ok' }
  throw new UpstreamError(
    'out_of_range',
    `${value} is not possible for ${field.name}: its range is ${min ?? 'open'} to ${max ?? 'open'}.`,
  )
}

const typeOf = { string: 'string', list: 'string', integer: 'number', float: 'number', boolean: 'boolean' } as const

function failureOf(error: unknown, field: Field, log: Log): Outcome {
  if (error instanceof UpstreamError)
    return { value: null, status: 'failed', error: `${error.code}: ${error.message}`, retryable: error.retryable }
  log.error('field_error', { field: field.name, error })
  return {
    value: null,
    status: 'failed',
    error: `internal_error: ${field.name} could not be worked out, by a fault of ours.`,
    retryable: false,
  }
}
