import { createArtifactWriter } from '../runs/artifacts.ts'
import type { RunAttempts } from '../runs/run-attempts.ts'
import {
  createTransitions,
  type LocationResult,
  type PendingLocation,
  type RunQueue,
  type RunWriter,
} from '../runs/run-queue.ts'
import { leasedRunOf } from '../runs/run-slices.ts'
import type { StoredRun } from '../runs/runs.ts'
import { LeasedRunCache } from './leased-run-cache.ts'
import { createLeases, renewLease } from './postgres-leases.ts'
import type { PostgresPools } from './postgres-pool.ts'
import { createPoolSql } from './postgres-sql.ts'
import type { StoredLocation } from '../runs/run-row-reader.ts'
import { blocksFrom, encodeBlocks, locationTable, resultTable, RowReader } from './row-blocks.ts'

/** Creates the queue of runs on PostgreSQL. Several processes take runs from it. */
export function createPostgresRunQueue(pools: PostgresPools): RunQueue {
  return {
    async beginEpoch(now, node = null) {
      const [begun] = await pools.quick.query<{ epoch: number }>(
        `WITH begun AS (INSERT INTO run_epochs (started_at, node) VALUES ($1, $2) RETURNING epoch),
           ended AS (DELETE FROM run_leases WHERE epoch IN (SELECT epoch FROM run_epochs WHERE node = $2))
         SELECT epoch FROM begun`,
        now,
        node,
      )
      const { epoch } = begun!
      const work = createPoolSql(pools.work)
      const transitions = createTransitions(work, epoch)
      const leased = new LeasedRunCache(pools.work.query, epoch)
      return {
        ...transitions,
        finish(run, ...ending) {
          leased.forget(run)
          return transitions.finish(run, ...ending)
        },
        ...createLeases(pools, epoch, leased),
        ...createProgressWriter(pools, epoch, leased),
        ...createPendingReader(pools, leased),
        artifacts: createArtifactWriter(work, epoch),
      }
    },
  }
}

function createPendingReader(
  { work: { query } }: PostgresPools,
  leased: LeasedRunCache,
): Pick<RunWriter, 'pendingLocations' | 'retriedLocations'> {
  const locations = new RowReader(query, locationTable)
  const pendingOf = ({ idx, input, original_index }: StoredLocation, attempts: RunAttempts): PendingLocation => ({
    idx,
    input,
    original_index,
    attempts: attempts.countOf(idx),
  })
  return {
    async pendingLocations(run, from, limit) {
      const { answered, attempts, rows } = await leased.find(run)
      const pending: PendingLocation[] = []
      for await (const row of locations.rowsFrom(rows.run, Math.max(from, rows.first))) {
        if (pending.length === limit || row.idx >= rows.end) break
        if (answered[row.idx] === 0) pending.push(pendingOf(row, attempts))
      }
      return pending
    },
    async retriedLocations(run) {
      const { answered, attempts, rows } = await leased.find(run)
      const pending: PendingLocation[] = []
      for (const idx of attempts.indexes.filter((it) => answered[it] === 0)) {
        const row = await locations.find(rows.run, idx)
        if (row) pending.push(pendingOf(row, attempts))
      }
      return pending.toSorted((a, b) => a.attempts - b.attempts || a.idx - b.idx)
    },
  }
}

function createProgressWriter(
  { work: { query } }: PostgresPools,
  epoch: number,
  leased: LeasedRunCache,
): Pick<RunWriter, 'saveProgress' | 'settleAttempts'> {
  return {
    async saveProgress(number, results, attempted) {
      for (let run = await leased.take(number); run; run = await leased.take(number)) {
        const { answered, attempts, rows } = run
        const added = newResults(results, answered)
        for (const { idx } of added) attempts.remove(idx)
        for (const location of attempted) attempts.begin(location)
        const { blocks, contents } = encodeBlocks(resultTable, added)
        const counts = JSON.stringify(countsOf(added))
        const values = [number, epoch, run.seq, blocks, contents, counts, attempts.toString()]
        const changed = leasedRunOf(await query<StoredRun>(saveProgress, ...values), number)
        // Otherwise the lease is lost, or an earlier write is stored although its answer was lost.
        if (!changed) continue
        for (const { idx } of added) answered[idx] = 1
        leased.set(number, { answered, attempts, rows, seq: changed.seq })
        return changed
      }
      return null
    },
    // Whoever takes over a run settles its attempts.
    settleAttempts: async () => {},
  }
}

/** The results of locations that have none, in the order of their indexes. */
function newResults(results: readonly LocationResult[], answered: Uint8Array): LocationResult[] {
  const byIndex = new Map(results.filter(({ idx }) => answered[idx] === 0).map((result) => [result.idx, result]))
  return [...byIndex.values()].toSorted((a, b) => a.idx - b.idx)
}

function countsOf(results: readonly LocationResult[]) {
  return {
    done: results.length,
    ok: results.filter(({ ok }) => ok).length,
    retryable: results.filter(({ retryable }) => retryable).length,
    failed_values: results.reduce((sum, { failedFields }) => sum + failedFields, 0),
  }
}

/**
 * Writes results and attempts and renews the lease in one statement. Writes nothing if the lease is lost, or if the run
 * has changed since this worker read it. The results of a slice also count for its run. The run is locked before the
 * slice, in the same order as by a cancellation. All fields of a failed location count as failed. Parameters: the run, the epoch, the `seq` of the
 * run, the blocks of results, their contents, their counts, and the attempts.
 */
const saveProgress = `WITH whole AS (
    SELECT number FROM runs WHERE number = (SELECT slice_of FROM runs WHERE number = $1) FOR NO KEY UPDATE),
  leased AS (
    SELECT number, slice_of FROM runs WHERE number = $1 AND (slice_of IS NULL OR slice_of IN (SELECT number FROM whole))
      AND epoch = $2 AND status = 'running' AND seq = $3 FOR NO KEY UPDATE),
  added AS (
    INSERT INTO run_results (run, idx, rows, ok, retryable, entry, block, checksum)
    SELECT coalesce(leased.slice_of, leased.number), b.idx, b.rows, b.ok, false, '', b.block, b.checksum FROM leased, ${blocksFrom('$4', '$5')} b),
  counted AS (
    SELECT * FROM json_to_record($6::text::json) AS c (done integer, ok integer, retryable integer, failed_values integer)),
  renewed AS (${renewLease('FROM leased', '$2')})
  UPDATE runs SET done = runs.done + c.done, ok = runs.ok + c.ok, retryable_locations = retryable_locations + c.retryable,
    failed_values = runs.failed_values + c.failed_values + (c.done - c.ok) * json_array_length(fields::json),
    seq = seq + 1, attempts = CASE runs.number WHEN leased.number THEN $7 ELSE attempts END, worker_losses = 0,
    in_transition = CASE WHEN cancelled_at IS NULL THEN 0 ELSE in_transition END
  FROM leased, counted c WHERE runs.number = ANY (ARRAY[leased.number, leased.slice_of]) RETURNING runs.*`
