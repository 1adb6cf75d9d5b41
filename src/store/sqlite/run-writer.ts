import type { Database } from 'bun:sqlite'
import type { RunStatus } from '../run-status.ts'
import type { StoredRun } from '../runs.ts'
import { storeWithStorageErrors, withStorageErrors } from './sqlite-errors.ts'

/**
 * The result of a location: its entry as JSON, whether a retry may help, and how many fields of an answered location
 * failed.
 */
export type LocationResult = { idx: number; ok: boolean; retryable: boolean; failedFields: number; entry: string }

/** A location without a result, and how many attempts it has had. */
export type PendingLocation = { idx: number; input: string; original_index: number | null; attempts: number }

/**
 * Write access to the runs under the lease of one epoch. A run that a later epoch has adopted can no longer be written.
 */
export type RunWriter = {
  /**
   * Adopts the oldest run that this epoch does not hold, from the account with the fewest held runs. Skips accounts
   * with `maxPerAccount` held runs, and runs that have lost `skippedLosses` workers or more. The run is then in a step.
   * Returns null if there is none.
   */
  adopt(now: number, maxPerAccount: number, skippedLosses: number): StoredRun | null
  /** Takes over a given run, which is then in no step. Returns null if it is finished. */
  takeOver(run: number, now: number): StoredRun | null
  /**
   * Marks the run as in a step. If the worker ends before the run makes progress or leaves the step, it counts as a
   * worker loss of this run. Returns false if the lease is lost.
   */
  beginTransition(run: number): boolean
  endTransition(run: number): void
  /**
   * Writes results and counts attempts in one transaction. This is progress: it ends the step, unless the run is being
   * cancelled. Returns the updated run, or null if the lease is lost.
   */
  saveProgress(run: number, results: LocationResult[], attempted: number[]): StoredRun | null
  /** The locations without a result, from an index on. */
  pendingLocations(run: number, from: number, limit: number): PendingLocation[]
  /** The locations without a result that have earlier attempts, fewest attempts first. */
  retriedLocations(run: number): PendingLocation[]
  /**
   * Settles the attempts of the previous process. Attempts that it did not finish still count. If it ended while no
   * location was in progress, no location caused that, and all earlier attempts are cleared.
   */
  settleAttempts(): void
  /** Records a cancel request. Returns false if the run is finished. */
  requestCancel(run: number, now: number): boolean
  /** Releases the lease. The attempts of the given locations do not count. */
  releaseLease(run: number, attempted: number[]): void
  /** Sets the final status. Returns the updated run, or null if the lease is lost. */
  finish(run: number, status: RunStatus, now: number, error: string | null): StoredRun | null
}

/** Starts a new epoch and returns its number. Earlier epochs lose each run that the new one adopts. */
export function beginEpoch(db: Database, now: number): number {
  const begin = db.query<{ epoch: number }, [number]>('INSERT INTO run_epochs (started_at) VALUES (?) RETURNING epoch')
  return withStorageErrors(() => begin.get(now)!.epoch)
}

/** Creates the run writer of an epoch. All statements are prepared once. */
export function createRunWriter(db: Database, epoch: number): RunWriter {
  const statements = prepareStatements(db)
  const adopt = db.transaction((now: number, maxPerAccount: number, skippedLosses: number): StoredRun | null => {
    const found = statements.findNextRun.get(epoch, maxPerAccount, skippedLosses)
    return found && statements.takeLease.get(epoch, now, 1, found.number)
  })
  const saveProgress = db.transaction(
    (run: number, results: LocationResult[], attempted: number[]): StoredRun | null => {
      if (!statements.findLease.get(run, epoch)) return null
      for (const { idx, ok, retryable, entry } of results)
        statements.insertResult.run(run, idx, Number(ok), Number(retryable), entry)
      for (const idx of attempted) statements.countAttempt.run(run, idx)
      return statements.addProgress.get(
        results.length,
        results.filter(({ ok }) => ok).length,
        results.filter(({ retryable }) => retryable).length,
        results.reduce((sum, { failedFields }) => sum + failedFields, 0),
        run,
      )
    },
  )
  const settleAttempts = db.transaction((): void => {
    if (statements.findAttempted.get()) statements.carryOverAttempts.run()
    else statements.clearEarlierAttempts.run()
  })
  const releaseLease = db.transaction((run: number, attempted: number[]): void => {
    if (statements.clearLease.run(run, epoch).changes === 0) return
    for (const idx of attempted) statements.uncountAttempt.run(run, idx)
  })
  return storeWithStorageErrors({
    adopt: (...args) => adopt.immediate(...args),
    takeOver: (run, now) => statements.takeLease.get(epoch, now, 0, run),
    beginTransition: (run) => statements.beginTransition.run(run, epoch).changes > 0,
    endTransition: (run) => {
      statements.endTransition.run(run, epoch)
    },
    saveProgress: (...args) => saveProgress.immediate(...args),
    pendingLocations: (run, from, limit) => statements.pendingLocations.all(run, from, limit),
    retriedLocations: (run) => statements.retriedLocations.all(run),
    settleAttempts: () => settleAttempts.immediate(),
    requestCancel: (run, now) => statements.requestCancel.run(now, run).changes > 0,
    releaseLease: (...args) => releaseLease.immediate(...args),
    finish: (run, status, now, error) => statements.finish.get(status, now, error, run, epoch),
  })
}

function prepareStatements(db: Database) {
  const findNextRun = db.query<{ number: number }, [number, number, number]>(
    `WITH open AS (SELECT number, account_id, coalesce(epoch >= ?1, 0) AS held, worker_losses + in_transition AS losses FROM runs WHERE status IN ('queued', 'running')),
       accounts AS (SELECT account_id, sum(held) AS held FROM open GROUP BY account_id)
     SELECT number FROM open JOIN accounts USING (account_id) WHERE NOT open.held AND accounts.held < ?2 AND open.losses < ?3 ORDER BY accounts.held, number LIMIT 1`,
  )
  // If an earlier worker entered a step and did not leave it, that worker was lost in this run.
  const takeLease = db.query<StoredRun, [number, number, number, number]>(
    `UPDATE runs SET epoch = ?, seq = seq + (status = 'queued'), started_at = coalesce(started_at, ?), status = 'running', worker_losses = worker_losses + in_transition, in_transition = ?
     WHERE number = ? AND status IN ('queued', 'running') RETURNING *`,
  )
  const beginTransition = db.query(
    "UPDATE runs SET in_transition = 1 WHERE number = ? AND epoch = ? AND status = 'running'",
  )
  const endTransition = db.query('UPDATE runs SET in_transition = 0 WHERE number = ? AND epoch = ?')
  const findLease = db.query<{ held: number }, [number, number]>(
    "SELECT 1 AS held FROM runs WHERE number = ? AND epoch = ? AND status = 'running'",
  )
  const insertResult = db.query('INSERT INTO run_results (run, idx, ok, retryable, entry) VALUES (?, ?, ?, ?, ?)')
  const countAttempt = db.query('UPDATE run_locations SET attempts = attempts + 1 WHERE run = ? AND idx = ?')
  const uncountAttempt = db.query('UPDATE run_locations SET attempts = max(0, attempts - 1) WHERE run = ? AND idx = ?')
  // All fields of a failed location count as failed.
  const addProgress = db.query<StoredRun, [number, number, number, number, number]>(
    `UPDATE runs SET done = done + ?1, ok = ok + ?2, retryable_locations = retryable_locations + ?3, failed_values = failed_values + ?4 + (?1 - ?2) * json_array_length(fields), seq = seq + 1, worker_losses = 0, in_transition = in_transition AND cancelled_at IS NOT NULL
     WHERE number = ?5 RETURNING *`,
  )
  const isPending = 'NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)'
  const pendingQuery = `SELECT idx, input, original_index, attempts + earlier_attempts AS attempts FROM run_locations l WHERE run = ? AND ${isPending}`
  const pendingLocations = db.query<PendingLocation, [number, number, number]>(
    `${pendingQuery} AND idx >= ? ORDER BY idx LIMIT ?`,
  )
  const retriedLocations = db.query<PendingLocation, [number]>(
    `${pendingQuery} AND l.attempts + l.earlier_attempts > 0 ORDER BY l.attempts + l.earlier_attempts, idx`,
  )
  const isPendingInRunningRun = `run IN (SELECT number FROM runs WHERE status = 'running') AND ${isPending}`
  const findAttempted = db.query<{ idx: number }, []>(
    `SELECT idx FROM run_locations AS l WHERE attempts > 0 AND ${isPendingInRunningRun} LIMIT 1`,
  )
  const carryOverAttempts = db.query(
    `UPDATE run_locations AS l SET earlier_attempts = earlier_attempts + attempts, attempts = 0 WHERE attempts > 0 AND ${isPendingInRunningRun}`,
  )
  const clearEarlierAttempts = db.query(
    `UPDATE run_locations AS l SET earlier_attempts = 0 WHERE earlier_attempts > 0 AND ${isPendingInRunningRun}`,
  )
  const requestCancel = db.query(
    "UPDATE runs SET cancelled_at = coalesce(cancelled_at, ?) WHERE number = ? AND status IN ('queued', 'running')",
  )
  const clearLease = db.query('UPDATE runs SET epoch = NULL, in_transition = 0 WHERE number = ? AND epoch = ?')
  const finish = db.query<StoredRun, [RunStatus, number, string | null, number, number]>(
    "UPDATE runs SET status = ?, finished_at = ?, error = ?, seq = seq + 1 WHERE number = ? AND epoch = ? AND status = 'running' RETURNING *",
  )
  return {
    findNextRun,
    takeLease,
    beginTransition,
    endTransition,
    findLease,
    insertResult,
    countAttempt,
    uncountAttempt,
    addProgress,
    pendingLocations,
    retriedLocations,
    findAttempted,
    carryOverAttempts,
    clearEarlierAttempts,
    requestCancel,
    clearLease,
    finish,
  }
}
