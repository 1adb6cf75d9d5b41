import { waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import { confidenceOf } from '../catalog/confidence.ts'
import type { FallbackSpec, ReadSpec } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import type { Absent, Confidence, FieldValue } from '../model/outcome.ts'
import type { Freshness } from '../model/source.ts'
import type { DatasetHandle, SourceOption } from './sources/source-registry.ts'

/**
 * A dataset, the option of it that answered, and how far the values can be trusted; `option` is null when no source was
 * queried.
 */
export type Origin = {
  handle: DatasetHandle
  confidence: Confidence
  option: Pick<SourceOption, 'driver' | 'vintage' | 'editedOn'> | null
}

/** Returns the origin of the values that a read has of an option. */
export function originOf(handle: DatasetHandle, option: Origin['option'], read: Pick<ReadSpec, 'stand_in'>): Origin {
  return { handle, option, confidence: confidenceOf(handle.dataset, read) }
}

/** The value of a read, and its origin. `freshness` is set for options on other servers. */
export type Evaluation = {
  value: FieldValue
  origin: Origin
  /** The date that the records of the value state. */
  date?: string | null
  freshness?: Freshness | null
}

/** Waits for an evaluation. Returns an UpstreamError instead of throwing it. */
export function* evaluationOrError(evaluate: () => MaybePromise<Evaluation>): Coroutine<Evaluation | UpstreamError> {
  try {
    return yield* waitFor(evaluate())
  } catch (error) {
    if (error instanceof UpstreamError) return error
    throw error
  }
}

/** The option of values that are computed from other fields. */
export const computedOption = { driver: 'computed', vintage: null } as const

/** When a fallback is evaluated. */
export type FallbackCondition = NonNullable<FallbackSpec['when']>[number]

/** The condition of fallbacks for an absent value. */
export function fallbackConditionOf({ reason }: Absent): FallbackCondition {
  return reason === 'outside_coverage' ? reason : 'absent'
}

/** Returns the first error, unless only the later one is retryable: then a retry may help. */
export function preferRetryable(first: UpstreamError, later: UpstreamError): UpstreamError {
  return !first.retryable && later.retryable ? later : first
}

/** Where a read has arrived in the options of its dataset. `failure`: the error to report when no option answers. */
export type Attempts = { first: number; isCovered: boolean; failure: UpstreamError | null }

/**
 * Returns the error to report after one more option failed. An option that does not support the query must not hide why
 * another one failed.
 */
export function failureAfter(failure: UpstreamError | null, error: unknown): UpstreamError {
  if (!(error instanceof UpstreamError)) throw error
  return failure === null || error.code !== 'unsupported_request' ? error : failure
}
