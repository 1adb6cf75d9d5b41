import { andThen, runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { areRecordsDated, dateOfRecords } from '../catalog/data-date.ts'
import { fillYear } from '../catalog/resolve-read.ts'
import type { FallbackSpec, Field, ReadSpec } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate, type Margin } from '../model/estimate.ts'
import { Absent, noData, outsideCoverage, fieldValueOf } from '../model/outcome.ts'
import type { Place, Point } from '../model/place.ts'
import type { AnySource, Budget, Shape, Value } from '../model/source.ts'
import { compileExpression } from '../operators/expression.ts'
import type { FieldQuery } from '../operators/operator.ts'
import { operators } from '../operators/operators.ts'
import { coalesceRadii } from './coalesce-radii.ts'
import {
  computedOption,
  fallbackConditionOf,
  preferRetryable,
  type Evaluation,
  type FallbackCondition,
} from './evaluation.ts'
import type { FieldDeadlines } from './field-deadlines.ts'
import { memoizePerRequest } from './memoize-per-request.ts'
import { requireNothingMissing } from './schema-changes.ts'
import { trackFreshness } from './source-cache.ts'
import type { SourceRegistry, DatasetHandle, SourceOption } from './source-registry.ts'

/** Any operator. The catalog has checked that its arguments and its source fit. */
type AnyOperator = {
  shape: Shape | null
  run: (args: never, source: never, query: FieldQuery, budget: Budget) => MaybePromise<Value | Estimate | Absent>
}

type Deps = { catalog: Catalog; registry: SourceRegistry; now: () => Date; deadlines: FieldDeadlines }

/**
 * Evaluates fields at one place. A field that has to wait is evaluated once, and each query to a source is sent once. A
 * field is evaluated without a promise if no source that it reads returns one.
 */
export class FieldEvaluator {
  readonly #place: Place
  readonly #at: Point
  readonly #budget: Budget
  readonly #deps: Deps
  readonly #now: Date
  #pending: Map<Field, Promise<Evaluation>> | null = null
  readonly #sharedSources = new Map<SourceOption, AnySource>()

  constructor(place: Place, budget: Budget, deps: Deps) {
    this.#place = place
    this.#at = { lat: place.lat, lng: place.lng }
    this.#budget = budget
    this.#deps = deps
    this.#now = deps.now()
  }

  /** Throws or rejects with an UpstreamError when no option and no fallback can answer. */
  evaluate(field: Field): MaybePromise<Evaluation> {
    const pending = this.#pending?.get(field)
    if (pending) return pending
    const evaluation = this.evaluateRead(field.read)
    // Local data is read again instead: that costs less than keeping the result.
    if (evaluation instanceof Promise) (this.#pending ??= new Map()).set(field, evaluation)
    return evaluation
  }

  /** Evaluates a read that is no field of its own. */
  evaluateRead(read: ReadSpec): MaybePromise<Evaluation> {
    return read.skip_when === undefined && !read.fallback
      ? this.#evaluateDirectly(read)
      : runCoroutine(this.#evaluateWithFallbacks(read))
  }

  *#evaluateWithFallbacks(read: ReadSpec): Coroutine<Evaluation> {
    if (yield* this.#isSkipped(read))
      return { value: noData, handle: this.#deps.registry.dataset(read.dataset), option: null }
    const first = yield* this.#evaluateOrError(read)
    if (first instanceof UpstreamError) return yield* this.#evaluateFallbacks(read.fallback ?? [], 'failed', first)
    if (!(first.value instanceof Absent)) return first
    return yield* this.#evaluateFallbacks(read.fallback ?? [], fallbackConditionOf(first.value), first)
  }

  *#evaluateOrError(read: ReadSpec): Coroutine<Evaluation | UpstreamError> {
    try {
      return yield* waitFor(this.#evaluateDirectly(read))
    } catch (error) {
      if (error instanceof UpstreamError) return error
      throw error
    }
  }

  /** Returns the first fallback that applies to the condition and covers the place, else the first result. */
  *#evaluateFallbacks(
    fallbacks: FallbackSpec[],
    condition: FallbackCondition,
    first: Evaluation | UpstreamError,
  ): Coroutine<Evaluation> {
    let best = first
    for (const fallback of fallbacks) {
      if (!(fallback.when ?? ['failed']).includes(condition) || (yield* this.#isSkipped(fallback))) continue
      try {
        const evaluation = yield* waitFor(this.evaluateRead(fallback))
        if (evaluation.value !== outsideCoverage) return evaluation
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        if (best instanceof UpstreamError) best = preferRetryable(best, error)
      }
    }
    if (best instanceof UpstreamError) throw best
    return best
  }

  #evaluateDirectly(declared: ReadSpec): MaybePromise<Evaluation> {
    const read =
      'where' in declared && declared.where?.includes('{year')
        ? { ...declared, where: fillYear(declared.where, this.#now.getUTCFullYear()) }
        : declared
    const handle = this.#deps.registry.dataset(read.dataset)
    const { regions } = handle.dataset.coverage
    const { region } = this.#place
    if (regions !== 'everywhere' && (region === null || !regions.includes(region)))
      return { value: outsideCoverage, handle, option: null }
    const needsInputs = read.from && ('expression' in read || 'function' in read)
    const margins: Margins | undefined = 'proportional_to' in read ? {} : undefined
    const inputs = needsInputs ? this.#inputsOf(read.from!, margins) : noInputs
    return inputs instanceof Promise || read.key !== undefined
      ? runCoroutine(this.#evaluateWithKey(read, handle, inputs, margins))
      : this.#evaluateOperation(read, handle, inputs, { margins })
  }

  *#evaluateWithKey(
    read: ReadSpec,
    handle: DatasetHandle,
    pendingInputs: MaybePromise<Inputs | Absent>,
    margins: Margins | undefined,
  ): Coroutine<Evaluation> {
    const inputs = yield* waitFor(pendingInputs)
    if (inputs instanceof Absent || read.key === undefined)
      return yield* waitFor(this.#evaluateOperation(read, handle, inputs, { margins }))
    const key = yield* this.#keyOf([read.key].flat(), read.from)
    if (key instanceof Absent) return { value: key, handle, option: null }
    return yield* waitFor(this.#evaluateOperation(read, handle, inputs, { margins, key }))
  }

  #evaluateOperation(
    read: ReadSpec,
    handle: DatasetHandle,
    inputs: Inputs | Absent,
    { margins, key = null }: { margins: Margins | undefined; key?: string | null },
  ): MaybePromise<Evaluation> {
    if (inputs instanceof Absent) return { value: inputs, handle, option: null }
    const query = { at: this.#at, key, inputs, margins, now: this.#now }
    const { shape, run }: AnyOperator = operators[read.op]
    if (shape !== null) return runCoroutine(this.#tryOptions(read, query, handle))
    return andThen(run(read as never, null as never, query, this.#budget), (value) => ({
      value: fieldValueOf(value),
      handle,
      option: computedOption,
    }))
  }

  /** Returns the result of the first option that covers the place and answers. */
  *#tryOptions(read: ReadSpec, query: FieldQuery, handle: DatasetHandle): Coroutine<Evaluation> {
    let isCovered = !handle.hasAllOptions
    let failure: UpstreamError | null = null
    for (const option of handle.options) {
      if (!option.covers(this.#place)) continue
      isCovered = true
      try {
        const answer = this.#readOption(read, query, handle, option)
        const evaluation = answer instanceof Promise ? yield* waitFor(answer) : answer
        requireNothingMissing(read, option)
        return evaluation
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        option.schemaChanges.recordMissing(error.missing)
        // An option that does not support the query must not hide why another one failed.
        if (failure === null || error.code !== 'unsupported_request') failure = error
      }
    }
    if (!isCovered) return { value: outsideCoverage, handle, option: null }
    throw failure ?? handle.unavailableError()
  }

  #readOption(
    read: ReadSpec,
    query: FieldQuery,
    handle: DatasetHandle,
    option: SourceOption,
  ): MaybePromise<Evaluation> {
    const records: unknown[] = []
    const datedQuery = areRecordsDated(handle.dataset)
      ? { ...query, onRecordsUsed: (used: readonly unknown[]) => void records.push(...used) }
      : query
    const dateOf = () => dateOfRecords(records, handle.dataset, this.#now)
    if (option.remote) return this.#readRemoteOption(read, datedQuery, handle, { option, dateOf })
    const value = this.#runOperator(read, datedQuery, handle, { option, budget: this.#budget })
    const date = () => dateOf() ?? option.vintageAt?.(this.#place) ?? null
    return andThen(value, (it) => ({ value: fieldValueOf(it), handle, option, date: date() }))
  }

  async #readRemoteOption(
    read: ReadSpec,
    query: FieldQuery,
    handle: DatasetHandle,
    { option, dateOf }: { option: SourceOption; dateOf: () => string | null },
  ): Promise<Evaluation> {
    const { leastFresh, onFreshness } = trackFreshness()
    const answer = this.#runOperator(read, query, handle, { option, budget: { ...this.#budget, onFreshness } })
    const value = fieldValueOf(await this.#deps.deadlines.within(Promise.resolve(answer), handle.dataset))
    const freshness = leastFresh()
    // The data may have been added since the stale answer, so only a current answer can be absent.
    if (freshness?.cache === 'stale' && value instanceof Absent) throw freshness.failure
    return { value, handle, option, date: dateOf(), freshness }
  }

  #runOperator(
    read: ReadSpec,
    query: FieldQuery,
    handle: DatasetHandle,
    { option, budget }: { option: SourceOption; budget: Budget },
  ): ReturnType<AnyOperator['run']> {
    const { run }: AnyOperator = operators[read.op]
    return run(read as never, this.#sharedSourceOf(option, handle) as never, query, budget)
  }

  #sharedSourceOf(option: SourceOption, { dataset }: DatasetHandle): AnySource {
    const source = this.#sharedSources.get(option)
    if (source) return source
    const shared =
      option.remote && dataset.shape === 'features'
        ? coalesceRadii(
            option.source,
            { fetch_radius_m: dataset.fetch_radius_m, simplified: option.remote.simplified },
            option.queryHistory,
          )
        : memoizePerRequest(option.source)
    this.#sharedSources.set(option, shared)
    return shared
  }

  /**
   * Returns the input values of a read, and adds their margins of error to `margins`. The first absent input makes it
   * absent; a failed input makes it fail.
   */
  #inputsOf(from: NonNullable<ReadSpec['from']>, margins: Margins = {}): MaybePromise<Inputs | Absent> {
    const inputs: Inputs = {}
    for (const name in from) {
      const input = from[name]!
      if (input !== 'lat' && input !== 'lng') return runCoroutine(this.#evaluateInputs(from, margins))
      inputs[name] = this.#place[input]
    }
    return inputs
  }

  *#evaluateInputs(from: NonNullable<ReadSpec['from']>, margins: Margins): Coroutine<Inputs | Absent> {
    const inputs: Inputs = {}
    for (const [name, input] of Object.entries(from)) {
      if (input === 'lat' || input === 'lng') inputs[name] = this.#place[input]
      else {
        const { value } = yield* waitFor(
          typeof input === 'string' ? this.evaluate(this.#deps.catalog.fields.get(input)!) : this.evaluateRead(input),
        )
        if (value instanceof Absent) return value
        if (value instanceof Estimate) margins[name] = value.margin
        inputs[name] = value instanceof Estimate ? value.value : value
      }
    }
    return inputs
  }

  /** Whether the `skip_when` of a read holds. Inputs that are absent or fail are null in its expression. */
  *#isSkipped({ skip_when, from = {} }: ReadSpec): Coroutine<boolean> {
    if (skip_when === undefined) return false
    const inputs: Record<string, Value> = {}
    for (const [name, input] of Object.entries(from)) inputs[name] = yield* this.#inputOrNull(name, input)
    return compileExpression(skip_when, Object.keys(inputs))(inputs) === true
  }

  *#inputOrNull(name: string, input: NonNullable<ReadSpec['from']>[string]): Coroutine<Value> {
    try {
      const known = yield* waitFor(this.#inputsOf({ [name]: input }))
      return known instanceof Absent ? null : known[name]!
    } catch (error) {
      if (error instanceof UpstreamError) return null
      throw error
    }
  }

  *#keyOf(names: string[], from: ReadSpec['from'] = {}): Coroutine<string | Absent> {
    const inputs = Object.fromEntries(names.map((name) => [name, from[name] ?? name]))
    const values = yield* waitFor(this.#inputsOf(inputs))
    return values instanceof Absent ? values : names.map((name) => String(values[name])).join('|')
  }
}

type Inputs = Record<string, Value>
type Margins = Record<string, Margin>
const noInputs: Inputs = {}
