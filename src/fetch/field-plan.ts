import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Field } from '../catalog/records.ts'
import { vintageNoteOf } from '../catalog/vintage-note.ts'
import type { Log } from '../log.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate, reliabilityOf } from '../model/estimate.ts'
import { Absent, type AbsentReason, type Outcome, type FieldValue } from '../model/outcome.ts'
import type { Freshness, Properties, Value } from '../model/source.ts'
import { CompiledRead, type ReadCompiler } from './compiled-read.ts'
import type { Evaluation, Origin } from './evaluation.ts'
import type { FieldResult } from './fetch-answer.ts'
import type { Evaluable, LocationEvaluation } from './location-evaluation.ts'
import { evaluateParcelField, type ParcelReads } from './parcel-fields.ts'
import type { DatasetHandle } from './source-registry.ts'
import { uncertaintyMembersOf } from './uncertainty.ts'

/** Floats of fields without `decimals` have 9 digits (0.1 m in 10,000 km), more than any source measures. */
const significantDigits = 9

/** The outcome of a field at one place, and its result as the answer has it: as an object and as JSON. */
export type FieldOutcome = {
  value: Value
  /** The JSON of the value. */
  valueJson: string
  /** All members of the result but the value, which come after it. */
  members: ResultMembers
}

/** Members of a result. `json` is their JSON after the value: it begins with a comma instead of a brace. */
export type ResultMembers = { object: WithoutValue<FieldResult>; json: string }

type WithoutValue<Result> = Result extends unknown ? Omit<Result, 'value'> : never

/** Outcomes that a field keeps: more than there are counties. */
const keptOutcomesMax = 4096

/** Returns the result of an outcome. */
export function resultOf({ value, members }: FieldOutcome): FieldResult {
  return { value, ...members.object } as FieldResult
}

function createOutcome(value: Value, members: ResultMembers): FieldOutcome {
  return { value, valueJson: typeof value === 'string' ? JSON.stringify(value) : String(value), members }
}

/**
 * A field, compiled for the sources of this server. The members of its results that do not depend on the place are
 * prepared once for each origin of its values.
 */
export class FieldPlan implements Evaluable {
  readonly field: Field
  readonly #read: CompiledRead
  readonly #primaryHandle: DatasetHandle
  /** Null for a field that is no parcel field. */
  readonly #parcelReads: ParcelReads | null
  readonly #enum: ReadonlySet<Value> | null
  /** Outcomes that the attributes of one feature in memory decide. */
  readonly #outcomesByAttributes = new Map<Properties, FieldOutcome>()
  readonly #preparedMembers = new Map<Origin, Map<AbsentReason | 'ok', ResultMembers>>()

  constructor(field: Field, compiler: ReadCompiler, parcelReads: () => ParcelReads) {
    this.field = field
    this.#read = new CompiledRead(field.read, compiler)
    this.#primaryHandle = compiler.registry.dataset(field.read.dataset)
    this.#parcelReads = field.name.startsWith('parcel_') ? parcelReads() : null
    this.#enum = allowedValuesOf(field)
  }

  /** Returns the value, without the checks of an answer. Throws or rejects with an UpstreamError. */
  evaluate(location: LocationEvaluation): MaybePromise<Evaluation> {
    return location.join(this, () => this.#read.evaluate(location))
  }

  /** Answers the field. An error becomes a failed result of this field only; an aborted signal rejects instead. */
  answer(location: LocationEvaluation, log: Log): MaybePromise<FieldOutcome> {
    try {
      const attributes = this.#parcelReads ? null : this.#read.decidingAttributes(location)
      const known = attributes && this.#outcomesByAttributes.get(attributes)
      if (known) return known
      const evaluation = this.#parcelReads
        ? evaluateParcelField(this, location, this.#parcelReads)
        : this.evaluate(location)
      if (evaluation instanceof Promise)
        return evaluation.then((it) => this.#outcomeOf(it)).catch((error) => this.#failedOutcome(error, location, log))
      const outcome = this.#outcomeOf(evaluation)
      if (attributes) this.#remember(attributes, outcome, evaluation)
      return outcome
    } catch (error) {
      return this.#failedOutcome(error, location, log)
    }
  }

  /** An absent value is not kept, because fallbacks may have been tried for it. */
  #remember(attributes: Properties, outcome: FieldOutcome, { origin, value }: Evaluation): void {
    if (origin !== this.#read.decidedOrigin || value instanceof Absent) return
    if (this.#outcomesByAttributes.size >= keptOutcomesMax) this.#outcomesByAttributes.clear()
    this.#outcomesByAttributes.set(attributes, outcome)
  }

  #outcomeOf(evaluation: Evaluation): FieldOutcome {
    const { value, freshness, date } = evaluation
    const outcome = outcomeOf(this.field, value, this.#enum)
    if (isConstant(this.field, evaluation))
      return createOutcome(outcome.value, this.#preparedMembersOf(outcome, evaluation.origin))
    const result = withProvenance(outcome, this.field, evaluation.origin, date ?? null)
    return outcomeOfResult(freshness ? withFreshness(result, freshness) : result)
  }

  #failedOutcome(error: unknown, { budget: { signal } }: LocationEvaluation, log: Log): MaybePromise<FieldOutcome> {
    // Not thrown at once, because other fields of the request may be waiting.
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    const origin = { handle: this.#primaryHandle, option: null }
    return outcomeOfResult(withProvenance(failureOf(error, this.field, log), this.field, origin, null))
  }

  #preparedMembersOf(outcome: NotedOutcome, origin: Origin): ResultMembers {
    const kind = outcome.status === 'absent' ? outcome.absent_reason : 'ok'
    let ofOrigin = this.#preparedMembers.get(origin)
    if (!ofOrigin) this.#preparedMembers.set(origin, (ofOrigin = new Map()))
    let members = ofOrigin.get(kind)
    if (!members) {
      members = outcomeOfResult(withProvenance(outcome, this.field, origin, null)).members
      ofOrigin.set(kind, members)
    }
    return members
  }
}

/** Whether the members of a result, other than the value, are the same at every place. */
function isConstant({ unit }: Field, { value, origin, date, freshness }: Evaluation): boolean {
  return (
    !(value instanceof Estimate) &&
    !freshness &&
    (date === undefined || date === null || date === origin.option?.vintage) &&
    origin.option?.editedOn === undefined &&
    !(unit === 'm' && origin.handle.dataset.uncertainty)
  )
}

function outcomeOfResult({ value, ...object }: FieldResult): FieldOutcome {
  return createOutcome(value, { object, json: `,${JSON.stringify(object).slice(1)}` })
}

function withFreshness(result: FieldResult, freshness: Freshness): FieldResult {
  if (freshness.cache !== 'stale') return { ...result, cache: freshness.cache }
  const note = `The source failed. This value is ${ageOf(freshness.age_s)} old.`
  return { ...result, cache: 'stale', notes: result.notes === undefined ? note : `${note} ${result.notes}` }
}

function ageOf(age_s: number): string {
  const hours = Math.round(age_s / 3600)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

/** Adds where a value comes from: its source, its vintage and its driver. */
export function withProvenance<O extends { status: Outcome['status']; value: unknown }>(
  outcome: O,
  { unit, ttl_seconds, source_url: fieldSourceUrl }: Field,
  { handle: { dataset }, option }: Origin,
  date: string | null,
) {
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

/** The values that a field may have; null if it may have any. */
function allowedValuesOf({ enum: values, type }: Field): ReadonlySet<Value> | null {
  return values && type !== 'list' ? new Set(values) : null
}

/** Rounds and checks a value as an answer has it. @throws {UpstreamError} `bad_value` or `out_of_range`. */
export function checkedValueOf(field: Field, value: string | number | boolean): string | number | boolean {
  return okOutcomeOf(field, value, allowedValuesOf(field)).value
}

function outcomeOf(field: Field, fieldValue: FieldValue, allowed: ReadonlySet<Value> | null): NotedOutcome {
  if (fieldValue instanceof Absent) return { value: null, status: 'absent', absent_reason: fieldValue.reason }
  if (!(fieldValue instanceof Estimate)) return okOutcomeOf(field, fieldValue, allowed)
  return { ...okOutcomeOf(field, fieldValue.value, allowed), ...marginMembersOf(field, fieldValue) }
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

function okOutcomeOf(
  field: Field,
  fieldValue: string | number | boolean,
  allowed: ReadonlySet<Value> | null,
): OkOutcome {
  if (typeof fieldValue !== typeOf[field.type])
    throw new UpstreamError(
      'bad_value',
      `${field.name} must be ${field.type === 'integer' ? 'an' : 'a'} ${field.type}, but its source returned ${JSON.stringify(fieldValue)}.`,
    )
  if (allowed && !allowed.has(fieldValue))
    throw new UpstreamError(
      'bad_value',
      `${field.name} must be one of ${[...allowed].join(', ')}, but its source returned ${JSON.stringify(fieldValue)}.`,
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

/** The outcome of a field whose evaluation failed. */
export function failureOf(error: unknown, field: Field, log: Log): Extract<Outcome, { status: 'failed' }> {
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
