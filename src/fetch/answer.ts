import type { Field } from '../catalog/entry.ts'
import { UpstreamError } from '../model/error.ts'
import { Absent, type Outcome, type Reading } from '../model/outcome.ts'
import type { Freshness } from '../model/source.ts'
import type { Log } from '../log.ts'
import type { FieldResult } from './fetch-answer.ts'
import type { Shelf } from './library.ts'
import type { Asking, Settled } from './reading.ts'

/** What a float is rounded to: a tenth of a metre in 10,000 km, and more than any source knows. */
const digits = 9

/** One field at one place, in its time. Whatever goes wrong in here goes wrong for this field only, but for a client who has gone. */
export async function answer(field: Field, first: Shelf, asking: Asking, { log, signal }: Means): Promise<FieldResult> {
  try {
    const { reading, shelf, way, freshness } = await asking.field(field)
    const result = withProvenance(outcomeOf(field, reading), field, shelf, way)
    return freshness ? { ...result, ...said(freshness) } : result
  } catch (error) {
    signal.throwIfAborted()
    return withProvenance(failureOf(error, field, log), field, first, null)
  }
}

/** What answering a field takes beside the asking: the log, and whether the client is still there. */
type Means = { log: Log; signal: AbortSignal }

function said(freshness: Freshness): Pick<FieldResult, 'cache' | 'notes'> {
  if (freshness.cache !== 'stale') return { cache: freshness.cache }
  return { cache: 'stale', notes: `The source failed; this is what it said ${ageOf(freshness.age_s)} ago.` }
}

function ageOf(age_s: number): string {
  const hours = Math.round(age_s / 3600)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

function withProvenance(outcome: Outcome, { unit, ttl_seconds, source_url: own }: Field, { dataset }: Shelf, way: Settled['way']): FieldResult {
  const source_url = own ?? dataset.source_url
  return { ...outcome, source: dataset.service, unit, source_url, ttl_seconds, vintage: way?.vintage ?? dataset.vintage ?? null, driver: way?.driver ?? null }
}

function outcomeOf(field: Field, reading: Reading): Outcome {
  if (reading instanceof Absent) return { value: null, status: 'absent', absent_reason: reading.reason }
  if (typeof reading !== typeOf[field.type]) throw new UpstreamError('bad_value', `${field.name} is a ${field.type}, and its source gave ${JSON.stringify(reading)}.`)
  if (typeof reading !== 'number') return { value: reading, status: 'ok' }
  const value = field.type === 'integer' ? Math.round(reading) : Number(reading.toPrecision(digits))
  const [least, greatest] = field.valid_range ?? [null, null]
  if (!Number.isFinite(value)) throw new UpstreamError('bad_value', `${field.name} is a number, and its source gave ${value}.`)
  if (value >= (least ?? -Infinity) && value <= (greatest ?? Infinity)) return { value, status: 'ok' }
  throw new UpstreamError('out_of_range', `${value} is not possible for ${field.name}: its range is ${least ?? 'open'} to ${greatest ?? 'open'}.`)
}

const typeOf = { string: 'string', list: 'string', integer: 'number', float: 'number', boolean: 'boolean' } as const

function failureOf(error: unknown, field: Field, log: Log): Outcome {
  if (error instanceof UpstreamError) return { value: null, status: 'failed', error: `${error.code}: ${error.message}`, retryable: error.retryable }
  log.error('field_fault', { field: field.name, error })
  return { value: null, status: 'failed', error: `internal_error: ${field.name} could not be worked out, by a fault of ours.`, retryable: false }
}
