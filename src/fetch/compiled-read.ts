import { andThen, runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import { readOfYear } from '../catalog/resolve-read.ts'
import type { ReadSpec } from '../catalog/records.ts'
import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import {
  Absent,
  fieldValueOf,
  lowestConfidence,
  noData,
  outsideCoverage,
  type Confidence,
  type FieldValue,
} from '../model/outcome.ts'
import type { Point } from '../model/place.ts'
import type { Value } from '../model/source.ts'
import { compileExpression } from '../operators/expression.ts'
import type { FieldQuery } from '../operators/operator.ts'
import { operators } from '../operators/operators.ts'
import { isCovered, PointRead, RowRead, type BlockRead, type KeyRules, type RawValue } from './block-read.ts'
import { BoundOption, type AnyOperator, type OptionQuery } from './sources/bound-option.ts'
import {
  computedOption,
  evaluationOrError,
  failureAfter,
  fallbackConditionOf,
  originOf,
  preferRetryable,
  type Attempts,
  type Evaluation,
  type FallbackCondition,
  type Origin,
} from './evaluation.ts'
import {
  areCoordinates,
  compileInputs,
  coordinatesOf,
  inputOrNull,
  inputsOf,
  type Input,
  type Inputs,
  type InputQuality,
} from './input-values.ts'
import type { LocalSources } from './sources/local-sources.ts'
import type { Evaluable, LocationEvaluation } from './location-evaluation.ts'
import type { PlaceBlock } from './place-block.ts'
import type { DatasetHandle, SourceRegistry } from './sources/source-registry.ts'

/** Compiles the reads of one catalog for the sources of one registry. */
export type ReadCompiler = {
  registry: SourceRegistry
  localSources: LocalSources
  /** Returns the field of this name. */
  fieldNamed(name: string): Evaluable
}

type Fallback = { conditions: readonly FallbackCondition[]; read: CompiledRead }

/**
 * A read of the catalog, bound to its operator and to the sources of this server. All that does not depend on the place
 * is decided once, here.
 */
export class CompiledRead implements Evaluable {
  readonly #read: ReadSpec
  readonly #handle: DatasetHandle
  readonly #operator: AnyOperator
  readonly #options: BoundOption[]
  /** The first option, of a read without conditions, keys and inputs. */
  readonly #simpleOption: BoundOption | null
  readonly #inputs: Input[]
  readonly #keyInputs: Input[] | null
  readonly #skipInputs: Input[] | null
  readonly #fallbacks: Fallback[]
  readonly #isComputedFromInputs: boolean
  /** Whether the value is computed from the coordinates, and nothing else. */
  readonly #computesFromPoint: boolean
  readonly #usesYear: boolean
  readonly #noOrigin: Origin
  /** The origins of computed values, by the lowest confidence of their inputs. */
  readonly #computedOrigins: Record<Confidence, Origin>
  readonly #outside: Evaluation
  readonly #firstAttempt: Attempts
  readonly #keyRules: KeyRules

  constructor(read: ReadSpec, compiler: ReadCompiler) {
    this.#read = read
    this.#handle = compiler.registry.dataset(read.dataset)
    this.#operator = operators[read.op]
    const { regions } = this.#handle.dataset.coverage
    const { from = {}, key, skip_when } = read
    const inputsFrom = (given: typeof from) =>
      compileInputs(
        given,
        (name) => compiler.fieldNamed(name),
        (input) => new CompiledRead(input, compiler),
      )
    this.#isComputedFromInputs =
      read.from !== undefined && ('expression' in read || 'function' in read || this.#operator.readsInputs === true)
    this.#inputs = this.#isComputedFromInputs ? inputsFrom(from) : []
    const keys = key === undefined ? null : [key].flat()
    this.#keyInputs = keys && inputsFrom(Object.fromEntries(keys.map((name) => [name, from[name] ?? name])))
    this.#skipInputs = skip_when === undefined ? null : inputsFrom(from)
    this.#fallbacks = (read.fallback ?? []).map(({ when = ['failed'], ...fallback }) => ({
      conditions: when,
      read: new CompiledRead(fallback, compiler),
    }))
    const isConditional = this.#keyInputs !== null || this.#skipInputs !== null || this.#fallbacks.length > 0
    this.#computesFromPoint =
      this.#isComputedFromInputs && this.#operator.shape === null && !isConditional && areCoordinates(this.#inputs)
    this.#usesYear = 'where' in read && (read.where ?? '').includes('{year')
    const timeless = { read, operator: this.#usesYear ? null : this.#operator }
    this.#options = this.#handle.options.map(
      (option) => new BoundOption(option, this.#handle, timeless, compiler.localSources),
    )
    const isSimple = skip_when === undefined && key === undefined && !this.#isComputedFromInputs
    this.#simpleOption = (isSimple && this.#options[0]) || null
    this.#noOrigin = originOf(this.#handle, null, read)
    this.#computedOrigins = originsByInput(originOf(this.#handle, computedOption, read))
    this.#outside = this.#unanswered(outsideCoverage)
    this.#keyRules = {
      regions: regions === 'everywhere' ? null : new Set(regions),
      isOutsideFinal: !this.#hasFallbackFor(outsideCoverage),
      isAbsentFinal: !this.#hasFallbackFor(outsideCoverage) && !this.#hasFallbackFor(noData),
      isOnlyOption: this.#options.length === 1 && this.#handle.hasAllOptions,
    }
    this.#firstAttempt = { first: 0, isCovered: !this.#handle.hasAllOptions, failure: null }
  }

  /** Throws or rejects with an UpstreamError when no option and no fallback can answer. */
  evaluate(location: LocationEvaluation): MaybePromise<Evaluation> {
    return this.#skipInputs === null && this.#fallbacks.length === 0
      ? this.#evaluateDirectly(location)
      : runCoroutine(this.#evaluateWithFallbacks(location))
  }

  /** Returns what decides this read at the places of a block; null if each place must be evaluated. */
  readBlock(block: PlaceBlock): BlockRead | null {
    if (this.#computesFromPoint)
      return new PointRead(block, { origin: this.#computedOrigins.high, rules: this.#keyRules }, this.#computeAt)
    const deciding = this.#simpleOption?.decidingRows(block)
    return deciding ? new RowRead(block, deciding, this.#keyRules) : null
  }

  /** Whether the feature of a key decides this evaluation, and no other option or fallback. */
  isDecidedByFeature({ origin, value }: Evaluation): boolean {
    return origin === this.#simpleOption?.origin && !(value instanceof Absent && this.#hasFallbackFor(value))
  }

  /** Whether a fallback may answer instead of an absent value. */
  #hasFallbackFor(absent: Absent): boolean {
    return this.#fallbacks.some(({ conditions }) => conditions.includes(fallbackConditionOf(absent)))
  }

  /** Computes the value from the coordinates. */
  readonly #computeAt = (at: Point, { now, budget }: PlaceBlock): MaybePromise<RawValue> => {
    const query = { at, key: null, inputs: coordinatesOf(this.#inputs, at), now }
    return this.#operator.run(this.#read as never, null as never, query, budget)
  };

  /** Whether `skip_when` holds. Inputs that are absent or fail are null in its expression. */
  *isSkipped(location: LocationEvaluation): Coroutine<boolean> {
    if (this.#skipInputs === null) return false
    const inputs: Record<string, Value> = {}
    for (const input of this.#skipInputs) inputs[input.name] = yield* inputOrNull(input, location)
    return compileExpression(this.#read.skip_when!, Object.keys(inputs))(inputs) === true
  }

  *#evaluateWithFallbacks(location: LocationEvaluation): Coroutine<Evaluation> {
    if (yield* this.isSkipped(location)) return this.#unanswered(this.#read.skip_reason ? outsideCoverage : noData)
    const first = yield* evaluationOrError(() => this.#evaluateDirectly(location))
    if (first instanceof UpstreamError) return yield* this.#evaluateFallbacks(location, 'failed', first)
    if (!(first.value instanceof Absent)) return first
    return yield* this.#evaluateFallbacks(location, fallbackConditionOf(first.value), first)
  }

  /**
   * Returns the first fallback that applies to the condition and covers the place. If one that applies fails and none
   * answers, the field fails: the first source did not say what the fallback would have said. Else the first result.
   * If the first source returned something wrong, it has something here, so a fallback that is absent, 0 or false does
   * not answer.
   */
  *#evaluateFallbacks(
    location: LocationEvaluation,
    condition: FallbackCondition,
    first: Evaluation | UpstreamError,
  ): Coroutine<Evaluation> {
    let best = first
    for (const { conditions, read } of this.#fallbacks) {
      if (!conditions.includes(condition) || (yield* read.isSkipped(location))) continue
      try {
        const evaluation = yield* waitFor(read.evaluate(location))
        const isAnswer = !(isNothing(evaluation.value) && isWrongAnswer(first))
        if (isAnswer && evaluation.value !== outsideCoverage) return evaluation
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        best = best instanceof UpstreamError ? preferRetryable(best, error) : error
      }
    }
    if (best instanceof UpstreamError) throw best
    return best
  }

  #evaluateDirectly(location: LocationEvaluation): MaybePromise<Evaluation> {
    if (!isCovered(location.place.region, this.#keyRules.regions)) return this.#outside
    if (!this.#isComputedFromInputs && this.#keyInputs === null)
      return this.#evaluateOperation(location, location.pointQuery)
    const quality: InputQuality = { margins: {}, confidence: 'high' }
    const inputs = inputsOf(this.#inputs, location, quality)
    return inputs instanceof Promise || this.#keyInputs !== null
      ? runCoroutine(this.#evaluateWithKey(location, inputs, quality))
      : this.#evaluateWithInputs(location, inputs, { quality })
  }

  *#evaluateWithKey(
    location: LocationEvaluation,
    pendingInputs: MaybePromise<Inputs | Absent>,
    quality: InputQuality,
  ): Coroutine<Evaluation> {
    const inputs = yield* waitFor(pendingInputs)
    if (inputs instanceof Absent || this.#keyInputs === null)
      return yield* waitFor(this.#evaluateWithInputs(location, inputs, { quality }))
    const keys = yield* waitFor(inputsOf(this.#keyInputs, location))
    if (keys instanceof Absent) return this.#unanswered(keys)
    const key = this.#keyInputs.map(({ name }) => String(keys[name])).join('|')
    return yield* waitFor(this.#evaluateWithInputs(location, inputs, { quality, key }))
  }

  #evaluateWithInputs(
    location: LocationEvaluation,
    inputs: Inputs | Absent,
    { quality: { margins, confidence }, key = null }: { quality: InputQuality; key?: string | null },
  ): MaybePromise<Evaluation> {
    if (inputs instanceof Absent) return this.#unanswered(inputs)
    return this.#evaluateOperation(location, { at: location.at, key, inputs, margins, now: location.now }, confidence)
  }

  #evaluateOperation(
    location: LocationEvaluation,
    query: FieldQuery,
    confidence: Confidence = 'high',
  ): MaybePromise<Evaluation> {
    const read = this.#usesYear ? readOfYear(this.#read, location.now) : this.#read
    if (this.#operator.shape !== null)
      return this.#tryOptions({ read, operator: this.#operator, query, location }, this.#firstAttempt)
    const value = this.#operator.run(read as never, null as never, query, location.budget)
    return andThen(value, (it) => ({ value: fieldValueOf(it), origin: this.#computedOrigins[confidence] }))
  }

  /** Returns the result of the first option, from `first` on, that covers the place and answers. */
  #tryOptions(optionQuery: OptionQuery, { first, isCovered, failure }: Attempts): MaybePromise<Evaluation> {
    let covered = isCovered
    let latest = failure
    for (let i = first; i < this.#options.length; i++) {
      const option = this.#options[i]!
      if (!option.covers(optionQuery.location.place)) continue
      covered = true
      try {
        const answer = option.evaluate(optionQuery)
        if (!(answer instanceof Promise)) return answer
        const earlier = latest
        return answer.catch((error: unknown) =>
          this.#tryOptions(optionQuery, { first: i + 1, isCovered: true, failure: failureAfter(earlier, error) }),
        )
      } catch (error) {
        latest = failureAfter(latest, error)
      }
    }
    if (!covered) return this.#outside
    throw latest ?? this.#handle.unavailableError(optionQuery.location.place)
  }

  #unanswered(value: Absent): Evaluation {
    return { value, origin: this.#noOrigin }
  }
}

const wrongAnswers: ReadonlySet<UpstreamCode> = new Set(['bad_response', 'bad_value', 'out_of_range', 'schema_changed'])

/** Whether a value says that nothing is here. */
function isNothing(value: FieldValue): boolean {
  return value instanceof Absent || value === 0 || value === false
}

function isWrongAnswer(first: Evaluation | UpstreamError): boolean {
  return first instanceof UpstreamError && wrongAnswers.has(first.code)
}

/** The origins of values that are computed from inputs of each level: no value is worth more than its inputs. */
function originsByInput(origin: Origin): Record<Confidence, Origin> {
  const of = (level: Confidence): Origin => ({ ...origin, confidence: lowestConfidence(origin.confidence, level) })
  return { high: origin, medium: of('medium'), low: of('low') }
}
