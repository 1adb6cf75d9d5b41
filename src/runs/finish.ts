import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '../model/error.ts'
import { isTemporaryStorageError, StorageError } from '../store/storage-error.ts'
import { IncompleteRunError, type RunWriter } from '../store/runs/run-queue.ts'
import type { LeasedRun } from '../store/runs/run-slices.ts'
import type { StoredRun } from '../store/runs/runs.ts'
import { LeaseLostError } from './artifacts/artifact-output.ts'
import { locationCancelledError, errorEntryOf } from './report/run-entry.ts'

/** A run fails when this many workers are lost during its transitions without progress in between. */
export const workerLossesMax = 3

/** The dependencies of finishing a run. */
export type FinishDeps = {
  writer: RunWriter
  writeArtifacts(run: StoredRun): Promise<void>
  /** Reports a change of a run, or of a slice with the change of its run. */
  reportChange(run: LeasedRun): void
  now(): Date
  reportFailure(activity: string, error: unknown): void
  /** Reports that the activity works again, if it had failed. */
  reportRecovery(activity: string): void
}

const cancelledAtOnce = 500
const retryPause_ms = 1000
const triesMax = 3
const filesFailure = 'The result files of this run could not be written because of an internal error.'
const incompleteAdvice =
  'This is an internal error. Submit the locations again, and report it to the operator of this server.'

/**
 * Finishes a run: writes the entries of unanswered locations if it is cancelled, then the result files, then the final
 * status. A slice has no result files. Waits while the disk is full; any other error fails the run after three
 * attempts, and a location without a result fails it at once. Returns the final run, null if the lease is lost, or
 * `stopping` if the server stops first.
 */
export async function finishRun(
  run: StoredRun,
  status: 'done' | 'cancelled',
  deps: FinishDeps,
  isStopping: () => boolean,
): Promise<LeasedRun | null | 'stopping'> {
  const { writer, writeArtifacts, now, reportFailure, reportRecovery } = deps
  let failure: string | null = null
  for (let errors = 0; ; await Bun.sleep(retryPause_ms)) {
    try {
      if (failure !== null) return await failRun(run, new ApiError('internal_error', failure), deps)
      // An earlier attempt may have finished the run, although its answer was lost.
      if (!(await writer.beginTransition(run.number))) return await writer.findFinished(run.number)
      if (status === 'cancelled') await cancelOpen(run, deps)
      if (run.slice_of === null) await writeArtifacts(run)
      const finished = await writer.finish(run.number, status, now().getTime(), null)
      reportRecovery('finishing a run')
      return finished
    } catch (error) {
      if (error instanceof LeaseLostError) return null
      if (isStopping()) return 'stopping'
      reportFailure('finishing a run', error)
      if (error instanceof IncompleteRunError) failure = `${error.message} ${incompleteAdvice}`
      else if (!isTemporaryStorageError(error) && ++errors >= triesMax) failure = filesFailure
      await endTransition(run, writer)
    }
  }
}

/** Fails a run that lost too many workers. */
export function failAfterLosses(run: StoredRun, deps: FinishDeps): Promise<null> {
  const message = `The worker of this run crashed ${run.worker_losses} times without progress, the last time while it ${transitionOf(run)}. Submit the locations again in smaller runs. If that fails too, contact the operator of this server.`
  deps.reportFailure('a run that crashes its worker', new Error(`${run.id}: ${message}`))
  return reportFailed(run, new ApiError('internal_error', message), deps)
}

/** Fails a run whose stored data cannot be read, so that it stops no other. @throws {StorageError} if `cause` is one. */
export async function failUnreadable(run: StoredRun, cause: unknown, deps: FinishDeps): Promise<null> {
  if (cause instanceof StorageError) throw cause
  deps.reportFailure('a run that cannot be read', new Error(`${run.id}: its stored data is damaged.`, { cause }))
  const message = 'The stored data of this run is damaged. Submit the locations again.'
  return reportFailed(run, new ApiError('stored_data_damaged', message), deps)
}

async function reportFailed(run: StoredRun, error: ApiError, deps: FinishDeps): Promise<null> {
  const failed = await failRun(run, error, deps)
  if (failed) deps.reportChange(failed)
  return null
}

/** Ends the transition while the run waits. If the disk is full, this does nothing; a later attempt ends it. */
export async function endTransition(run: StoredRun, writer: RunWriter): Promise<void> {
  try {
    await writer.endTransition(run.number)
  } catch (error) {
    if (!isTemporaryStorageError(error)) throw error
  }
}

async function failRun(run: StoredRun, error: ApiError, { writer, now }: FinishDeps): Promise<LeasedRun | null> {
  const failed = await writer.finish(run.number, 'failed', now().getTime(), JSON.stringify(error.detail))
  // An earlier attempt may have failed the run, although its answer was lost.
  return failed ?? writer.findFinished(run.number)
}

function transitionOf({ cancelled_at, done, total }: StoredRun): string {
  if (cancelled_at !== null) return 'was cancelling the run'
  return done === total ? 'was writing the result files' : `was reading the locations (${done} of ${total} answered)`
}

async function cancelOpen(run: StoredRun, { writer, reportChange, now }: FinishDeps): Promise<void> {
  for (let from = 0; ;) {
    const open = await writer.pendingLocations(run.number, from, cancelledAtOnce)
    if (open.length === 0) return
    from = open.at(-1)!.idx + 1
    const changed = await writer.saveProgress(
      run.number,
      open.map((location) => ({ idx: location.idx, ...errorEntryOf(location, locationCancelledError(), now()) })),
      [],
    )
    if (!changed) return
    reportChange(changed)
    await nextTurn()
  }
}
