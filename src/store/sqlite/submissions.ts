import type { Database } from 'bun:sqlite'
import { unpackLocations, type PackedLocations } from '../packed-locations.ts'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** A run to submit. `selection`, `fields`, `margin_fields` and `columns` are JSON; times are milliseconds since 1970. */
export type NewRun = {
  id: string
  account_id: string
  scopes: string
  kind: string
  created_at: number
  expires_at: number
  selection: string
  fields: string
  margin_fields: string
  columns: string
  catalog_version: string
  name: string | null
}

/**
 * The idempotency key of a submission and the hash of its body. A key that was last used before `after` has expired.
 */
export type SubmissionKey = { key: string; body_hash: string; after: number }

/**
 * The result of a submission: the new run, the earlier run with the same key and body, or a reused key with another
 * body.
 */
export type SubmissionResult = { run_id: string; replayed: boolean } | { keyReused: true }

/** Adds runs to `state.db`. A run is durable when the call returns. */
export type SubmissionStore = {
  submit(run: NewRun, locations: PackedLocations, key: SubmissionKey | null): SubmissionResult
  /** Adds a run with the given locations of another run; null for its retryable locations. */
  retry(run: NewRun, original: { number: number; id: string }, indexes: number[] | null): SubmissionResult
}

type StoredKey = { run_id: string; body_hash: string }

/** Creates the submission store. All statements are prepared once. */
export function createSubmissionStore(db: Database): SubmissionStore {
  const findKey = db.query<StoredKey, [string, string, number]>(
    'SELECT run_id, body_hash FROM run_keys WHERE account_id = ? AND key = ? AND created_at > ?',
  )
  const saveKey = db.query(
    'INSERT OR REPLACE INTO run_keys (account_id, key, body_hash, run_id, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const add = db.query<{ number: number }, [NewRun & { total: number; done: number; retry_of: string | null }]>(
    `INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, margin_fields, columns, catalog_version, name, retry_of, total, done, failed_values)
     VALUES ($id, $account_id, $scopes, $kind, 'queued', $created_at, $expires_at, $selection, $fields, $margin_fields, $columns, $catalog_version, $name, $retry_of, $total, $done, $done * json_array_length($fields)) RETURNING number`,
  )
  const addLocation = db.query('INSERT INTO run_locations (run, idx, input, passthrough) VALUES (?, ?, ?, ?)')
  const addErrorEntry = db.query('INSERT INTO run_results (run, idx, ok, retryable, entry) VALUES (?, ?, 0, 0, ?)')
  const countRetryable = db.query<{ total: number }, [number]>(
    'SELECT count(*) AS total FROM run_results WHERE run = ? AND retryable = 1',
  )
  const copyLocations = db.query(
    `INSERT INTO run_locations (run, idx, input, passthrough, original_index)
     SELECT ?, row_number() OVER (ORDER BY idx) - 1, input, passthrough, idx
     FROM run_locations WHERE run = ? AND idx IN (SELECT value FROM json_each(?))`,
  )
  const copyRetryable = db.query(
    `INSERT INTO run_locations (run, idx, input, passthrough, original_index)
     SELECT ?, row_number() OVER (ORDER BY r.idx) - 1, l.input, l.passthrough, r.idx
     FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx WHERE r.run = ? AND r.retryable = 1`,
  )
  const submit = db.transaction(
    (run: NewRun, locations: PackedLocations, key: SubmissionKey | null): SubmissionResult => {
      const existing = key && findKey.get(run.account_id, key.key, key.after)
      if (existing)
        return existing.body_hash === key.body_hash ? { run_id: existing.run_id, replayed: true } : { keyReused: true }
      const { length: total, errorCount: done } = locations
      const { number } = add.get({ ...run, total, done, retry_of: null })!
      let idx = 0
      for (const { input, passthrough, errorEntry } of unpackLocations(locations)) {
        addLocation.run(number, idx, input, passthrough ?? null)
        if (errorEntry !== undefined) addErrorEntry.run(number, idx, errorEntry)
        idx++
      }
      if (key) saveKey.run(run.account_id, key.key, key.body_hash, run.id, run.created_at)
      return { run_id: run.id, replayed: false }
    },
  )
  const retry: SubmissionStore['retry'] = db.transaction((run, original, indexes) => {
    const total = indexes?.length ?? countRetryable.get(original.number)!.total
    const { number } = add.get({ ...run, total, done: 0, retry_of: original.id })!
    if (indexes) copyLocations.run(number, original.number, JSON.stringify(indexes))
    else copyRetryable.run(number, original.number)
    return { run_id: run.id, replayed: false }
  }).immediate
  return storeWithStorageErrors({ submit: (...args) => submit.immediate(...args), retry })
}
