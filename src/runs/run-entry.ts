import type { FetchAnswer } from '../fetch/fetch-answer.ts'
import { ApiError } from '../model/error.ts'
import { formatTimestamp } from '../model/timestamp.ts'

/** What answering one location of a run came to: its entry as JSON, and whether asking again may do better. */
export type LocationAnswer = { ok: boolean; retryable: boolean; entry: string }

/** Where a location stands: in this run, and in the run that this one tries again. */
export type LocationPosition = { idx: number; original_index: number | null }

/** The entry of a location that was answered. */
export function successEntryOf(position: LocationPosition, answer: object): LocationAnswer {
  return {
    ok: true,
    retryable: partialFailuresOf(answer).some(({ retryable }) => retryable),
    entry: JSON.stringify({ ...positionMembers(position), ok: true, ...answer }),
  }
}

/** The entry of a location that could not be answered: the error object that the single endpoint would have given. */
export function errorEntryOf(position: LocationPosition, error: ApiError, now: Date): LocationAnswer {
  return {
    ok: false,
    retryable: error.retryable,
    entry: JSON.stringify({
      ...positionMembers(position),
      ok: false,
      fetched_at: formatTimestamp(now),
      error: error.detail,
    }),
  }
}

/** A location whose answering broke as often as it may. */
export function triesExhaustedError(attempts: number): ApiError {
  return new ApiError(
    'internal_error',
    `This location could not be answered, by a fault of ours: it was tried ${attempts} times.`,
  )
}

/** A location that was not yet answered when the run was cancelled. */
export function locationCancelledError(): ApiError {
  return new ApiError(
    'run_cancelled',
    'The run was cancelled before this location was answered: retry the run for what is missing.',
  )
}

function positionMembers({ idx, original_index }: LocationPosition) {
  return { index: idx, ...(original_index === null ? {} : { original_index }) }
}

function partialFailuresOf(answer: object): FetchAnswer['partial_failures'] {
  return 'partial_failures' in answer ? (answer as FetchAnswer).partial_failures : []
}
