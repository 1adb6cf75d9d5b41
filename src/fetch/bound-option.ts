import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import { areRecordsDated, dateOfRecords } from '../catalog/data-date.ts'
import type { ReadSpec } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import type { Estimate } from '../model/estimate.ts'
import { Absent, fieldValueOf } from '../model/outcome.ts'
import type { Place } from '../model/place.ts'
import type { AnySource, Budget, Shape, Value } from '../model/source.ts'
import type { FieldQuery } from '../operators/operator.ts'
import type { Evaluation, Origin } from './evaluation.ts'
import type { LocationEvaluation } from './location-evaluation.ts'
import { memoizeLastPoint } from './memoize-per-request.ts'
import { requireNothingMissing } from './schema-changes.ts'
import { trackFreshness } from './source-cache.ts'
import type { DatasetHandle, SourceOption } from './source-registry.ts'

/** Any operator. The catalog has checked that its arguments and its source fit. */
export type AnyOperator = {
  shape: Shape | null
  run: (args: never, source: never, query: FieldQuery, budget: Budget) => MaybePromise<Value | Estimate | Absent>
}

/** What a read asks an option of its dataset. */
export type OptionQuery = { read: ReadSpec; operator: AnyOperator; query: FieldQuery; location: LocationEvaluation }

/** The feature sources in memory and in packs, each with the answers about its latest point. */
export type LocalSources = Map<SourceOption, AnySource>

/** A source option as one read uses it. */
export class BoundOption {
  readonly #option: SourceOption
  readonly #handle: DatasetHandle
  readonly #origin: Origin
  readonly #isDated: boolean
  /** Null for a source that is shared within one request only. */
  readonly #localSource: AnySource | null

  constructor(option: SourceOption, handle: DatasetHandle, localSources: LocalSources) {
    this.#option = option
    this.#handle = handle
    this.#origin = { handle, option }
    this.#isDated = areRecordsDated(handle.dataset)
    this.#localSource = option.remote || handle.dataset.shape !== 'features' ? null : localOf(option, localSources)
  }

  covers(place: Place): boolean {
    return this.#option.covers(place)
  }

  /** @throws {UpstreamError} if the source cannot answer; the missing names are recorded. */
  evaluate(optionQuery: OptionQuery): MaybePromise<Evaluation> {
    try {
      const evaluation = this.#read(optionQuery)
      return evaluation instanceof Promise
        ? evaluation
            .then((it) => this.#requireComplete(optionQuery, it))
            .catch((error: unknown) => this.#recordMissing(error))
        : this.#requireComplete(optionQuery, evaluation)
    } catch (error) {
      return this.#recordMissing(error)
    }
  }

  #requireComplete({ read }: OptionQuery, evaluation: Evaluation): Evaluation {
    requireNothingMissing(read, this.#option)
    return evaluation
  }

  #recordMissing(error: unknown): never {
    if (error instanceof UpstreamError) this.#option.schemaChanges.recordMissing(error.missing)
    throw error
  }

  #read(optionQuery: OptionQuery): MaybePromise<Evaluation> {
    const origin = this.#origin
    if (this.#isDated || this.#option.remote || this.#option.vintageAt) return this.#readDated(optionQuery)
    const value = this.#run(optionQuery, optionQuery.query, optionQuery.location.budget)
    return value instanceof Promise
      ? value.then((it) => ({ value: fieldValueOf(it), origin }))
      : { value: fieldValueOf(value), origin }
  }

  #readDated(optionQuery: OptionQuery): MaybePromise<Evaluation> {
    const { query, location } = optionQuery
    const origin = this.#origin
    const records: unknown[] = []
    const datedQuery = this.#isDated
      ? { ...query, onRecordsUsed: (used: readonly unknown[]) => void records.push(...used) }
      : query
    const dateOf = () => dateOfRecords(records, this.#handle.dataset, location.now)
    if (this.#option.remote) return this.#readRemote(optionQuery, datedQuery, dateOf)
    const value = this.#run(optionQuery, datedQuery, location.budget)
    const localDate = () => dateOf() ?? this.#option.vintageAt?.(location.place) ?? null
    return andThen(value, (it) => ({ value: fieldValueOf(it), origin, date: localDate() }))
  }

  async #readRemote(optionQuery: OptionQuery, query: FieldQuery, dateOf: () => string | null): Promise<Evaluation> {
    const { location } = optionQuery
    const { leastFresh, onFreshness } = trackFreshness()
    const answer = this.#run(optionQuery, query, { ...location.budget, onFreshness })
    const value = fieldValueOf(await location.within(Promise.resolve(answer), this.#handle.dataset))
    const freshness = leastFresh()
    // The data may have been added since the stale answer, so only a current answer can be absent.
    if (freshness?.cache === 'stale' && value instanceof Absent) throw freshness.failure
    return { value, origin: this.#origin, date: dateOf(), freshness }
  }

  #run({ read, operator, location }: OptionQuery, query: FieldQuery, budget: Budget): ReturnType<AnyOperator['run']> {
    const source = this.#localSource ?? location.sourceOf(this.#option, this.#handle.dataset)
    return operator.run(read as never, source as never, query, budget)
  }
}

function localOf(option: SourceOption, localSources: LocalSources): AnySource {
  const known = localSources.get(option)
  if (known) return known
  const source = memoizeLastPoint(option.source)
  localSources.set(option, source)
  return source
}
