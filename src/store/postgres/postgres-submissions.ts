import { unpackLocations, type PackedLocations } from '../packed-locations.ts'
import type { NewRun, SubmissionKey, SubmissionResult, SubmissionStore } from '../submissions.ts'
import type { PostgresPools, PostgresQuery } from './postgres-pool.ts'
import {
  blocksFrom,
  encodeBlocks,
  locationTable,
  resultTable,
  RowReader,
  type EncodedBlocks,
  type StoredLocation,
  type StoredResult,
} from './row-blocks.ts'

/** Creates the submission store on PostgreSQL. */
export function createPostgresSubmissionStore({ work: { query, transaction } }: PostgresPools): SubmissionStore {
  return {
    submit(run, locations, key) {
      // The transaction may be repeated, and locations can be unpacked only once.
      const batches = [...batchesOf(locations)]
      const { length: total, errorCount: done } = locations
      return transaction(async (send) => {
        const earlier = key && (await claimKey(send, run, key))
        if (earlier) return earlier
        const number = await insertRun(send, { ...run, total, done, retry_of: null })
        for (const batch of batches) await insertBatch(send, number, batch)
        return { run_id: run.id, replayed: false }
      })
    },
    async retry(run, original, indexes) {
      // The original has ended, so its rows do not change.
      const locations = await findLocations(
        query,
        original.number,
        indexes ?? (await findRetryable(query, original.number)),
      )
      const batches = [...divide(locations.map((row, idx) => ({ ...row, idx, original_index: row.idx })))]
      return transaction(async (send) => {
        const number = await insertRun(send, { ...run, total: locations.length, done: 0, retry_of: original.id })
        for (const batch of batches)
          await insertBatch(send, number, { locations: encodeBlocks(locationTable, batch), errors: null })
        return { run_id: run.id, replayed: false }
      })
    },
  }
}

const batch_rows = 1024

/** Rows of a new run: their locations, and the error entries of unreadable ones. */
type SubmissionBatch = { locations: EncodedBlocks; errors: EncodedBlocks | null }

/** Yields the locations in batches. */
function* batchesOf(packed: PackedLocations): Generator<SubmissionBatch> {
  let idx = 0
  let [locations, errors]: [StoredLocation[], StoredResult[]] = [[], []]
  for (const { input, passthrough = null, errorEntry } of unpackLocations(packed)) {
    locations.push({ idx, input, passthrough, original_index: null })
    if (errorEntry !== undefined) errors.push({ idx, ok: false, retryable: false, entry: errorEntry })
    idx++
    if (idx % batch_rows > 0 && idx < packed.length) continue
    yield {
      locations: encodeBlocks(locationTable, locations),
      errors: errors.length > 0 ? encodeBlocks(resultTable, errors) : null,
    }
    ;[locations, errors] = [[], []]
  }
}

function* divide<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += batch_rows) yield rows.slice(start, start + batch_rows)
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
    `INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, margin_fields, columns, catalog_version, name, retry_of, total, done, failed_values, block_epoch)
     VALUES ($1, $2, $3, $4, 'queued', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15::int * json_array_length($8::text::json), 0) RETURNING number`,
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

async function insertBatch(send: PostgresQuery, run: number, { locations, errors }: SubmissionBatch): Promise<void> {
  await send(
    `INSERT INTO run_locations (run, idx, rows, input, block)
     SELECT $1::bigint, idx, rows, '', block FROM ${blocksFrom('$2', '$3')} b`,
    run,
    locations.blocks,
    locations.contents,
  )
  if (errors)
    await send(
      `INSERT INTO run_results (run, idx, rows, ok, retryable, entry, block)
       SELECT $1::bigint, idx, rows, ok, false, '', block FROM ${blocksFrom('$2', '$3')} b`,
      run,
      errors.blocks,
      errors.contents,
    )
}

/** The indexes of the results that are retryable, in order. */
async function findRetryable(query: PostgresQuery, run: number): Promise<number[]> {
  const indexes: number[] = []
  for await (const { idx, retryable } of new RowReader(query, resultTable).rowsFrom(run, 0))
    if (retryable) indexes.push(idx)
  return indexes
}

/** The locations with these indexes, in order. */
async function findLocations(query: PostgresQuery, run: number, indexes: readonly number[]): Promise<StoredLocation[]> {
  const chosen = new Set(indexes)
  const locations: StoredLocation[] = []
  for await (const row of new RowReader(query, locationTable).rowsFrom(run, 0))
    if (chosen.has(row.idx)) locations.push(row)
  return locations
}
