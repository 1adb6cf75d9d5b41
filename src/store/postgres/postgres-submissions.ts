import { unpackLocations, type PackedLocations } from '../packed-locations.ts'
import type { NewRun, SubmissionKey, SubmissionResult, SubmissionStore } from '../submissions.ts'
import type { PostgresPools, PostgresQuery } from './postgres-pool.ts'

/** Creates the submission store on PostgreSQL. */
export function createPostgresSubmissionStore({ work: { transaction } }: PostgresPools): SubmissionStore {
  return {
    submit(run, locations, key) {
      // The transaction may be repeated, and locations can be unpacked only once.
      const batches = [...batchesOf(locations)]
      const { length: total, errorCount: done } = locations
      return transaction(async (send) => {
        const earlier = key && (await claimKey(send, run, key))
        if (earlier) return earlier
        const number = await insertRun(send, { ...run, total, done, retry_of: null })
        for (const batch of batches) await insertLocations(send, number, batch)
        return { run_id: run.id, replayed: false }
      })
    },
    retry: (run, original, indexes) =>
      transaction(async (send) => {
        const total = indexes?.length ?? (await countRetryable(send, original.number))
        const number = await insertRun(send, { ...run, total, done: 0, retry_of: original.id })
        await copyLocations(send, number, original.number, indexes)
        return { run_id: run.id, replayed: false }
      }),
  }
}

const batch_rows = 1000

/** Yields the locations as JSON, in batches. */
function* batchesOf(locations: PackedLocations): Generator<string> {
  let batch: object[] = []
  let idx = 0
  for (const { input, passthrough = null, errorEntry = null } of unpackLocations(locations)) {
    batch.push({ idx: idx++, input, passthrough, entry: errorEntry })
    if (batch.length === batch_rows) {
      yield JSON.stringify(batch)
      batch = []
    }
  }
  if (batch.length > 0) yield JSON.stringify(batch)
}

/**
 * Assigns the key to this run. If an earlier run has the key and it is still valid, returns the result of that
 * submission. Of two submissions with the same key, the second waits for the first.
 */
async function claimKey(
  send: PostgresQuery,
  { id, account_id, created_at }: NewRun,
  { key, body_hash, after }: SubmissionKey,
): Promise<SubmissionResult | null> {
  const claimed = await send(
    `INSERT INTO run_keys (account_id, key, body_hash, run_id, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, key) DO UPDATE SET body_hash = excluded.body_hash, run_id = excluded.run_id,
       created_at = excluded.created_at WHERE run_keys.created_at <= $6 RETURNING 1`,
    account_id,
    key,
    body_hash,
    id,
    created_at,
    after,
  )
  if (claimed.length > 0) return null
  const [earlier] = await send<{ run_id: string; body_hash: string }>(
    'SELECT run_id, body_hash FROM run_keys WHERE account_id = $1 AND key = $2',
    account_id,
    key,
  )
  return earlier!.body_hash === body_hash ? { run_id: earlier!.run_id, replayed: true } : { keyReused: true }
}

async function insertRun(
  send: PostgresQuery,
  run: NewRun & { total: number; done: number; retry_of: string | null },
): Promise<number> {
  const [added] = await send<{ number: string }>(
    `INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, margin_fields, columns, catalog_version, name, retry_of, total, done, failed_values)
     VALUES ($1, $2, $3, $4, 'queued', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15::int * json_array_length($8::text::json)) RETURNING number`,
    run.id,
    run.account_id,
    run.scopes,
    run.kind,
    run.created_at,
    run.expires_at,
    run.selection,
    run.fields,
    run.margin_fields,
    run.columns,
    run.catalog_version,
    run.name,
    run.retry_of,
    run.total,
    run.done,
  )
  return Number(added!.number)
}

async function insertLocations(send: PostgresQuery, run: number, batch: string): Promise<void> {
  await send(
    `WITH rows AS (
       SELECT * FROM json_to_recordset($2::text::json) AS r (idx integer, input text, passthrough text, entry text)),
     added AS (
       INSERT INTO run_locations (run, idx, input, passthrough) SELECT $1::bigint, idx, input, passthrough FROM rows)
     INSERT INTO run_results (run, idx, ok, retryable, entry)
     SELECT $1::bigint, idx, false, false, entry FROM rows WHERE entry IS NOT NULL`,
    run,
    batch,
  )
}

async function countRetryable(send: PostgresQuery, run: number): Promise<number> {
  const [counted] = await send<{ total: number }>(
    'SELECT count(*)::int AS total FROM run_results WHERE run = $1 AND retryable',
    run,
  )
  return counted!.total
}

/** Copies the locations with these indexes, or the retryable ones, in order. */
async function copyLocations(
  send: PostgresQuery,
  run: number,
  original: number,
  indexes: number[] | null,
): Promise<void> {
  const chosen =
    indexes === null
      ? 'SELECT idx FROM run_results WHERE run = $2 AND retryable AND $3::text IS NULL'
      : 'SELECT value::int FROM json_array_elements_text($3::text::json)'
  await send(
    `INSERT INTO run_locations (run, idx, input, passthrough, original_index)
     SELECT $1::bigint, row_number() OVER (ORDER BY idx) - 1, input, passthrough, idx
     FROM run_locations WHERE run = $2 AND idx IN (${chosen})`,
    run,
    original,
    indexes && JSON.stringify(indexes),
  )
}
