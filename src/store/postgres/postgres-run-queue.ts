import type { PendingLocation, RunQueue, RunWriter } from '../run-queue.ts'
import type { StoredRun } from '../runs.ts'
import { createPostgresArtifactWriter } from './postgres-artifacts.ts'
import { clock_ms, type PostgresPools, type PostgresQuery } from './postgres-pool.ts'
import { storedRunOf } from './postgres-runs.ts'

/**
 * How long a lease lasts unless its worker renews it. The clock of the database decides, so the clocks of the machines
 * may differ.
 */
const lease_ms = 20_000

/** Creates the queue of runs on PostgreSQL. Several processes take runs from it. */
export function createPostgresRunQueue(pools: PostgresPools): RunQueue {
  return {
    async beginEpoch(now, node = null) {
      const [begun] = await pools.quick.query<{ epoch: string }>(
        'INSERT INTO run_epochs (started_at, node) VALUES ($1, $2) RETURNING epoch',
        now,
        node,
      )
      const epoch = Number(begun!.epoch)
      return {
        ...createLeases(pools, epoch),
        ...createProgressWriter(pools, epoch),
        artifacts: createPostgresArtifactWriter(pools, epoch),
      }
    },
  }
}

type LeaseMethod =
  'adopt' | 'takeOver' | 'renewLeases' | 'releaseLease' | 'beginTransition' | 'endTransition' | 'finish'

function createLeases({ work: { query, transaction } }: PostgresPools, epoch: number): Pick<RunWriter, LeaseMethod> {
  return {
    adopt: (now, maxPerAccount, skippedLosses) =>
      transaction(async (send) => {
        const [found] = await send<{ number: string }>(
          adoptableRun,
          epoch,
          maxPerAccount,
          Math.min(skippedLosses, maxInteger),
        )
        return found ? takeLease(send, { run: Number(found.number), epoch, now, in_transition: 1 }) : null
      }),
    takeOver: (run, now) => transaction((send) => takeLease(send, { run, epoch, now, in_transition: 0 })),
    async renewLeases(runs) {
      if (runs.length === 0) return
      await query(
        `WITH held AS (
           SELECT number FROM runs WHERE epoch = $1 AND status = 'running'
             AND number IN (SELECT value::bigint FROM json_array_elements_text($2::text::json))
           ORDER BY number FOR NO KEY UPDATE)
         ${renewLease('FROM held', '$1')}`,
        epoch,
        JSON.stringify(runs),
      )
    },
    releaseLease: (run, attempted) =>
      transaction(async (send) => {
        const released = await send(
          'UPDATE runs SET epoch = NULL, in_transition = 0 WHERE number = $1 AND epoch = $2 RETURNING 1',
          run,
          epoch,
        )
        if (released.length === 0) return
        await send('DELETE FROM run_leases WHERE run = $1', run)
        await send(
          `UPDATE run_locations SET attempts = greatest(0, attempts - 1) WHERE run = $1
             AND idx IN (SELECT value::int FROM json_array_elements_text($2::text::json))`,
          run,
          JSON.stringify(attempted),
        )
      }),
    async beginTransition(run) {
      const begun = await query(
        "UPDATE runs SET in_transition = 1 WHERE number = $1 AND epoch = $2 AND status = 'running' RETURNING 1",
        run,
        epoch,
      )
      return begun.length > 0
    },
    async endTransition(run) {
      await query('UPDATE runs SET in_transition = 0 WHERE number = $1 AND epoch = $2', run, epoch)
    },
    async finish(run, status, now, error) {
      const [finished] = await query<StoredRun>(
        `UPDATE runs SET status = $3, finished_at = $4, error = $5, seq = seq + 1
         WHERE number = $1 AND epoch = $2 AND status = 'running' RETURNING *`,
        run,
        epoch,
        status,
        now,
        error,
      )
      return finished ? storedRunOf(finished) : null
    },
  }
}

const maxInteger = 2_147_483_647

/**
 * A statement that renews the leases of runs. After a crash of the server they are gone, and it adds them again.
 * `runs`: where their numbers are from.
 */
const renewLease = (runs: string, epoch: string) =>
  `INSERT INTO run_leases (run, epoch, until) SELECT number, ${epoch}::bigint, ${clock_ms} + ${lease_ms} ${runs}
   ON CONFLICT (run) DO UPDATE SET epoch = excluded.epoch, until = excluded.until`

const isPending = 'NOT EXISTS (SELECT FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)'

/**
 * The oldest run without a valid lease, from the account with the fewest leased runs. The run can already belong to
 * this epoch: the connection may have closed during the commit of its adoption. Runs that another process adopts at
 * this moment are skipped. Their epoch has changed when it commits. Parameters: the epoch, the most runs of an account
 * in this epoch, and the losses of runs that are skipped.
 */
const adoptableRun = `WITH open AS (
    SELECT r.number, r.account_id, r.epoch, r.worker_losses + r.in_transition AS losses,
      coalesce(r.epoch = $1, false) AS is_own, coalesce(l.until > ${clock_ms}, false) AS is_leased
    FROM runs r LEFT JOIN run_leases l ON l.run = r.number WHERE r.status IN ('queued', 'running')),
  accounts AS (
    SELECT account_id, count(*) FILTER (WHERE is_own) AS own, count(*) FILTER (WHERE is_leased) AS leased
    FROM open GROUP BY account_id)
  SELECT r.number FROM runs r JOIN open o ON o.number = r.number JOIN accounts a ON a.account_id = o.account_id
  WHERE NOT o.is_leased AND a.own < $2 AND o.losses < $3
    AND r.epoch IS NOT DISTINCT FROM o.epoch AND r.status IN ('queued', 'running')
  ORDER BY a.leased, r.number LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`

type Lease = { run: number; epoch: number; now: number; in_transition: 0 | 1 }

/** Takes a run over. If the worker before was lost, the attempts that it did not finish count from now on. */
async function takeLease(
  send: PostgresQuery,
  { run: number, epoch, now, in_transition }: Lease,
): Promise<StoredRun | null> {
  const [before] = await send<{ is_lost: boolean }>(
    'SELECT epoch IS NOT NULL AND epoch <> $2 AS is_lost FROM runs WHERE number = $1 FOR NO KEY UPDATE',
    number,
    epoch,
  )
  // If the transition of an earlier worker did not end, that worker was lost in this run.
  const [run] = await send<StoredRun>(
    `UPDATE runs SET epoch = $2, seq = seq + (status = 'queued')::int, started_at = coalesce(started_at, $3),
       status = 'running', worker_losses = worker_losses + in_transition, in_transition = $4
     WHERE number = $1 AND status IN ('queued', 'running') RETURNING *`,
    number,
    epoch,
    now,
    in_transition,
  )
  if (!run) return null
  await send(renewLease('FROM (VALUES ($1::bigint)) AS r (number)', '$2'), number, epoch)
  if (before!.is_lost) await settleAttempts(send, number)
  return storedRunOf(run)
}

/** Without a location in progress, no location was the cause of the loss, and all earlier attempts are cleared. */
async function settleAttempts(send: PostgresQuery, run: number): Promise<void> {
  const carried = await send(
    `UPDATE run_locations l SET earlier_attempts = earlier_attempts + attempts, attempts = 0
     WHERE run = $1 AND attempts > 0 AND ${isPending} RETURNING 1`,
    run,
  )
  if (carried.length === 0)
    await send(
      `UPDATE run_locations l SET earlier_attempts = 0 WHERE run = $1 AND earlier_attempts > 0 AND ${isPending}`,
      run,
    )
}

function createProgressWriter(
  { work: { query } }: PostgresPools,
  epoch: number,
): Omit<RunWriter, LeaseMethod | 'artifacts'> {
  const pendingQuery = `SELECT idx, input, original_index, attempts + earlier_attempts AS attempts FROM run_locations l WHERE run = $1 AND ${isPending}`
  return {
    async saveProgress(run, results, attempted) {
      const [changed] = await query<StoredRun>(
        saveProgress,
        run,
        epoch,
        JSON.stringify(results),
        JSON.stringify(attempted),
      )
      return changed ? storedRunOf(changed) : null
    },
    pendingLocations: (run, from, limit) =>
      query<PendingLocation>(`${pendingQuery} AND idx >= $2 ORDER BY idx LIMIT $3`, run, from, limit),
    retriedLocations: (run) =>
      query<PendingLocation>(
        `${pendingQuery} AND attempts + earlier_attempts > 0 ORDER BY attempts + earlier_attempts, idx`,
        run,
      ),
    async requestCancel(run, now) {
      const requested = await query(
        `UPDATE runs SET cancelled_at = coalesce(cancelled_at, $2) WHERE number = $1 AND status IN ('queued', 'running')
         RETURNING 1`,
        run,
        now,
      )
      return requested.length > 0
    },
    async findFinished(run) {
      const [finished] = await query<StoredRun>(
        "SELECT * FROM runs WHERE number = $1 AND epoch = $2 AND status NOT IN ('queued', 'running')",
        run,
        epoch,
      )
      return finished ? storedRunOf(finished) : null
    },
    // Whoever takes over a run settles its attempts.
    settleAttempts: async () => {},
  }
}

/**
 * Writes results, counts attempts and renews the lease in one statement. Writes nothing if the lease is lost. All
 * fields of a failed location count as failed. Parameters: the run, the epoch, the results, and the attempts that begin.
 */
const saveProgress = `WITH held AS (
    SELECT number FROM runs WHERE number = $1 AND epoch = $2 AND status = 'running' FOR NO KEY UPDATE),
  results AS (
    SELECT * FROM json_to_recordset($3::text::json) AS r
      (idx integer, ok boolean, retryable boolean, entry text, "failedFields" integer)),
  added AS (
    INSERT INTO run_results (run, idx, ok, retryable, entry)
    SELECT held.number, r.idx, r.ok, r.retryable, r.entry FROM held, results r
    ON CONFLICT (run, idx) DO NOTHING RETURNING idx),
  counted AS (
    SELECT count(*)::int AS done, (count(*) FILTER (WHERE ok))::int AS ok,
      (count(*) FILTER (WHERE retryable))::int AS retryable, coalesce(sum("failedFields"), 0)::int AS failed_fields
    FROM results JOIN added USING (idx)),
  attempted AS (
    UPDATE run_locations l SET attempts = a.attempts + 1 - l.earlier_attempts
    FROM held, json_to_recordset($4::text::json) AS a (idx integer, attempts integer)
    WHERE l.run = held.number AND l.idx = a.idx),
  renewed AS (${renewLease('FROM held', '$2')})
  UPDATE runs SET done = runs.done + c.done, ok = runs.ok + c.ok, retryable_locations = retryable_locations + c.retryable,
    failed_values = failed_values + c.failed_fields + (c.done - c.ok) * json_array_length(fields::json), seq = seq + 1,
    worker_losses = 0, in_transition = CASE WHEN cancelled_at IS NULL THEN 0 ELSE in_transition END
  FROM held, counted c WHERE runs.number = held.number RETURNING runs.*`
