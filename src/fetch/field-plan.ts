import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import type { Field, Dataset } from '../catalog/records.ts'
import { confidenceOfStale } from '../catalog/confidence.ts'
import { vintageNoteOf } from '../catalog/data-date.ts'
import type { Log } from '../log.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate } from '../model/estimate.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Freshness } from '../model/source.ts'
import { formatTimestamp, groupThousands } from '../model/text.ts'
import {
  compileValueCheck,
  okOutcomeOf,
  outcomeOf,
  requirePastDate,
  type NotedOutcome,
  type ValueCheck,
} from './checked-outcome.ts'
import { firstRowKey, noKey, ownValueKey, type BlockRead } from './block-read.ts'
import { CompiledRead, type ReadCompiler } from './compiled-read.ts'
import { originOf, type Evaluation, type Origin } from './evaluation.ts'
import type { FieldResult } from './fetch-answer.ts'
import {
  FieldOutcome,
  type ResultMembers,
  type TimedByAnswer,
  OutcomeColumn,
  setItem,
  type SharedOutcomes,
} from './outcome-column.ts'
import type { Evaluable, LocationEvaluation } from './location-evaluation.ts'
import { evaluateParcelField, type ParcelReads } from './parcel/parcel-fields.ts'
import type { PlaceBlock } from './place-block.ts'
import type { DatasetHandle } from './sources/source-registry.ts'

/** Members of results that a field keeps for one origin. Records may have many dates. */
const preparedMembersMax = 256

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
  readonly #check: ValueCheck | null
  /** The outcomes that places with the same feature share, and the numbering of their keys. */
  #shared: SharedOutcomes = []
  #numbering: object = this
  /** Places of one county outside a pack share their error. */
  readonly #failedOutcomes = new WeakMap<UpstreamError, FieldOutcome>()
  #ownMembers: { origin: Origin; members: ResultMembers } | null = null
  /** By origin, then by absent reason or `ok`, and date. */
  readonly #preparedMembers = new Map<Origin, Map<string, ResultMembers>>()

  /** `parcelReads`: null for a field that reads no parcel. */
  constructor(field: Field, compiler: ReadCompiler, parcelReads: ParcelReads | null) {
    this.field = field
    this.#read = new CompiledRead(field.read, compiler)
    this.#primaryHandle = compiler.registry.dataset(field.read.dataset)
    this.#parcelReads = parcelReads
    this.#check = compileValueCheck(field)
  }

  /** Returns the value, without the checks of an answer. Throws or rejects with an UpstreamError. */
  evaluate(location: LocationEvaluation): MaybePromise<Evaluation> {
    return location.join(this, () => this.#read.evaluate(location))
  }

  /** The field as an input of others: a value that it cannot have makes them fail as well. */
  readonly asInput: Evaluable = {
    evaluate: (location) =>
      andThen(this.evaluate(location), (evaluation) => {
        requirePastDate(this.field, evaluation.value, location.now)
        outcomeOf(this.field, evaluation.value, this.#check)
        return evaluation
      }),
  }

  /** Answers the field at the places of a block whose features or coordinates decide it. The others stay open. */
  columnOf(block: PlaceBlock): OutcomeColumn {
    const read = this.#parcelReads ? null : this.#read.readBlock(block)
    if (read && read.numbering !== this.#numbering) {
      this.#numbering = read.numbering
      this.#shared = []
    }
    const column = new OutcomeColumn(this.#shared)
    for (let i = 0; i < block.size; i++) {
      const key = read === null ? noKey : read.keyAt(i)
      if (key === ownValueKey) column.addOwn(this.#ownOutcomeAt(i, read!))
      else column.addKey(key)
    }
    return column
  }

  /**
   * Answers the field at a place by itself. An error becomes a failed result of this field only; an aborted signal
   * rejects instead. Without an error, the places with the same key share the outcome if the key decides it.
   */
  answer(location: LocationEvaluation, key: number, log: Log): MaybePromise<FieldOutcome> {
    try {
      const evaluation = this.#parcelReads
        ? evaluateParcelField(this, location, this.#parcelReads)
        : this.evaluate(location)
      if (evaluation instanceof Promise)
        return evaluation
          .then((it) => this.#pastOutcomeOf(it, location))
          .catch((error) => this.#failedOutcome(error, location, log))
      if (key < 0 || (key >= firstRowKey && !this.#read.isDecidedByFeature(evaluation)))
        return this.#pastOutcomeOf(evaluation, location)
      const outcome = this.#pastOutcomeOf(evaluation, location)
      setItem(this.#shared, key, outcome)
      return outcome
    } catch (error) {
      return this.#failedOutcome(error, location, log)
    }
  }

  /** Null if the place must be evaluated, which reports the error, or why there is no value. */
  #ownOutcomeAt(i: number, read: BlockRead): FieldOutcome | null {
    try {
      const value = read.ownValueAt(i)
      if (typeof value === 'object') return null
      return this.#ownOutcomeOf(okOutcomeOf(this.field, value, this.#check).value, read.origin)
    } catch {
      return null
    }
  }

  /** Returns the outcome of a value that is rounded and checked. Most have the members of the one before. */
  #ownOutcomeOf(value: string | number | boolean, origin: Origin): FieldOutcome {
    if (this.#ownMembers?.origin === origin) return new FieldOutcome(value, this.#ownMembers.members)
    const evaluation = { value, origin }
    const outcome = this.#outcomeOf(evaluation)
    if (isConstant(this.field, evaluation)) this.#ownMembers = { origin, members: outcome.members }
    return outcome
  }

  #pastOutcomeOf(evaluation: Evaluation, { now }: LocationEvaluation): FieldOutcome {
    requirePastDate(this.field, evaluation.value, now)
    return this.#outcomeOf(evaluation)
  }

  #outcomeOf(evaluation: Evaluation): FieldOutcome {
    const { value, freshness, date } = evaluation
    const outcome = outcomeOf(this.field, value, this.#check)
    if (isConstant(this.field, evaluation))
      return new FieldOutcome(outcome.value, this.#preparedMembersOf(outcome, evaluation))
    const result = withProvenance(outcome, this.field, evaluation.origin, date ?? null)
    return outcomeOfResult(freshness ? withFreshness(result, freshness) : result)
  }

  #failedOutcome(error: unknown, { budget: { signal } }: LocationEvaluation, log: Log): MaybePromise<FieldOutcome> {
    // Not thrown at once, because other fields of the request may be waiting.
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    const known = error instanceof UpstreamError ? this.#failedOutcomes.get(error) : undefined
    if (known) return known
    const origin = originOf(this.#primaryHandle, null, this.field.read)
    const failure = withProvenance(failureOf(error, this.field, log), this.field, origin, null)
    const outcome = outcomeOfResult({ ...failure, fetched_at: null })
    if (error instanceof UpstreamError) this.#failedOutcomes.set(error, outcome)
    return outcome
  }

  #preparedMembersOf(outcome: NotedOutcome, { origin, date = null }: Evaluation): ResultMembers {
    const kind = `${outcome.status === 'absent' ? outcome.absent_reason : 'ok'} ${date ?? ''}`
    let ofOrigin = this.#preparedMembers.get(origin)
    if (!ofOrigin) this.#preparedMembers.set(origin, (ofOrigin = new Map()))
    let members = ofOrigin.get(kind)
    if (!members) {
      members = outcomeOfResult(withProvenance(outcome, this.field, origin, date)).members
      if (ofOrigin.size >= preparedMembersMax) ofOrigin.clear()
      ofOrigin.set(kind, members)
    }
    return members
  }
}

/** Whether the members of a result, other than the value, are the same at every place with the same date. */
function isConstant({ unit }: Field, { value, origin, freshness }: Evaluation): boolean {
  return (
    !(value instanceof Estimate) &&
    !freshness &&
    origin.option?.editedOn === undefined &&
    !(unit === 'm' && origin.handle.dataset.uncertainty)
  )
}

/** A result without `fetched_at` was read from data of this machine, or computed. */
function outcomeOfResult({ value, ...object }: TimedResult): FieldOutcome {
  return new FieldOutcome(value, { object, json: `,${JSON.stringify(object).slice(1)}` })
}

type TimedResult = TimedByAnswer<FieldResult>

function withFreshness(result: TimedResult, freshness: Freshness): TimedResult {
  const { cache, fetched_ms } = freshness
  const timed = { ...result, cache, fetched_at: formatTimestamp(fetched_ms) }
  if (freshness.cache !== 'stale') return timed
  const note = `The source failed. This value is ${ageOf(freshness.age_s)} old.`
  return {
    ...timed,
    confidence: confidenceOfStale(timed.confidence),
    notes: timed.notes === null ? note : `${note} ${timed.notes}`,
  }
}

function ageOf(age_s: number): string {
  const hours = Math.round(age_s / 3600)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

/** Adds where a value comes from, how far it can be trusted, its vintage and its driver. */
export function withProvenance<O extends { status: Outcome['status']; value: unknown; notes?: string }>(
  outcome: O,
  { unit, ttl_seconds, source_url: fieldSourceUrl }: Field,
  { handle: { dataset }, option, confidence }: Origin,
  date: string | null,
) {
  const dataset_vintage = date ?? option?.vintage ?? dataset.vintage ?? option?.editedOn?.() ?? null
  const { notes = outcome.notes ?? null, ...uncertainty } =
    outcome.status === 'ok' ? uncertaintyMembersOf(outcome.value, unit, dataset) : {}
  return {
    ...outcome,
    source: dataset.service,
    unit,
    source_url: fieldSourceUrl ?? dataset.source_url,
    confidence: outcome.status === 'failed' ? ('unknown' as const) : confidence,
    ttl_seconds,
    dataset_vintage,
    ...uncertainty,
    ...(dataset_vintage === null && outcome.status === 'ok' && { vintage_note: vintageNoteOf(dataset) }),
    notes,
    driver: option?.driver ?? null,
  }
}

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

/** How far a distance to a generalized dataset can be off, in meters; nothing for other values and datasets. */
export function uncertaintyMembersOf(
  value: unknown,
  unit: string | null,
  { uncertainty }: Pick<Dataset, 'uncertainty'>,
): { uncertainty_m?: number; notes?: string } {
  if (!uncertainty || unit !== 'm' || typeof value !== 'number') return {}
  const { share, least_m, most_m, note } = uncertainty
  const uncertainty_m = Math.round(Math.min(Math.max(least_m, share * value), most_m))
  return { uncertainty_m, notes: `${note} The distance can be off by ${groupThousands(uncertainty_m)} m.` }
}
