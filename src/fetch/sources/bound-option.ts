import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { areRecordsDated, dateOfRecords } from '../../catalog/data-date.ts'
import type { Dataset, ReadSpec } from '../../catalog/records.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Estimate } from '../../model/estimate.ts'
import { Absent, fieldValueOf } from '../../model/outcome.ts'
import type { Place } from '../../model/place.ts'
import type { AnySource, Budget, Shape, Value } from '../../model/source.ts'
import type { FieldQuery, LocalRead } from '../../operators/operator.ts'
import { originOf, type Evaluation, type Origin } from '../evaluation.ts'
import type { RowColumn, LocalOption, LocalQuery, LocalSources } from './local-sources.ts'
import type { LocationEvaluation } from '../location-evaluation.ts'
import type { PlaceBlock } from '../place-block.ts'
import { requireNothingMissing } from './schema-changes.ts'
import { trackFreshness } from './source-cache.ts'
import type { DatasetHandle, SourceOption } from './source-registry.ts'

/** Any operator. The catalog has checked that its arguments and its source fit. */
export type AnyOperator = {
  shape: Shape | null
  readsInputs?: true
  localRead?: (args: never) => LocalRead
  run: (args: never, source: never, query: FieldQuery, budget: Budget) => MaybePromise<Value | Estimate | Absent>
}

/** What a read asks an option of its dataset. */
export type OptionQuery = { read: ReadSpec; operator: AnyOperator; query: FieldQuery; location: LocationEvaluation }

/** A read of local features: one query, whose value does not depend on the year, a key or inputs. */
type BoundLocalRead = {
  query: LocalQuery
  read: LocalRead
  /** The query whose features are the coverage of the option; null if it covers all places, or finds out itself. */
  coverage: LocalQuery | null
}

/** The features that decide the value of a read at the places of a block, and those that decide the coverage. */
export type DecidingRows = {
  found: RowColumn
  coverage: RowColumn | null
  reads: LocalRead['reads']
  maxDistance_m: number
  origin: Origin
}

/** A source option as one read uses it. */
export class BoundOption {
  readonly origin: Origin
  readonly #option: SourceOption
  readonly #dataset: Dataset
  readonly #isDated: boolean
  /** Null for a source that is shared within one request only. */
  readonly #localSource: AnySource | null
  readonly #localRead: BoundLocalRead | null

  /** `operator` is null if the read is not the same at every time. */
  constructor(
    option: SourceOption,
    handle: DatasetHandle,
    { read, operator }: { read: ReadSpec; operator: AnyOperator | null },
    localSources: LocalSources,
  ) {
    this.origin = originOf(handle, option, read)
    this.#option = option
    this.#dataset = handle.dataset
    this.#isDated = areRecordsDated(handle.dataset) || option.vintageAt !== undefined
    this.#localSource = option.remote || handle.dataset.shape !== 'features' ? null : localSources.sourceOf(option)
    this.#localRead =
      operator && !areRecordsDated(handle.dataset) ? bindLocalRead(option, operator, read, localSources) : null
  }

  covers(place: Place): boolean {
    return this.#option.covers(place)
  }

  /** Returns the features that alone decide the values at the places of a block; null if more decides them. */
  decidingRows(block: PlaceBlock): DecidingRows | null {
    const { missingOf, schemaChanges } = this.#option
    if (!this.#localRead || missingOf || !schemaChanges.isEmpty) return null
    const { query, coverage, read } = this.#localRead
    if (block.layers === 'ready' && !query.isReady) return null
    return {
      found: query.finder.rowsOf(block),
      coverage: coverage?.finder.rowsOf(block) ?? null,
      reads: read.reads,
      maxDistance_m: query.template.radius_m,
      origin: this.origin,
    }
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
    const { origin } = this
    if (this.#isDated || this.#option.remote) return this.#readDated(optionQuery)
    const value = this.#localRead
      ? readLocally(this.#localRead, optionQuery)
      : this.#run(optionQuery, optionQuery.query, optionQuery.location.budget)
    return value instanceof Promise
      ? value.then((it) => ({ value: fieldValueOf(it), origin }))
      : { value: fieldValueOf(value), origin }
  }

  #readDated(optionQuery: OptionQuery): MaybePromise<Evaluation> {
    const { query, location } = optionQuery
    const { origin } = this
    const records: unknown[] = []
    const datedQuery = this.#isDated
      ? { ...query, onRecordsUsed: (used: readonly unknown[]) => void records.push(...used) }
      : query
    const dateOf = () => dateOfRecords(records, this.#dataset, location.now)
    if (this.#option.remote) return this.#readRemote(optionQuery, datedQuery, dateOf)
    const value = this.#run(optionQuery, datedQuery, location.budget)
    const localDate = () => dateOf() ?? this.#option.vintageAt?.(location.place) ?? null
    return andThen(value, (it) => ({ value: fieldValueOf(it), origin, date: localDate() }))
  }

  async #readRemote(optionQuery: OptionQuery, query: FieldQuery, dateOf: () => string | null): Promise<Evaluation> {
    const { location } = optionQuery
    const { leastFresh, onFreshness } = trackFreshness()
    const answer = this.#run(optionQuery, query, { ...location.budget, onFreshness })
    const value = fieldValueOf(await location.within(Promise.resolve(answer), this.#dataset))
    const freshness = leastFresh()
    // The data may have been added since the stale answer, so only a current answer can be absent.
    if (freshness?.cache === 'stale' && value instanceof Absent) throw freshness.failure
    return { value, origin: this.origin, date: dateOf(), freshness }
  }

  #run({ read, operator, location }: OptionQuery, query: FieldQuery, budget: Budget): ReturnType<AnyOperator['run']> {
    const source = this.#localSource ?? location.sourceOf(this.#option, this.#dataset)
    return operator.run(read as never, source as never, query, budget)
  }
}

/**
 * Returns null if the operator needs more than one query. Also returns null if the features are in files and the query
 * has a radius, because the answer then depends on more than the features that contain the place.
 */
function bindLocalRead(
  option: SourceOption,
  operator: AnyOperator,
  args: ReadSpec,
  localSources: LocalSources,
): BoundLocalRead | null {
  const read = isLocal(option) ? operator.localRead?.(args as never) : null
  if (!read || !isLocal(option) || (option.inFiles && read.query.radius_m > 0)) return null
  const queryOf = (template: LocalRead['query']) => localSources.queryOf(option, template)
  return { read, query: queryOf(read.query), coverage: option.inMemory?.areCoverage ? queryOf({ radius_m: 0 }) : null }
}

function isLocal(option: SourceOption): option is LocalOption {
  return option.inMemory !== undefined || option.inFiles !== undefined
}

function readLocally(
  { query: localQuery, read }: BoundLocalRead,
  { query, location }: OptionQuery,
): MaybePromise<Value | Absent> {
  const features = localQuery.featuresAt(location.at, location.budget)
  return features instanceof Promise ? features.then((it) => read.valueOf(it, query)) : read.valueOf(features, query)
}
