import type { Catalog } from '../catalog/catalog.ts'
import { fillYear } from '../catalog/resolve-read.ts'
import type { FallbackSpec, Field, ReadSpec } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { Absent, noData, outsideCoverage, fieldValueOf, type FieldValue } from '../model/outcome.ts'
import type { Place } from '../model/place.ts'
import type { AnySource, Budget, Freshness, Shape, Value } from '../model/source.ts'
import { compileExpression } from '../operators/expression.ts'
import type { FieldQuery } from '../operators/operator.ts'
import { operators } from '../operators/operators.ts'
import { coalesceRadii } from './coalesce-radii.ts'
import type { SourceRegistry, DatasetHandle, SourceOption } from './source-registry.ts'
import type { FieldDeadlines } from './field-deadlines.ts'
import { memoizePerRequest } from './memoize-per-request.ts'

/** What a read came to, the shelf it is from, and how it was come by (`way` is null when nothing was asked); `freshness` is of what another server said. */
export type Evaluation = {
  value: FieldValue
  handle: DatasetHandle
  option: Pick<SourceOption, 'driver' | 'vintage'> | null
  freshness?: Freshness | null
}

/** How a value comes about that is worked out from others. */
export const computedOption = { driver: 'computed', vintage: null } as const

/** Everything that is asked about one place: each field and each question to a source once. */
export type FieldEvaluator = { evaluate(field: Field): Promise<Evaluation> }

/** Any operator: the catalog has checked that its arguments and its source fit. */
type AnyOperator = {
  shape: Shape | null
  run: (args: never, source: never, query: FieldQuery, budget: Budget) => Promise<Value | Absent>
}

/** What an asking needs: where everything stands, the time, and how long it may take. */
type Deps = { catalog: Catalog; registry: SourceRegistry; now: () => Date; deadlines: FieldDeadlines }

export function createFieldEvaluator(
  place: Place,
  budget: Budget,
  { catalog, registry, now: clock, deadlines }: Deps,
): FieldEvaluator {
  const at = { lat: place.lat, lng: place.lng }
  const now = clock()
  const fields = new Map<Field, Promise<Evaluation>>()
  const sources = new Map<SourceOption, AnySource>()
  return { evaluate }

  function evaluate(field: Field): Promise<Evaluation> {
    const pending = fields.get(field)
    if (pending) return pending
    const evaluation = evaluateRead(field.read)
    fields.set(field, evaluation)
    return evaluation
  }

  function evaluateRead(read: ReadSpec): Promise<Evaluation> {
    return read.skip_when === undefined && !read.fallback ? evaluateDirectly(read) : evaluateWithFallbacks(read)
  }

  async function evaluateWithFallbacks(read: ReadSpec): Promise<Evaluation> {
    if (await isSkipped(read)) return { value: noData, handle: registry.dataset(read.dataset), option: null }
    return evaluateDirectly(read).then(
      (evaluation) =>
        evaluation.value instanceof Absent
          ? evaluateFallbacks(read.fallback ?? [], conditionOf(evaluation.value), evaluation)
          : evaluation,
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error
        return evaluateFallbacks(read.fallback ?? [], 'failed', error)
      },
    )
  }

  /** The first fallback that is meant for what happened and covers the place; else what happened stands. */
  async function evaluateFallbacks(
    fallbacks: FallbackSpec[],
    condition: Condition,
    first: Evaluation | UpstreamError,
  ): Promise<Evaluation> {
    let best = first
    for (const fallback of fallbacks) {
      if (!(fallback.when ?? ['failed']).includes(condition) || (await isSkipped(fallback))) continue
      try {
        const evaluation = await evaluateRead(fallback)
        if (evaluation.value !== outsideCoverage) return evaluation
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        if (best instanceof UpstreamError) best = preferRetryable(best, error)
      }
    }
    if (best instanceof UpstreamError) throw best
    return best
  }

  async function evaluateDirectly(declared: ReadSpec): Promise<Evaluation> {
    const read =
      'where' in declared && declared.where?.includes('{year')
        ? { ...declared, where: fillYear(declared.where, now.getUTCFullYear()) }
        : declared
    const handle = registry.dataset(read.dataset)
    const { regions } = handle.dataset.coverage
    if (regions !== 'everywhere' && (place.region === null || !regions.includes(place.region)))
      return { value: outsideCoverage, handle, option: null }
    const inputs = read.from && ('expression' in read || 'function' in read) ? await inputsOf(read.from) : noInputs
    if (inputs instanceof Absent) return { value: inputs, handle, option: null }
    const key = read.key === undefined ? null : await keyOf([read.key].flat(), read.from)
    if (key instanceof Absent) return { value: key, handle, option: null }
    const { shape, run }: AnyOperator = operators[read.op]
    const query = { at, key, inputs, now }
    if (shape === null)
      return {
        value: fieldValueOf(await run(read as never, null as never, query, budget)),
        handle,
        option: computedOption,
      }
    let isCovered = !handle.hasAllOptions
    let failure: UpstreamError | null = null
    for (const option of handle.options) {
      if (!option.covers(place)) continue
      isCovered = true
      try {
        if (!option.remote)
          return {
            value: fieldValueOf(await run(read as never, sharedSourceOf(option, handle) as never, query, budget)),
            handle,
            option,
          }
        const { leastFresh, onFreshness } = trackFreshness()
        const value = fieldValueOf(
          await deadlines.within(
            run(read as never, sharedSourceOf(option, handle) as never, query, { ...budget, onFreshness }),
            handle.dataset,
          ),
        )
        const freshness = leastFresh()
        // What is missing from an old answer may be there now: only a source that answers can say that there is nothing.
        if (freshness?.cache === 'stale' && value instanceof Absent) throw freshness.failure
        return { value, handle, option, freshness }
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        // A way that cannot put the question at all does not hide why one that can has failed.
        if (failure === null || error.code !== 'unsupported_request') failure = error
      }
    }
    if (!isCovered) return { value: outsideCoverage, handle, option: null }
    throw failure ?? handle.unavailableError()
  }

  function sharedSourceOf(option: SourceOption, { dataset }: DatasetHandle): AnySource {
    const source = sources.get(option)
    if (source) return source
    const shared =
      option.remote && dataset.shape === 'features'
        ? coalesceRadii(
            option.source,
            { fetch_radius_m: dataset.fetch_radius_m, simplified: option.remote.simplified },
            option.queryHistory,
          )
        : memoizePerRequest(option.source)
    sources.set(option, shared)
    return shared
  }

  /** The values a read computes from. One that is absent makes the whole absent, one that failed makes it fail. */
  async function inputsOf(from: NonNullable<ReadSpec['from']>): Promise<Record<string, Value> | Absent> {
    const inputs: Record<string, Value> = {}
    for (const [name, input] of Object.entries(from)) {
      if (input === 'lat' || input === 'lng') inputs[name] = at[input]
      else {
        const { value } = await (typeof input === 'string' ? evaluate(catalog.fields.get(input)!) : evaluateRead(input))
        if (value instanceof Absent) return value
        inputs[name] = value
      }
    }
    return inputs
  }

  /** Whether a read is not worth asking for. What its condition cannot know counts as not holding. */
  async function isSkipped({ skip_when, from = {} }: ReadSpec): Promise<boolean> {
    if (skip_when === undefined) return false
    const inputs: Record<string, Value> = {}
    for (const [name, input] of Object.entries(from)) {
      const known = await inputsOf({ [name]: input }).catch(noDataWhenFailed)
      inputs[name] = known instanceof Absent ? null : known[name]!
    }
    return compileExpression(skip_when, Object.keys(inputs))(inputs) === true
  }

  async function keyOf(names: string[], from: ReadSpec['from'] = {}): Promise<string | Absent> {
    const values = await inputsOf(Object.fromEntries(names.map((name) => [name, from[name] ?? name])))
    return values instanceof Absent ? values : names.map((name) => String(values[name])).join('|')
  }
}

/** Hears how fresh the answers to one read are, and says how fresh the least of them is. */
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

/** Of two failures to one end the one to tell: the first, unless it is for good and the other passes, so that asking again may help. */
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
