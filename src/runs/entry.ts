import type { FetchAnswer } from '../fetch/fetch-answer.ts'
import { ApiError } from '../model/error.ts'
import { formatTimestamp } from '../model/timestamp.ts'

/** What answering one location of a run came to: its entry as JSON, and whether asking again may do better. */
export type Answered = { ok: boolean; again: boolean; entry: string }

/** Where a location stands: in this run, and in the run that this one tries again. */
export type Position = { idx: number; original_index: number | null }

/** The entry of a location that was answered. */
export function entryOf(at: Position, answer: object): Answered {
  return { ok: true, again: failuresOf(answer).some(({ retryable }) => retryable), entry: JSON.stringify({ ...placeOf(at), ok: true, ...answer }) }
}

/** The entry of a location that could not be answered: the error object that the single endpoint would have given. */
export function refusedEntry(at: Position, error: ApiError, now: Date): Answered {
  return { ok: false, again: error.retryable, entry: JSON.stringify({ ...placeOf(at), ok: false, fetched_at: formatTimestamp(now), error: error.detail }) }
}

/** A location whose answering broke as often as it may. */
export function givenUp(attempts: number): ApiError {
  return new ApiError('internal_error', `This location could not be answered, by a fault of ours: it was tried ${attempts} times.`)
}

/** A location that was not yet answered when the run was cancelled. */
export function cancelledRow(): ApiError {
  return new ApiError('run_cancelled', 'The run was cancelled before this location was answered: retry the run for what is missing.')
}

function placeOf({ idx, original_index }: Position) {
  return { index: idx, ...(original_index === null ? {} : { original_index }) }
}

function failuresOf(answer: object): FetchAnswer['partial_failures'] {
  return 'partial_failures' in answer ? (answer as FetchAnswer).partial_failures : []
}
