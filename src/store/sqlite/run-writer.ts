import type { Database } from 'bun:sqlite'
import { RunAttempts } from '../run-attempts.ts'
import { IncompleteRunError, type PendingLocation, type RunQueue, type RunWriter } from '../run-queue.ts'
import type { RunStatus, StoredRun } from '../runs.ts'
import { createArtifactWriter } from './artifacts.ts'
import { sqliteDialect } from '../dialect.ts'

const machineClock_ms = sqliteDialect.clock_ms
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
    ...createPendingMethods(transactions, epoch),
    async adopt(now, ...limits) {
      const findNext = () => statements.findNextRun.get(epoch, ...limits)
      // Most often there is none, and a reader does not wait for writers.
      if (!(await read(findNext))) return null
      return write(() => {
        const found = findNext()
        return found && statements.takeLease.get(epoch, now, 1, found.number)
      })
    },
    // The leases of a worker last as long as its node sends heartbeats.
    renewLeases: async () => {},
    takeOver: (run, now) => write(() => statements.takeLease.get(epoch, now, 0, run)),
    beginTransition: (run) => write(() => statements.beginTransition.run(run, epoch).changes > 0),
    endTransition: (run) => write(() => void statements.endTransition.run(run, epoch)),
    saveProgress: (run, results, attempted) =>
      write(() => {
        const leased = statements.findLease.get(run, epoch)
        if (!leased) return null
        const attempts = RunAttempts.parse(leased.attempts)
        const added = results.filter(
          ({ idx, ok, retryable, entry }) =>
            statements.insertResult.run(run, idx, Number(ok), Number(retryable), entry).changes > 0,
        )
        for (const { idx } of added) attempts.remove(idx)
        for (const location of attempted) attempts.begin(location)
        return statements.addProgress.get(
          added.length,
          added.filter(({ ok }) => ok).length,
          added.filter(({ retryable }) => retryable).length,
          added.reduce((sum, { failedFields }) => sum + failedFields, 0),
          run,
          attempts.toString(),
        )
      }),
    requestCancel: (run, now) => write(() => statements.requestCancel.run(now, run).changes > 0),
    releaseLease: (run, unanswered) =>
      write(() => {
        const leased = statements.findLease.get(run, epoch)
        if (!leased) return
        const attempts = RunAttempts.parse(leased.attempts)
        attempts.release(unanswered)
        statements.clearLease.run(attempts.toString(), run, epoch)
      }),
    finish: (run, status, now, error) =>
      write(() => {
        const incomplete = status === 'succeeded' && statements.findIncomplete.get(run, epoch)
        if (incomplete) throw new IncompleteRunError(incomplete)
        return statements.finish.get(status, now, error, run, epoch)
      }),
    findFinished: (run) => read(() => statements.findFinished.get(run, epoch)),
    artifacts: createArtifactWriter(transactions, epoch),
  }
}

/** How long the leases of a worker last after the last heartbeat of its node. Nodes are processes of this machine. */
const lease_ms = 20_000

/**
 * Whether a worker other than the one of epoch `?1` has the lease of the run `r`, and is not lost. A worker is lost if its node
 * has a later worker, or sends no heartbeat. Outside of a server, there is one worker at a time, without a node.
 */
const isLeasedByOther = `coalesce(r.epoch <> ?1 AND EXISTS (
    SELECT 1 FROM run_epochs e WHERE e.epoch = r.epoch
      AND (e.node IS NULL OR e.node IN (SELECT id FROM nodes WHERE seen_at > ${machineClock_ms} - ${lease_ms}))
      AND NOT EXISTS (SELECT 1 FROM run_epochs later WHERE later.epoch > e.epoch AND (e.node IS NULL OR later.node = e.node))
  ), 0)`

function prepareStatements(db: Database) {
  const findNextRun = db.query<{ number: number }, [number, number, number]>(
    `WITH open AS (
       SELECT number, account_id, coalesce(epoch = ?1, 0) AS own, coalesce(epoch = ?1, 0) OR ${isLeasedByOther} AS held, worker_losses + in_transition AS losses
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
  const findLease = db.query<{ attempts: string }, [number, number]>(
    "SELECT attempts FROM runs WHERE number = ? AND epoch = ? AND status = 'running'",
  )
  const insertResult = db.query(
    'INSERT OR IGNORE INTO run_results (run, idx, ok, retryable, entry) VALUES (?, ?, ?, ?, ?)',
  )
  // All fields of a failed location count as failed.
  const addProgress = db.query<StoredRun, [number, number, number, number, number, string]>(
    `UPDATE runs SET done = done + ?1, ok = ok + ?2, retryable_locations = retryable_locations + ?3, failed_values = failed_values + ?4 + (?1 - ?2) * json_array_length(fields), seq = seq + 1, attempts = ?6, worker_losses = 0, in_transition = in_transition AND cancelled_at IS NOT NULL
     WHERE number = ?5 RETURNING *`,
  )
  const requestCancel = db.query(
    "UPDATE runs SET cancelled_at = coalesce(cancelled_at, ?) WHERE number = ? AND status IN ('queued', 'running')",
  )
  const clearLease = db.query(
    'UPDATE runs SET epoch = NULL, in_transition = 0, attempts = ? WHERE number = ? AND epoch = ?',
  )
  const finish = db.query<StoredRun, [RunStatus, number, string | null, number, number]>(
    "UPDATE runs SET status = ?, finished_at = ?, error = ?, seq = seq + 1 WHERE number = ? AND epoch = ? AND status = 'running' RETURNING *",
  )
  const findIncomplete = db.query<Pick<StoredRun, 'done' | 'total'>, [number, number]>(
    "SELECT done, total FROM runs WHERE number = ? AND epoch = ? AND status = 'running' AND done < total",
  )
  const findFinished = db.query<StoredRun, [number, number]>(
    "SELECT * FROM runs WHERE number = ? AND epoch = ? AND status NOT IN ('queued', 'running')",
  )
  return {
    findNextRun,
    takeLease,
    beginTransition,
    endTransition,
    findLease,
    insertResult,
    addProgress,
    requestCancel,
    clearLease,
    finish,
    findIncomplete,
    findFinished,
  }
}

function createPendingMethods(
  { db, read, write }: SqliteTransactions,
  epoch: number,
): Pick<RunWriter, 'pendingLocations' | 'retriedLocations' | 'settleAttempts'> {
  const readPending = db.query<Omit<PendingLocation, 'attempts'>, [number, number, number, number]>(
    `SELECT idx, input, original_index FROM run_locations l
     WHERE run = ? AND NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx) AND idx BETWEEN ? AND ?
     ORDER BY idx LIMIT ?`,
  )
  const readAttempts = db.query<{ attempts: string }, [number]>('SELECT attempts FROM runs WHERE number = ?')
  const runningAttempts = db.query<{ number: number; attempts: string }, [number]>(
    `SELECT number, attempts FROM runs r
     WHERE status = 'running' AND attempts <> '[]' AND epoch IS NOT NULL AND NOT ${isLeasedByOther}`,
  )
  // The run then has no lost worker: if several processes start, only the first one settles its attempts.
  const saveAttempts = db.query(
    'UPDATE runs SET attempts = ?2, epoch = CASE WHEN epoch = ?1 THEN epoch END WHERE number = ?3',
  )
  const attemptsOf = (run: number) => RunAttempts.parse(readAttempts.get(run)?.attempts ?? '[]')
  return {
    pendingLocations: (run, from, limit) =>
      read(() => {
        const attempts = attemptsOf(run)
        const pending = readPending.all(run, from, Number.MAX_SAFE_INTEGER, limit)
        return pending.map((row) => ({ ...row, attempts: attempts.countOf(row.idx) }))
      }),
    retriedLocations: (run) =>
      read(() => {
        const attempts = attemptsOf(run)
        const pending = attempts.indexes.flatMap((idx) => readPending.all(run, idx, idx, 1))
        return pending
          .map((row) => ({ ...row, attempts: attempts.countOf(row.idx) }))
          .toSorted((a, b) => a.attempts - b.attempts || a.idx - b.idx)
      }),
    settleAttempts: () =>
      write(() => {
        const running = runningAttempts.all(epoch).map((run) => ({ ...run, attempts: RunAttempts.parse(run.attempts) }))
        const hasOpen = running.some(({ attempts }) => attempts.openIndexes.length > 0)
        for (const { number, attempts } of running) {
          attempts.settle(hasOpen)
          saveAttempts.run(epoch, attempts.toString(), number)
        }
      }),
  }
}
