import type { Database } from 'bun:sqlite'
import type { RunStatus } from './run-status.ts'
import type { StoredRun } from './run-reader.ts'

/** What answering a location came to: its entry as JSON, and whether asking again may do better. */
export type LocationResult = { idx: number; ok: boolean; retryable: boolean; entry: string }

/** A location to be answered, and how often that was tried before. */
export type PendingLocation = { idx: number; input: string; original_index: number | null; attempts: number }

/** The working side of the runs, under the lease of one epoch: what another epoch has taken over can no longer be written. */
export type RunWriter = {
  /** The oldest run that nobody of this epoch works on, now its own and in a step: of the account that has the fewest in work, and fewer than so many. */
  adopt(now: number, maxPerAccount: number): StoredRun | null
  /** That run, now its own and in no step; null when it is finished. */
  takeOver(run: number, now: number): StoredRun | null
  /** Marks the run as in a step: if the worker ends before the run makes progress or leaves the step, that is a lost worker of this run. False when the lease is lost. */
  enterStep(run: number): boolean
  leaveStep(run: number): void
  /** Writes results, each once, and marks locations as tried: all of it, or nothing. It is progress, and ends the step unless the run is being cancelled. Gives the run as it is then, or null when the lease is lost. */
  saveProgress(run: number, results: LocationResult[], attempted: number[]): StoredRun | null
  /** Locations without a result, from an index on. */
  pendingLocations(run: number, from: number, limit: number): PendingLocation[]
  /** Those of them that were tried before, the least often first. */
  retriedLocations(run: number): PendingLocation[]
  /** Settles what the process before left, once: a try that it did not outlive stays a try. If it ended while nothing was in work, it is no location that ends it: none of them is suspected any more. */
  settleAttempts(): void
  /** That somebody wants it cancelled; false when it is finished. */
  requestCancel(run: number, now: number): boolean
  /** Gives up the lease: locations in work count as not tried. */
  releaseLease(run: number, attempted: number[]): void
  finish(run: number, status: RunStatus, now: number, error: string | null): StoredRun | null
}

/** A new epoch: from now on every earlier one is over. */
export function beginEpoch(db: Database, now: number): number {
  return db.query<{ epoch: number }, [number]>('INSERT INTO run_epochs (began_at) VALUES (?) RETURNING epoch').get(now)!
    .epoch
}

export function createRunWriter(db: Database, epoch: number): RunWriter {
  const findNextRun = db.query<{ number: number }, [number, number]>(
    `WITH open AS (SELECT number, account_id, coalesce(epoch >= ?1, 0) AS held FROM runs WHERE status IN ('queued', 'running')),
       accounts AS (SELECT account_id, sum(held) AS held FROM open GROUP BY account_id)
     SELECT number FROM open JOIN accounts USING (account_id) WHERE NOT open.held AND accounts.held < ?2 ORDER BY accounts.held, number LIMIT 1`,
  )
  // A step that an earlier worker began and did not end is a lost worker.
  const takeLease = db.query<StoredRun, [number, number, number, number]>(
    `UPDATE runs SET epoch = ?, seq = seq + (status = 'queued'), started_at = coalesce(started_at, ?), status = 'running', worker_losses = worker_losses + in_step, in_step = ?
     WHERE number = ? AND status IN ('queued', 'running') RETURNING *`,
  )
  const enterStep = db.query("UPDATE runs SET in_step = 1 WHERE number = ? AND epoch = ? AND status = 'running'")
  const leaveStep = db.query('UPDATE runs SET in_step = 0 WHERE number = ? AND epoch = ?')
  const findLease = db.query<{ held: number }, [number, number]>(
    "SELECT 1 AS held FROM runs WHERE number = ? AND epoch = ? AND status = 'running'",
  )
  const insertResult = db.query('INSERT INTO run_results (run, idx, ok, again, entry) VALUES (?, ?, ?, ?, ?)')
  const countAttempt = db.query('UPDATE run_locations SET attempts = attempts + 1 WHERE run = ? AND idx = ?')
  const uncountAttempt = db.query('UPDATE run_locations SET attempts = max(0, attempts - 1) WHERE run = ? AND idx = ?')
  const addProgress = db.query<StoredRun, [number, number, number, number]>(
    `UPDATE runs SET done = done + ?, ok = ok + ?, again = again + ?, seq = seq + 1, worker_losses = 0, in_step = in_step AND cancelled_at IS NOT NULL
     WHERE number = ? RETURNING *`,
  )
  const isPending = 'NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)'
  const pendingQuery = `SELECT idx, input, original_index, attempts + earlier AS attempts FROM run_locations l WHERE run = ? AND ${isPending}`
  const pendingLocations = db.query<PendingLocation, [number, number, number]>(
    `${pendingQuery} AND idx >= ? ORDER BY idx LIMIT ?`,
  )
  const retriedLocations = db.query<PendingLocation, [number]>(
    `${pendingQuery} AND l.attempts + l.earlier > 0 ORDER BY l.attempts + l.earlier, idx`,
  )
  const isPendingInRunningRun = `run IN (SELECT number FROM runs WHERE status = 'running') AND ${isPending}`
  const findAttempted = db.query<{ idx: number }, []>(
    `SELECT idx FROM run_locations AS l WHERE attempts > 0 AND ${isPendingInRunningRun} LIMIT 1`,
  )
  const carryOverAttempts = db.query(
    `UPDATE run_locations AS l SET earlier = earlier + attempts, attempts = 0 WHERE attempts > 0 AND ${isPendingInRunningRun}`,
  )
  const clearEarlierAttempts = db.query(
    `UPDATE run_locations AS l SET earlier = 0 WHERE earlier > 0 AND ${isPendingInRunningRun}`,
  )
  const requestCancel = db.query(
    "UPDATE runs SET cancelled_at = coalesce(cancelled_at, ?) WHERE number = ? AND status IN ('queued', 'running')",
  )
  const clearLease = db.query('UPDATE runs SET epoch = NULL, in_step = 0 WHERE number = ? AND epoch = ?')
  const finish = db.query<StoredRun, [RunStatus, number, string | null, number, number]>(
    "UPDATE runs SET status = ?, finished_at = ?, error = ?, seq = seq + 1 WHERE number = ? AND epoch = ? AND status = 'running' RETURNING *",
  )
  const adopt = db.transaction((now: number, maxPerAccount: number): StoredRun | null => {
    const found = findNextRun.get(epoch, maxPerAccount)
    return found && takeLease.get(epoch, now, 1, found.number)
  })
  const saveProgress = db.transaction(
    (run: number, results: LocationResult[], attempted: number[]): StoredRun | null => {
      if (!findLease.get(run, epoch)) return null
      for (const { idx, ok, retryable, entry } of results)
        insertResult.run(run, idx, Number(ok), Number(retryable), entry)
      for (const idx of attempted) countAttempt.run(run, idx)
      return addProgress.get(
        results.length,
        results.filter(({ ok }) => ok).length,
        results.filter(({ retryable }) => retryable).length,
        run,
      )
    },
  )
  const settleAttempts = db.transaction((): void => {
    if (findAttempted.get()) carryOverAttempts.run()
    else clearEarlierAttempts.run()
  })
  const releaseLease = db.transaction((run: number, attempted: number[]): void => {
    if (clearLease.run(run, epoch).changes === 0) return
    for (const idx of attempted) uncountAttempt.run(run, idx)
  })
  return {
    adopt: (...it) => adopt.immediate(...it),
    takeOver: (run, now) => takeLease.get(epoch, now, 0, run),
    enterStep: (run) => enterStep.run(run, epoch).changes > 0,
    leaveStep: (run) => {
      leaveStep.run(run, epoch)
    },
    saveProgress: (...it) => saveProgress.immediate(...it),
    pendingLocations: (run, from, limit) => pendingLocations.all(run, from, limit),
    retriedLocations: (run) => retriedLocations.all(run),
    settleAttempts: () => settleAttempts.immediate(),
    requestCancel: (run, now) => requestCancel.run(now, run).changes > 0,
    releaseLease: (...it) => releaseLease.immediate(...it),
    finish: (run, status, now, error) => finish.get(status, now, error, run, epoch),
  }
}
