import type { Database } from 'bun:sqlite'
import type { PendingLocation, RunQueue, RunWriter } from '../run-queue.ts'
import type { RunStatus } from '../run-status.ts'
import type { StoredRun } from '../runs.ts'
import { createArtifactWriter } from './artifacts.ts'
import { machineClock_ms } from './nodes.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the queue of runs. */
export function createRunQueue(transactions: SqliteTransactions): RunQueue {
  return {
    async beginEpoch(now, node = null) {
      const begin = transactions.db.query<{ epoch: number }, [number, string | null]>(
        'INSERT INTO run_epochs (started_at, node) VALUES (?, ?) RETURNING epoch',
      )
      const { epoch } = await transactions.write(() => begin.get(now, node)!)
      return createRunWriter(transactions, epoch)
    },
  }
}

/** Creates the run writer of an epoch. All statements are prepared once. */
export function createRunWriter(transactions: SqliteTransactions, epoch: number): RunWriter {
  const { db, read, write } = transactions
  const statements = prepareStatements(db)
  return {
    async adopt(now, ...limits) {
      const findNext = () => statements.findNextRun.get(epoch, ...limits)
      // Most often there is none, and a reader does not wait for writers.
      if (!(await read(findNext))) return null
      return write(() => {
        const found = findNext()
        return found && statements.takeLease.get(epoch, now, 1, found.number)
      })
    },
    // A worker holds its runs as long as its node gives signs of life.
    renewLeases: async () => {},
    takeOver: (run, now) => write(() => statements.takeLease.get(epoch, now, 0, run)),
    beginTransition: (run) => write(() => statements.beginTransition.run(run, epoch).changes > 0),
    endTransition: (run) => write(() => void statements.endTransition.run(run, epoch)),
    saveProgress: (run, results, attempted) =>
      write(() => {
        if (!statements.findLease.get(run, epoch)) return null
        const added = results.filter(
          ({ idx, ok, retryable, entry }) =>
            statements.insertResult.run(run, idx, Number(ok), Number(retryable), entry).changes > 0,
        )
        for (const { idx, attempts } of attempted) statements.countAttempt.run(attempts, run, idx)
        return statements.addProgress.get(
          added.length,
          added.filter(({ ok }) => ok).length,
          added.filter(({ retryable }) => retryable).length,
          added.reduce((sum, { failedFields }) => sum + failedFields, 0),
          run,
        )
      }),
    pendingLocations: (run, from, limit) => read(() => statements.pendingLocations.all(run, from, limit)),
    retriedLocations: (run) => read(() => statements.retriedLocations.all(run)),
    settleAttempts: () =>
      write(() => {
        if (statements.findAttempted.get(epoch)) statements.carryOverAttempts.run(epoch)
        else statements.clearEarlierAttempts.run(epoch)
      }),
    requestCancel: (run, now) => write(() => statements.requestCancel.run(now, run).changes > 0),
    releaseLease: (run, attempted) =>
      write(() => {
        if (statements.clearLease.run(run, epoch).changes === 0) return
        for (const idx of attempted) statements.uncountAttempt.run(run, idx)
      }),
    finish: (run, status, now, error) => write(() => statements.finish.get(status, now, error, run, epoch)),
    findFinished: (run) => read(() => statements.findFinished.get(run, epoch)),
    artifacts: createArtifactWriter(transactions, epoch),
  }
}

const isPending = 'NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)'

/** How long a worker holds its runs after the last sign of life of its node. Nodes are processes of this machine. */
const lease_ms = 20_000

/**
 * Whether a worker other than the one of epoch `?1` holds the run `r`, and is not lost. A worker is lost if its node has
 * a later one, or gives no sign of life. Outside of a server there is one worker at a time, without a node.
 */
const isHeldByOther = `coalesce(r.epoch <> ?1 AND EXISTS (
    SELECT 1 FROM run_epochs e WHERE e.epoch = r.epoch
      AND (e.node IS NULL OR e.node IN (SELECT id FROM nodes WHERE seen_at > ${machineClock_ms} - ${lease_ms}))
      AND NOT EXISTS (SELECT 1 FROM run_epochs later WHERE later.epoch > e.epoch AND (e.node IS NULL OR later.node = e.node))
  ), 0)`

function prepareStatements(db: Database) {
  const findNextRun = db.query<{ number: number }, [number, number, number]>(
    `WITH open AS (
       SELECT number, account_id, coalesce(epoch = ?1, 0) AS own, coalesce(epoch = ?1, 0) OR ${isHeldByOther} AS held, worker_losses + in_transition AS losses
       FROM runs r WHERE status IN ('queued', 'running')),
       accounts AS (SELECT account_id, sum(own) AS own, sum(held) AS held FROM open GROUP BY account_id)
     SELECT number FROM open JOIN accounts USING (account_id) WHERE NOT open.held AND accounts.own < ?2 AND open.losses < ?3 ORDER BY accounts.held, number LIMIT 1`,
  )
  // If the transition of an earlier worker did not end, that worker was lost in this run.
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
  const insertResult = db.query(
    'INSERT OR IGNORE INTO run_results (run, idx, ok, retryable, entry) VALUES (?, ?, ?, ?, ?)',
  )
  // All fields of a failed location count as failed.
  const addProgress = db.query<StoredRun, [number, number, number, number, number]>(
    `UPDATE runs SET done = done + ?1, ok = ok + ?2, retryable_locations = retryable_locations + ?3, failed_values = failed_values + ?4 + (?1 - ?2) * json_array_length(fields), seq = seq + 1, worker_losses = 0, in_transition = in_transition AND cancelled_at IS NOT NULL
     WHERE number = ?5 RETURNING *`,
  )
  const pendingQuery = `SELECT idx, input, original_index, attempts + earlier_attempts AS attempts FROM run_locations l WHERE run = ? AND ${isPending}`
  const pendingLocations = db.query<PendingLocation, [number, number, number]>(
    `${pendingQuery} AND idx >= ? ORDER BY idx LIMIT ?`,
  )
  const retriedLocations = db.query<PendingLocation, [number]>(
    `${pendingQuery} AND l.attempts + l.earlier_attempts > 0 ORDER BY l.attempts + l.earlier_attempts, idx`,
  )
  const requestCancel = db.query(
    "UPDATE runs SET cancelled_at = coalesce(cancelled_at, ?) WHERE number = ? AND status IN ('queued', 'running')",
  )
  const clearLease = db.query('UPDATE runs SET epoch = NULL, in_transition = 0 WHERE number = ? AND epoch = ?')
  const finish = db.query<StoredRun, [RunStatus, number, string | null, number, number]>(
    "UPDATE runs SET status = ?, finished_at = ?, error = ?, seq = seq + 1 WHERE number = ? AND epoch = ? AND status = 'running' RETURNING *",
  )
  const findFinished = db.query<StoredRun, [number, number]>(
    "SELECT * FROM runs WHERE number = ? AND epoch = ? AND status NOT IN ('queued', 'running')",
  )
  return {
    ...prepareAttemptStatements(db),
    findNextRun,
    takeLease,
    beginTransition,
    endTransition,
    findLease,
    insertResult,
    addProgress,
    pendingLocations,
    retriedLocations,
    requestCancel,
    clearLease,
    finish,
    findFinished,
  }
}

function prepareAttemptStatements(db: Database) {
  const countAttempt = db.query(
    'UPDATE run_locations SET attempts = ? + 1 - earlier_attempts WHERE run = ? AND idx = ?',
  )
  const uncountAttempt = db.query('UPDATE run_locations SET attempts = max(0, attempts - 1) WHERE run = ? AND idx = ?')
  const isPendingInRunningRun = `run IN (SELECT number FROM runs r WHERE status = 'running' AND NOT ${isHeldByOther}) AND ${isPending}`
  const findAttempted = db.query<{ idx: number }, [number]>(
    `SELECT idx FROM run_locations AS l WHERE attempts > 0 AND ${isPendingInRunningRun} LIMIT 1`,
  )
  const carryOverAttempts = db.query(
    `UPDATE run_locations AS l SET earlier_attempts = earlier_attempts + attempts, attempts = 0 WHERE attempts > 0 AND ${isPendingInRunningRun}`,
  )
  const clearEarlierAttempts = db.query(
    `UPDATE run_locations AS l SET earlier_attempts = 0 WHERE earlier_attempts > 0 AND ${isPendingInRunningRun}`,
  )
  return { countAttempt, uncountAttempt, findAttempted, carryOverAttempts, clearEarlierAttempts }
}
