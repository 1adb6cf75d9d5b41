import { attributesReadBy } from '../catalog/attributes-read-by.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { dateOfRecords } from '../catalog/data-date.ts'
import { fillYear } from '../catalog/resolve-read.ts'
import type { FallbackSpec, Field, ReadSpec } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate, type Margin } from '../model/estimate.ts'
import { Absent, noData, outsideCoverage, fieldValueOf, type FieldValue } from '../model/outcome.ts'
import type { Place } from '../model/place.ts'
import { schemaChangedError } from '../model/schema-changed.ts'
import type { AnySource, Budget, Freshness, Shape, Value } from '../model/source.ts'
import { compileExpression } from '../operators/expression.ts'
import type { FieldQuery } from '../operators/operator.ts'
import { operators } from '../operators/operators.ts'
import { coalesceRadii } from './coalesce-radii.ts'
import type { FieldDeadlines } from './field-deadlines.ts'
import { memoizePerRequest } from './memoize-per-request.ts'
import type { SourceRegistry, DatasetHandle, SourceOption } from './source-registry.ts'

/**
 * The value of a read, its dataset, and the option that answered; `option` is null when no source was queried.
 * `freshness` is set for options on other servers.
 */
export type Evaluation = {
  value: FieldValue
  handle: DatasetHandle
  option: Pick<SourceOption, 'driver' | 'vintage' | 'editedOn'> | null
  /** The date that the records of the value state. */
  date?: string | null
  freshness?: Freshness | null
}

/** The option of values that are computed from other fields. */
export const computedOption = { driver: 'computed', vintage: null } as const

/** Any operator. The catalog has checked that its arguments and its source fit. */
type AnyOperator = {
  shape: Shape | null
  run: (args: never, source: never, query: FieldQuery, budget: Budget) => Promise<Value | Estimate | Absent>
}

type Deps = { catalog: Catalog; registry: SourceRegistry; now: () => Date; deadlines: FieldDeadlines }

/** Evaluates fields at one place. Each field is evaluated once, and each query to a source is sent once. */
export class FieldEvaluator {
  readonly #place: Place
  readonly #budget: Budget
  readonly #deps: Deps
  readonly #now: Date
  readonly #evaluations = new Map<Field, Promise<Evaluation>>()
  readonly #sharedSources = new Map<SourceOption, AnySource>()

  constructor(place: Place, budget: Budget, deps: Deps) {
    this.#place = place
    this.#budget = budget
    this.#deps = deps
    this.#now = deps.now()
  }

  /** Rejects with an UpstreamError when no option and no fallback can answer. */
  evaluate(field: Field): Promise<Evaluation> {
    const pending = this.#evaluations.get(field)
    if (pending) return pending
    const evaluation = this.evaluateRead(field.read)
    this.#evaluations.set(field, evaluation)
    return evaluation
  }

  /** Evaluates a read that is no field of its own. */
  evaluateRead(read: ReadSpec): Promise<Evaluation> {
    return read.skip_when === undefined && !read.fallback
      ? this.#evaluateDirectly(read)
      : this.#evaluateWithFallbacks(read)
  }

  async #evaluateWithFallbacks(read: ReadSpec): Promise<Evaluation> {
    if (await this.#isSkipped(read))
      return { value: noData, handle: this.#deps.registry.dataset(read.dataset), option: null }
    return this.#evaluateDirectly(read).then(
      (evaluation) =>
        evaluation.value instanceof Absent
          ? this.#evaluateFallbacks(read.fallback ?? [], conditionOf(evaluation.value), evaluation)
          : evaluation,
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error
        return this.#evaluateFallbacks(read.fallback ?? [], 'failed', error)
      },
    )
  }

  /** Returns the first fallback that applies to the condition and covers the place, else the first result. */
  async #evaluateFallbacks(
    fallbacks: FallbackSpec[],
    condition: Condition,
    first: Evaluation | UpstreamError,
  ): Promise<Evaluation> {
    let best = first
    for (const fallback of fallbacks) {
      if (!(fallback.when ?? ['failed']).includes(condition) || (await this.#isSkipped(fallback))) continue
      try {
        const evaluation = await this.evaluateRead(fallback)
        if (evaluation.value !== outsideCoverage) return evaluation
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        if (best instanceof UpstreamError) best = preferRetryable(best, error)
      }
    }
    if (best instanceof UpstreamError) throw best
    return best
  }

  async #evaluateDirectly(declared: ReadSpec): Promise<Evaluation> {
    const read =
      'where' in declared && declared.where?.includes('{year')
        ? { ...declared, where: fillYear(declared.where, this.#now.getUTCFullYear()) }
        : declared
    const handle = this.#deps.registry.dataset(read.dataset)
    const { regions } = handle.dataset.coverage
    const { lat, lng, region } = this.#place
    if (regions !== 'everywhere' && (region === null || !regions.includes(region)))
      return { value: outsideCoverage, handle, option: null }
    const needsInputs = read.from && ('expression' in read || 'function' in read)
    const margins: Record<string, Margin> | undefined = 'proportional_to' in read ? {} : undefined
    const inputs = needsInputs ? await this.#inputsOf(read.from!, margins) : noInputs
    if (inputs instanceof Absent) return { value: inputs, handle, option: null }
    const key = read.key === undefined ? null : await this.#keyOf([read.key].flat(), read.from)
    if (key instanceof Absent) return { value: key, handle, option: null }
    const query = { at: { lat, lng }, key, inputs, margins, now: this.#now }
    const { shape, run }: AnyOperator = operators[read.op]
    if (shape !== null) return this.#tryOptions(read, query, handle)
    const value = fieldValueOf(await run(read as never, null as never, query, this.#budget))
    return { value, handle, option: computedOption }
  }

  /** Returns the result of the first option that covers the place and answers. */
  async #tryOptions(read: ReadSpec, query: FieldQuery, handle: DatasetHandle): Promise<Evaluation> {
    let isCovered = !handle.hasAllOptions
    let failure: UpstreamError | null = null
    for (const option of handle.options) {
      if (!option.covers(this.#place)) continue
      isCovered = true
      try {
        const evaluation = await this.#readOption(read, query, handle, option)
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

  async #readOption(
    read: ReadSpec,
    query: FieldQuery,
    handle: DatasetHandle,
    option: SourceOption,
  ): Promise<Evaluation> {
    const { run }: AnyOperator = operators[read.op]
    const records: unknown[] = []
    const collectingQuery = { ...query, onRecordsUsed: (used: readonly unknown[]) => void records.push(...used) }
    const runOn = (budget: Budget) =>
      run(read as never, this.#sharedSourceOf(option, handle) as never, collectingQuery, budget)
    const dateOf = () => dateOfRecords(records, handle.dataset, this.#now)
    if (!option.remote) {
      const value = fieldValueOf(await runOn(this.#budget))
      return { value, handle, option, date: dateOf() }
    }
    const { leastFresh, onFreshness } = trackFreshness()
    const value = fieldValueOf(
      await this.#deps.deadlines.within(runOn({ ...this.#budget, onFreshness }), handle.dataset),
    )
    const freshness = leastFresh()
    // The data may have been added since the stale answer, so only a current answer can be absent.
    if (freshness?.cache === 'stale' && value instanceof Absent) throw freshness.failure
    return { value, handle, option, date: dateOf(), freshness }
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
  async #inputsOf(
    from: NonNullable<ReadSpec['from']>,
    margins: Record<string, Margin> = {},
  ): Promise<Record<string, Value> | Absent> {
    const inputs: Record<string, Value> = {}
    for (const [name, input] of Object.entries(from)) {
      if (input === 'lat' || input === 'lng') inputs[name] = this.#place[input]
      else {
        const { value } = await (typeof input === 'string'
          ? this.evaluate(this.#deps.catalog.fields.get(input)!)
          : this.evaluateRead(input))
        if (value instanceof Absent) return value
        if (value instanceof Estimate) margins[name] = value.margin
        inputs[name] = value instanceof Estimate ? value.value : value
      }
    }
    return inputs
  }

  /** Whether the `skip_when` of a read holds. Inputs that are absent or fail are null in its expression. */
  async #isSkipped({ skip_when, from = {} }: ReadSpec): Promise<boolean> {
    if (skip_when === undefined) return false
    const inputs: Record<string, Value> = {}
    for (const [name, input] of Object.entries(from)) {
      const known = await this.#inputsOf({ [name]: input }).catch(noDataWhenFailed)
      inputs[name] = known instanceof Absent ? null : known[name]!
    }
    return compileExpression(skip_when, Object.keys(inputs))(inputs) === true
  }

  async #keyOf(names: string[], from: ReadSpec['from'] = {}): Promise<string | Absent> {
    const values = await this.#inputsOf(Object.fromEntries(names.map((name) => [name, from[name] ?? name])))
    return values instanceof Absent ? values : names.map((name) => String(values[name])).join('|')
  }
}

/**
 * Throws `schema_changed` if the source is known to lack an attribute that the read needs. An answer without features
 * does not show that by itself.
 */
function requireNothingMissing(read: ReadSpec, { missingOf, schemaChanges }: SourceOption): void {
  if (!missingOf && schemaChanges.isEmpty) return
  const names = attributesReadBy(read)
  const missing = missingOf?.(names) ?? []
  if (missing.length > 0) throw schemaChangedError(missing, [])
  schemaChanges.recordFound('json_path' in read ? [...names, read.json_path] : names)
}

/** Collects the freshness of the answers to one read; `leastFresh` returns the worst of them. */
function trackFreshness() {
  const observed: Freshness[] = []
  const ofKind = (kind: Freshness['cache']) => observed.find(({ cache }) => cache === kind)
  return {
    onFreshness: (freshness: Freshness) => {
      observed.push(freshness)
    },
    leastFresh: () => ofKind('stale') ?? ofKind('miss') ?? ofKind('hit') ?? null,
  }
}

/** Returns the first error, unless only the later one is retryable: then a retry may help. */
function preferRetryable(first: UpstreamError, later: UpstreamError): UpstreamError {
  return !first.retryable && later.retryable ? later : first
}

const noInputs: Record<string, Value> = {}

function noDataWhenFailed(error: unknown): Absent {
  if (error instanceof UpstreamError) return noData
  throw error
}

type Condition = NonNullable<FallbackSpec['when']>[number]

function conditionOf({ reason }: Absent): Condition {
  return reason === 'outside_coverage' ? reason : 'absent'
}
