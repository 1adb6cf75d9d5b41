import { entryChecksum, requireIntactLocation, type CheckedLocation } from '../entry-checksum.ts'
import { createArtifactWriter } from '../runs/artifacts.ts'
import { sqliteDialect } from '../dialect.ts'
import { RunAttempts } from '../runs/run-attempts.ts'
import { createTransitions, type PendingLocation, type RunQueue, type RunWriter } from '../runs/run-queue.ts'
import {
  hasItsRun,
  isReady,
  leasedRunOf,
  rowRangeColumns,
  startWhole,
  type LeasedRun,
  type RowRange,
} from '../runs/run-slices.ts'
import type { StoredRun } from '../runs/runs.ts'
import type { Sql, Statements, Step } from '../sql.ts'

/** Creates the queue of runs in SQLite, whose workers are processes of this machine. */
export function createRunQueue(sql: Sql): RunQueue {
  return {
    async beginEpoch(now, node = null) {
      const begun = await sql.write((it) => it.get<{ epoch: number }>(beginEpoch, { now, node }))
      return createRunWriter(sql, begun!.epoch)
    },
  }
}

const beginEpoch = 'INSERT INTO run_epochs (started_at, node) VALUES ($now, $node) RETURNING epoch'

/** Creates the run writer of an epoch. */
export function createRunWriter(sql: Sql, epoch: number): RunWriter {
  return {
    ...createTransitions(sql, epoch),
    ...createLeases(sql, epoch),
    ...createPendingMethods(sql, epoch),
    saveProgress: (run, results, attempted) =>
      sql.write(function* (it) {
        const leased = yield* findLeased(it, run, epoch)
        if (!leased) return null
        const { attempts, rows } = leased
        const counts = { added: 0, succeeded: 0, retryable: 0, failedFields: 0 }
        for (const { idx, ok, retryable, failedFields, entry } of results) {
          const checksum = entryChecksum({ idx, ok, entry })
          if ((yield* it.run(insertResult, { run: rows.run, idx, ok, retryable, entry, checksum })) === 0) continue
          attempts.remove(idx)
          counts.added++
          counts.succeeded += Number(ok)
          counts.retryable += Number(retryable)
          counts.failedFields += failedFields
        }
        for (const location of attempted) attempts.begin(location)
        const values = { ...counts, run, whole: rows.run, attempts: attempts.toString() }
        return leasedRunOf(yield* it.all<StoredRun>(addProgress, values), run)
      }),
    artifacts: createArtifactWriter(sql, epoch),
  }
}

const insertResult =
  'INSERT OR IGNORE INTO run_results (run, idx, ok, retryable, entry, checksum) VALUES ($run, $idx, $ok, $retryable, $entry, $checksum)'
// All fields of a failed location count as failed.
const addProgress = `UPDATE runs SET done = done + $added, ok = ok + $succeeded,
    retryable_locations = retryable_locations + $retryable,
    failed_values = failed_values + $failedFields + ($added - $succeeded) * json_array_length(fields),
    seq = seq + 1, attempts = CASE number WHEN $run THEN $attempts ELSE attempts END, worker_losses = 0,
    in_transition = in_transition AND cancelled_at IS NOT NULL
  WHERE number IN ($run, $whole) RETURNING *`

type AttemptsRow = RowRange & { attempts: string }

/** The attempts and rows of a run that this worker holds; null if its lease is lost, or if it was deleted. */
function* findLeased(sql: Statements, run: number, epoch: number) {
  const leased = yield* sql.get<AttemptsRow>(
    `SELECT attempts, ${rowRangeColumns} FROM runs WHERE number = $run AND epoch = $epoch AND status = 'running'
       AND ${hasItsRun}`,
    { run, epoch },
  )
  return leased && { attempts: RunAttempts.parse(leased.attempts), rows: leased }
}

function createLeases(sql: Sql, epoch: number): Pick<RunWriter, 'adopt' | 'takeOver' | 'renewLeases' | 'releaseLease'> {
  function* takeLease(it: Statements, number: number, now: number, in_transition: 0 | 1): Step<LeasedRun | null> {
    const run = yield* it.get<StoredRun>(setLease, { epoch, now, in_transition, run: number })
    return run && { ...run, whole: yield* startWhole(it, run, now) }
  }
  return {
    async adopt(now, maxPerAccount, skippedLosses) {
      const limits = { epoch, maxPerAccount, skippedLosses }
      // Most often there is none, and a reader does not wait for writers.
      if (!(await sql.get(findNextRun, limits))) return null
      return sql.write(function* (it) {
        const found = yield* it.get<{ number: number }>(findNextRun, limits)
        return found && (yield* takeLease(it, found.number, now, 1))
      })
    },
    takeOver: (run, now) => sql.write((it) => takeLease(it, run, now, 0)),
    // The leases of a worker last as long as its node sends heartbeats.
    renewLeases: async () => {},
    releaseLease: (run, unanswered) =>
      sql.write(function* (it) {
        const { attempts } = (yield* findLeased(it, run, epoch)) ?? {}
        if (!attempts) return
        attempts.release(unanswered)
        yield* it.run(clearLease, { run, epoch, attempts: attempts.toString() })
      }),
  }
}

/** How long the leases of a worker last after the last heartbeat of its node. */
const lease_ms = 20_000

/**
 * Whether a worker other than the one of `$epoch` has the lease of the run `r`, and is not lost. A worker is lost if its
 * node has a later worker, or sends no heartbeat. Outside of a server, there is one worker at a time, without a node.
 */
const isLeasedByOther = `coalesce(r.epoch <> $epoch AND EXISTS (
    SELECT 1 FROM run_epochs e WHERE e.epoch = r.epoch
      AND (e.node IS NULL OR e.node IN (SELECT id FROM nodes WHERE seen_at > ${sqliteDialect.clock_ms} - ${lease_ms}))
      AND NOT EXISTS (SELECT 1 FROM run_epochs later WHERE later.epoch > e.epoch AND (e.node IS NULL OR later.node = e.node))
  ), 0)`
const findNextRun = `WITH open AS (
    SELECT number, slice_of, account_id, coalesce(epoch = $epoch, 0) AS own,
      coalesce(epoch = $epoch, 0) OR ${isLeasedByOther} AS held, worker_losses + in_transition AS losses
    FROM runs r WHERE status IN ('queued', 'running')),
  accounts AS (SELECT account_id, sum(own) AS own, sum(held) AS held FROM open GROUP BY account_id)
  SELECT number FROM open r JOIN accounts USING (account_id)
  WHERE NOT r.held AND accounts.own < $maxPerAccount AND r.losses < $skippedLosses AND ${isReady('$epoch')}
  ORDER BY accounts.held, number LIMIT 1`
// If the transition of an earlier worker did not end, that worker was lost in this run.
const setLease = `UPDATE runs SET epoch = $epoch, seq = seq + (status = 'queued'), started_at = coalesce(started_at, $now),
    status = 'running', worker_losses = worker_losses + in_transition, in_transition = $in_transition
  WHERE number = $run AND status IN ('queued', 'running') RETURNING *`
const clearLease =
  'UPDATE runs SET epoch = NULL, in_transition = 0, attempts = $attempts WHERE number = $run AND epoch = $epoch'

function pendingOf(row: CheckedLocation, attempts: RunAttempts): PendingLocation {
  requireIntactLocation(row)
  const { idx, input, original_index } = row
  return { idx, input, original_index, attempts: attempts.countOf(idx) }
}

function createPendingMethods(
  sql: Sql,
  epoch: number,
): Pick<RunWriter, 'pendingLocations' | 'retriedLocations' | 'settleAttempts'> {
  return {
    pendingLocations: (run, from, limit) =>
      sql.read(function* (it) {
        const { attempts, rows } = yield* findAttempts(it, run)
        const range = { run: rows.run, from: Math.max(from, rows.first), to: rows.end - 1 }
        const pending = yield* it.all<CheckedLocation>(findPending, { ...range, limit })
        return pending.map((row) => pendingOf(row, attempts))
      }),
    retriedLocations: (run) =>
      sql.read(function* (it) {
        const { attempts, rows } = yield* findAttempts(it, run)
        const retried: PendingLocation[] = []
        for (const idx of attempts.indexes) {
          const row = yield* it.get<CheckedLocation>(findPending, { run: rows.run, from: idx, to: idx, limit: 1 })
          if (row) retried.push(pendingOf(row, attempts))
        }
        return retried.toSorted((a, b) => a.attempts - b.attempts || a.idx - b.idx)
      }),
    settleAttempts: () =>
      sql.write(function* (it) {
        const lost = yield* it.all<{ number: number; attempts: string }>(findLostRuns, { epoch })
        const runs = lost.map((run) => ({ ...run, attempts: RunAttempts.parse(run.attempts) }))
        const hasOpen = runs.some(({ attempts }) => attempts.openIndexes.length > 0)
        for (const { number: run, attempts } of runs) {
          attempts.settle(hasOpen)
          yield* it.run(saveAttempts, { epoch, attempts: attempts.toString(), run })
        }
      }),
  }
}

function* findAttempts(sql: Statements, run: number) {
  const found = yield* sql.get<AttemptsRow>(`SELECT attempts, ${rowRangeColumns} FROM runs WHERE number = $run`, {
    run,
  })
  const rows: RowRange = found ?? { run, first: 0, end: 0 }
  return { attempts: RunAttempts.parse(found?.attempts ?? '[]'), rows }
}

const findPending = `SELECT idx, input, passthrough, original_index, checksum FROM run_locations l
  WHERE run = $run AND NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)
    AND idx BETWEEN $from AND $to ORDER BY idx LIMIT $limit`
const findLostRuns = `SELECT number, attempts FROM runs r
  WHERE status = 'running' AND attempts <> '[]' AND epoch IS NOT NULL AND NOT ${isLeasedByOther}`
// The run then has no lost worker: if several processes start, only the first one settles its attempts.
const saveAttempts =
  'UPDATE runs SET attempts = $attempts, epoch = CASE WHEN epoch = $epoch THEN epoch END WHERE number = $run'
