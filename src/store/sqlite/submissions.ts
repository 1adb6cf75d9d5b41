import { unpackLocations } from '../packed-locations.ts'
import type { NewRun, SubmissionStore } from '../submissions.ts'
import type { SqliteTransactions } from './transactions.ts'

type StoredKey = { run_id: string; body_hash: string }

/** Creates the submission store. All statements are prepared once. */
export function createSubmissionStore({ db, write }: SqliteTransactions): SubmissionStore {
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
  return {
    submit: (run, locations, key) =>
      write(() => {
        const existing = key && findKey.get(run.account_id, key.key, key.after)
        if (existing)
          return existing.body_hash === key.body_hash
            ? { run_id: existing.run_id, replayed: true }
            : { keyReused: true }
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
      }),
    retry: (run, original, indexes) =>
      write(() => {
        const total = indexes?.length ?? countRetryable.get(original.number)!.total
        const { number } = add.get({ ...run, total, done: 0, retry_of: original.id })!
        if (indexes) copyLocations.run(number, original.number, JSON.stringify(indexes))
        else copyRetryable.run(number, original.number)
        return { run_id: run.id, replayed: false }
      }),
  }
}
