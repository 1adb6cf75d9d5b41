import { RunAttempts } from '../runs/run-attempts.ts'
import type { RunWriter } from '../runs/run-queue.ts'
import { isReady, startWhole, type LeasedRun } from '../runs/run-slices.ts'
import type { StoredRun } from '../runs/runs.ts'
import type { LeasedRunCache } from './leased-run-cache.ts'
import { postgresDialect } from '../dialect.ts'
import type { PostgresPools, PostgresQuery } from './postgres-pool.ts'
import { runStatements } from './postgres-sql.ts'

const { clock_ms } = postgresDialect

/**
 * How long a lease lasts unless its worker renews it. The clock of the database decides, so the clocks of the machines
 * may differ.
 */
const lease_ms = 20_000

/** Creates the methods that take, renew and end the leases of an epoch. */
export function createLeases(
  { work: { query, transaction } }: PostgresPools,
  epoch: number,
  leased: LeasedRunCache,
): Pick<RunWriter, 'adopt' | 'takeOver' | 'renewLeases' | 'releaseLease'> {
  return {
    async adopt(now, maxPerAccount, skippedLosses) {
      const limits = [maxPerAccount, Math.min(skippedLosses, maxInteger)] as const
      const adopted = await transaction(async (send) => {
        const [found] = await send<{ number: number }>(adoptableRun, epoch, ...limits)
        return found ? takeLease(send, { run: found.number, epoch, now, in_transition: 1 }) : null
      })
      if (adopted) leased.forget(adopted.number)
      return adopted
    },
    takeOver(run, now) {
      leased.forget(run)
      return transaction((send) => takeLease(send, { run, epoch, now, in_transition: 0 }))
    },
    async renewLeases(runs) {
      if (runs.length === 0) return
      await query(
        `WITH leased AS (
           SELECT number FROM runs WHERE epoch = $1 AND status = 'running'
             AND number IN (SELECT value::bigint FROM json_array_elements_text($2::text::json))
           ORDER BY number FOR NO KEY UPDATE)
         ${renewLease('FROM leased', '$1')}`,
        epoch,
        JSON.stringify(runs),
      )
    },
    async releaseLease(run, unanswered) {
      const { attempts } = (await leased.take(run)) ?? {}
      if (!attempts) return
      attempts.release(unanswered)
      await query(
        `WITH released AS (
           UPDATE runs SET epoch = NULL, in_transition = 0, attempts = $3 WHERE number = $1 AND epoch = $2 RETURNING number)
         DELETE FROM run_leases WHERE run IN (SELECT number FROM released)`,
        run,
        epoch,
        attempts.toString(),
      )
    },
  }
}

const maxInteger = 2_147_483_647

/**
 * A statement that renews the leases of runs. After a crash of the server they are gone, and it adds them again.
 * `runs`: where their numbers are from.
 */
export const renewLease = (runs: string, epoch: string) =>
  `INSERT INTO run_leases (run, epoch, until) SELECT number, ${epoch}::bigint, ${clock_ms} + ${lease_ms} ${runs}
   ON CONFLICT (run) DO UPDATE SET epoch = excluded.epoch, until = excluded.until`

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
    AND r.epoch IS NOT DISTINCT FROM o.epoch AND r.status IN ('queued', 'running') AND ${isReady('$1')}
  ORDER BY a.leased, r.number LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`

type Lease = { run: number; epoch: number; now: number; in_transition: 0 | 1 }

/** Takes a run over. If the worker before was lost, the attempts that it did not finish count from now on. */
async function takeLease(
  send: PostgresQuery,
  { run: number, epoch, now, in_transition }: Lease,
): Promise<LeasedRun | null> {
  const [before] = await send<{ is_lost: boolean; is_earlier: boolean; attempts: string }>(
    `SELECT epoch IS NOT NULL AND epoch <> $2 AS is_lost, block_epoch IS NULL AS is_earlier, attempts
     FROM runs WHERE number = $1 FOR NO KEY UPDATE`,
    number,
    epoch,
  )
  if (!before) return null
  const isEarlier = before.is_earlier && before.attempts === '[]'
  const attempts = RunAttempts.parse(isEarlier ? await readEarlierAttempts(send, number) : before.attempts)
  if (before.is_lost) attempts.settle()
  // If the transition of an earlier worker did not end, that worker was lost in this run.
  const [run] = await send<StoredRun>(
    `UPDATE runs SET epoch = $2, block_epoch = $2, slice_epoch = $2, seq = seq + (status = 'queued')::int,
       started_at = coalesce(started_at, $3), status = 'running', worker_losses = worker_losses + in_transition,
       in_transition = $4, attempts = $5
     WHERE number = $1 AND status IN ('queued', 'running') RETURNING *`,
    number,
    epoch,
    now,
    in_transition,
    attempts.toString(),
  )
  if (!run) return null
  await send(renewLease('FROM (VALUES ($1::bigint)) AS r (number)', '$2'), number, epoch)
  return { ...run, whole: await runStatements(send, (sql) => startWhole(sql, run, now)) }
}

/** Reads the attempts of a run from the rows of its locations, where earlier releases counted them. */
async function readEarlierAttempts(send: PostgresQuery, run: number): Promise<string> {
  const [found] = await send<{ attempts: string }>(
    `SELECT coalesce(json_agg(json_build_array(idx, idx, attempts + earlier_attempts, (attempts > 0)::int)), '[]')::text
       AS attempts
     FROM run_locations l WHERE run = $1 AND attempts + earlier_attempts > 0
       AND NOT EXISTS (SELECT FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)`,
    run,
  )
  return found!.attempts
}
