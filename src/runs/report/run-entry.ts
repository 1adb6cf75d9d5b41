import { ApiError } from '../../model/error.ts'
import { formatTimestamp } from '../../model/text.ts'
import type { LocationResult } from '../../store/runs/run-queue.ts'

/** The answer for one location of a run: what is stored, without its index. */
export type LocationAnswer = Omit<LocationResult, 'idx'>

/** The index of a location in this run and, for a retry, in the original run. */
export type LocationPosition = { idx: number; original_index: number | null }

/** The entry of a failed location, with the error object of the corresponding endpoint. */
export function errorEntryOf(position: LocationPosition, error: ApiError, now: Date): LocationAnswer {
  return {
    ok: false,
    retryable: error.retryable,
    failedFields: 0,
    entry: JSON.stringify({
      ...positionMembers(position),
      ok: false,
      fetched_at: formatTimestamp(now),
      error: error.detail,
    }),
  }
}

/** The error of a location that failed with an unexpected exception in every attempt. */
export function triesExhaustedError(attempts: number): ApiError {
  return new ApiError('internal_error', `This location failed ${attempts} times because of an internal error.`)
}

/** The error of a location that had no answer when the run was cancelled. */
export function locationCancelledError(): ApiError {
  return new ApiError(
    'run_cancelled',
    'The run was cancelled before this location was answered. Retry the run to answer the missing locations.',
  )
}

/** The members of an entry that name its location. */
export function positionMembers({ idx, original_index }: LocationPosition) {
  return { index: idx, ...(original_index === null ? {} : { original_index }) }
}
