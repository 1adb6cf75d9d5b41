import type { PackedLocations } from './packed-locations.ts'
import { requestChecksum, requestColumns, type StoredRequest } from './run-request.ts'
import { sliceIdOf, sliceMax_rows, unslicedMax_rows } from './run-slices.ts'
import type { StoredRun } from './runs.ts'
import type { SqlPools, Statements, Step } from '../sql.ts'

/**
 * A run to submit. `selection`, `fields`, `margin_fields` and `columns` are JSON; times are milliseconds since 1970.
 */
export type NewRun = Omit<StoredRequest, 'retry_of' | 'total'>

/**
 * The idempotency key of a submission and the hash of its body. A key that was last used before `after` has expired.
 */
export type SubmissionKey = { key: string; body_hash: string; after: number }

/**
 * The result of a submission: the new run, the earlier run with the same key and body, or a reused key with another
 * body.
 */
export type SubmissionResult = { run_id: string; replayed: boolean } | { keyReused: true }

/** Adds runs. A run is durable when the promise resolves. */
export type SubmissionStore = {
  submit(run: NewRun, locations: PackedLocations, key: SubmissionKey | null): Promise<SubmissionResult>
  /**
   * Adds a run with the given locations of another run; null for its retryable locations. `inputs` replaces their inputs
   * as JSON, by index.
   */
  retry(
    run: NewRun,
    original: { number: number; id: string },
    indexes: number[] | null,
    inputs?: ReadonlyMap<number, string>,
  ): Promise<SubmissionResult>
}

/** Adds the rows of a new run in a transaction. */
type RowAddition = (sql: Statements, run: number) => Step<void>

/** What writes the locations of runs. In SQLite, each is a row; in PostgreSQL, many are in one block. */
export type RunRowWriter = {
  /** Prepares locations before the transaction, which may be repeated: locations can be unpacked only once. */
  prepare(locations: PackedLocations): RowAddition
  /** Prepares a copy of locations of a run that has ended, so that they do not change; null for the retryable ones. */
  prepareCopy(
    run: number,
    indexes: number[] | null,
    inputs?: ReadonlyMap<number, string>,
  ): Promise<{ total: number; add: RowAddition }>
}

/** Creates the submission store. */
export function createSubmissions({ work }: SqlPools, rows: RunRowWriter): SubmissionStore {
  return {
    submit(run, locations, key) {
      const { length: total, errorCounts } = locations
      const addRows = rows.prepare(locations)
      return work.write(function* (sql) {
        const earlier = key && (yield* claimKey(sql, run, key))
        if (earlier) return earlier
        yield* addRows(sql, yield* insertWithSlices(sql, { ...run, retry_of: null }, total, errorCounts))
        return { run_id: run.id, replayed: false }
      })
    },
    async retry(run, original, indexes, inputs) {
      const { total, add } = await rows.prepareCopy(original.number, indexes, inputs)
      return work.write(function* (sql) {
        yield* add(sql, yield* insertWithSlices(sql, { ...run, retry_of: original.id }, total, []))
        return { run_id: run.id, replayed: false }
      })
    },
  }
}

/**
 * Assigns the key to this run. If an earlier run has the key and it is still valid, returns the result of that
 * submission. Of two submissions with the same key, the second waits for the first.
 */
function* claimKey(
  sql: Statements,
  { id, account_id, created_at }: NewRun,
  { key, body_hash, after }: SubmissionKey,
): Step<SubmissionResult | null> {
  const claimed = yield* sql.run(
    `INSERT INTO run_keys (account_id, key, body_hash, run_id, created_at)
     VALUES ($account_id, $key, $body_hash, $id, $created_at)
     ON CONFLICT (account_id, key) DO UPDATE SET body_hash = excluded.body_hash, run_id = excluded.run_id,
       created_at = excluded.created_at WHERE run_keys.created_at <= $after`,
    { id, account_id, created_at, key, body_hash, after },
  )
  if (claimed > 0) return null
  const earlier = yield* sql.get<{ run_id: string; body_hash: string }>(
    'SELECT run_id, body_hash FROM run_keys WHERE account_id = $account_id AND key = $key',
    { account_id, key },
  )
  return earlier!.body_hash === body_hash ? { run_id: earlier!.run_id, replayed: true } : { keyReused: true }
}

type NewRow = NewRun & { retry_of: string | null }

/** Inserts a run, and its slices if it has any. Returns the number of the run. `errorCounts`: those of each slice. */
function* insertWithSlices(sql: Statements, run: NewRow, total: number, errorCounts: number[]): Step<number> {
  const done = errorCounts.reduce((sum, errors) => sum + errors, 0)
  const number = yield* insertRun(sql, { ...run, total, done, slice_of: null, first_idx: 0 })
  if (total <= unslicedMax_rows) return number
  for (let first_idx = 0; first_idx < total; first_idx += sliceMax_rows) {
    const slice = { ...run, id: sliceIdOf(run.id, first_idx), retry_of: null, slice_of: number, first_idx }
    const rows = Math.min(sliceMax_rows, total - first_idx)
    yield* insertRun(sql, { ...slice, total: rows, done: errorCounts[first_idx / sliceMax_rows] ?? 0 })
  }
  return number
}

type NewSlice = Pick<StoredRun, 'total' | 'done' | 'slice_of' | 'first_idx'>

function* insertRun(sql: Statements, { done, slice_of, first_idx, ...run }: NewRow & NewSlice): Step<number> {
  const { columns, values } = sql.dialect.newRun
  // All fields of an unreadable row count as failed.
  const failed_values = done === 0 ? 0 : done * (JSON.parse(run.fields) as string[]).length
  const added = yield* sql.get<{ number: number }>(
    `INSERT INTO runs (${requestColumns.join(', ')}, status, done, failed_values, checksum, slice_of, first_idx${columns})
     VALUES ($${requestColumns.join(', $')}, 'queued', $done, $failed_values, $checksum, $slice_of, $first_idx${values})
     RETURNING number`,
    { ...run, done, failed_values, checksum: requestChecksum(run), slice_of, first_idx },
  )
  return added!.number
}
