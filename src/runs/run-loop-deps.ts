import type { PendingLocation } from '../store/runs/run-queue.ts'
import type { StoredRun } from '../store/runs/runs.ts'
import type { FinishDeps } from './finish.ts'
import type { LocationAnswer } from './report/run-entry.ts'
import type { QuestionResult } from './worker-messages.ts'

/** A location of a run to answer. */
export type LocationTask = { run: StoredRun; fields: string[]; location: PendingLocation }

/** Locations of a run to answer together. */
export type BlockTask = Omit<LocationTask, 'location'> & { locations: readonly PendingLocation[] }

/** The dependencies of the run loop. */
export type RunLoopDeps = FinishDeps & {
  /**
   * Whether this is the first worker of the process. If so, interrupted work is due to the end of the previous process,
   * not to a lost worker.
   */
  isFirstWorker: boolean
  /** Answers a location. Resolves with `internal_error` after an unexpected exception. */
  answerLocation(task: LocationTask, signal: AbortSignal): Promise<QuestionResult>
  /** Whether the worker answers locations with these fields itself, many at a time (default: never). */
  answersItself?(fields: readonly string[]): boolean
  /**
   * Returns the answers of such locations, in order; null for each that `answerLocation` must answer (default: all).
   */
  answerBlock?(task: BlockTask): (LocationAnswer | null)[]
  steady_ms?: number
  leaseRenewal_ms?: number
}
