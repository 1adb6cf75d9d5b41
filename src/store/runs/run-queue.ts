import type { ArtifactWriter } from './artifacts.ts'
import { endSlices, type LeasedRun } from './run-slices.ts'
import type { RunStatus, StoredRun } from './runs.ts'
import type { Sql } from '../sql.ts'

/**
 * The result of a location: its entry as JSON, whether a retry may help, and how many fields of an answered location
 * failed.
 */
export type LocationResult = { idx: number; ok: boolean; retryable: boolean; failedFields: number; entry: string }

/** A location without a result, and how many attempts it has had. */
export type PendingLocation = { idx: number; input: string; original_index: number | null; attempts: number }

/** A location whose next attempt begins, and how many attempts it has had before. */
export type LocationAttempt = Pick<PendingLocation, 'idx' | 'attempts'>

/** A run cannot succeed, because locations have no result. This is an error of our code. */
export class IncompleteRunError extends Error {
  constructor({ done, total }: Pick<StoredRun, 'done' | 'total'>) {
    super(`Only ${done} of the ${total} locations of this run have a result.`)
  }
}

/**
 * Write access to the runs under the lease of one epoch. A run that a later epoch has adopted can no longer be written.
 * A run can be a slice: then the methods read and write the locations of the slice only.
 */
export type RunWriter = {
  /**
   * Adopts the oldest run without a lease, from the account with the fewest leased runs. Skips accounts with
   * `maxPerAccount` runs in this epoch, and runs that have lost `skippedLosses` workers or more. Adopts one slice of a
   * run at a time, and a run after its slices. The run is then in transition. Returns null if there is none.
   */
  adopt(now: number, maxPerAccount: number, skippedLosses: number): Promise<LeasedRun | null>
  /**
   * Renews the leases of these runs, which expire on PostgreSQL, and restores those that its server lost in a crash.
   */
  renewLeases(runs: number[]): Promise<void>
  /** Takes over a given run. The run is then not in transition. Returns null if it is finished. */
  takeOver(run: number, now: number): Promise<LeasedRun | null>
  /**
   * Marks the run as in transition. If the worker ends before the run makes progress or the transition ends, this
   * counts as a worker loss of the run. Returns false if the lease is lost.
   */
  beginTransition(run: number): Promise<boolean>
  endTransition(run: number): Promise<void>
  /**
   * Writes results and counts attempts in one transaction. A location that has a result keeps it, and an attempt counts
   * once, so a write whose outcome is unknown can be repeated. This is progress: it ends the transition, unless the run
   * is being cancelled. The results of a slice also count for its run. Returns the updated run, or null if the lease is
   * lost.
   */
  saveProgress(run: number, results: LocationResult[], attempted: LocationAttempt[]): Promise<LeasedRun | null>
  /** The locations without a result, from an index on. */
  pendingLocations(run: number, from: number, limit: number): Promise<PendingLocation[]>
  /** The locations without a result that have earlier attempts, fewest attempts first. */
  retriedLocations(run: number): Promise<PendingLocation[]>
  /**
   * Settles the attempts of the previous process, once for each worker that was lost with it. Attempts that it did not
   * finish still count. If it ended while no location was in progress, no location caused that, and all earlier
   * attempts are cleared.
   */
  settleAttempts(): Promise<void>
  /**
   * Records a cancel request, and ends the slices of the run. Returns false if the run is finished, or if a worker is
   * cancelling it: to take it over would count as the loss of that worker.
   */
  requestCancel(run: number, now: number): Promise<boolean>
  /**
   * Releases the lease. The given locations keep only their given number of attempts, without the open one.
   */
  releaseLease(run: number, unanswered: LocationAttempt[]): Promise<void>
  /**
   * Sets the final status. A slice that fails also fails its run, and ends the other slices. Returns the updated run, or
   * null if the lease is lost.
   * @throws {IncompleteRunError} if the status is `done` and a location has no result. The run then stays as it is.
   */
  finish(run: number, status: RunStatus, now: number, error: string | null): Promise<LeasedRun | null>
  /**
   * The run if this worker has finished it; null otherwise. Tells whether a `finish` with an unknown outcome succeeded.
   */
  findFinished(run: number): Promise<StoredRun | null>
  /** Writes the result files of the runs that this worker holds, and of finished runs. */
  readonly artifacts: ArtifactWriter
}

/** The runs that workers answer. A worker holds its runs under leases. */
export type RunQueue = {
  /**
   * Starts a new epoch. Its worker may adopt runs of a worker that was lost. A worker is lost when its node begins
   * another epoch. On PostgreSQL, it is also lost when its lease has expired, and on SQLite, when its node sends no
   * heartbeat. `node`: the node of the worker; null outside of a server, where each new worker replaces all others.
   */
  beginEpoch(now: number, node?: string | null): Promise<RunWriter>
}

/** The methods of the worker of an epoch that are the same in both databases. */
type TransitionMethods = Pick<
  RunWriter,
  'beginTransition' | 'endTransition' | 'requestCancel' | 'finish' | 'findFinished'
>

/** Creates the methods that change the state of a run. */
export function createTransitions(work: Sql, epoch: number): TransitionMethods {
  return {
    beginTransition: async (run) => (await work.run(beginTransition, { run, epoch })) > 0,
    async endTransition(run) {
      await work.run('UPDATE runs SET in_transition = 0 WHERE number = $run AND epoch = $epoch', { run, epoch })
    },
    requestCancel: (run, now) =>
      work.write(function* (sql) {
        if ((yield* sql.run(requestCancel, { run, now })) === 0) return false
        yield* endSlices(sql, run)
        return true
      }),
    finish: (run, status, now, error) =>
      work.write(function* (sql) {
        // Only the worker with the lease adds results, so no other can change this before the run is finished.
        const incomplete =
          status === 'done' && (yield* sql.get<Pick<StoredRun, 'done' | 'total'>>(findIncomplete, { run, epoch }))
        if (incomplete) throw new IncompleteRunError(incomplete)
        const finished = yield* sql.get<StoredRun>(setFinished, { run, epoch, status, now, error })
        if (status !== 'failed' || !finished || finished.slice_of === null) return finished
        const whole = yield* sql.get<StoredRun>(setFailed, { run: finished.slice_of, now, error })
        yield* endSlices(sql, finished.slice_of)
        return { ...finished, whole }
      }),
    findFinished: (run) => work.get(findFinished, { run, epoch }),
  }
}

const isHeld = "number = $run AND epoch = $epoch AND status = 'running'"
const beginTransition = `UPDATE runs SET in_transition = 1 WHERE ${isHeld}`
const requestCancel = `UPDATE runs SET cancelled_at = coalesce(cancelled_at, $now)
  WHERE number = $run AND status IN ('queued', 'running') AND (cancelled_at IS NULL OR in_transition = 0)`
const findIncomplete = `SELECT done, total FROM runs WHERE ${isHeld} AND done < total`
const setFinished = `UPDATE runs SET status = $status, finished_at = $now, error = $error, seq = seq + 1
  WHERE ${isHeld} RETURNING *`
const setFailed = `UPDATE runs SET status = 'failed', finished_at = $now, error = $error, seq = seq + 1
  WHERE number = $run AND status IN ('queued', 'running') RETURNING *`
const findFinished = "SELECT * FROM runs WHERE number = $run AND epoch = $epoch AND status NOT IN ('queued', 'running')"
