import type { Database } from 'bun:sqlite'

/** One location of a new run: its input as JSON, what passes through beside it, and its entry where it could not even be read. */
export type NewLocation = { input: string; passthrough?: string; errorEntry?: string }

/** A run to be. `selection`, `fields` and `columns` are JSON; times are milliseconds since 1970. */
export type NewRun = {
  id: string
  account_id: string
  scopes: string
  kind: string
  created_at: number
  expires_at: number
  selection: string
  fields: string
  columns: string
  catalog_version: string
}

/** The key that a caller gave to a submission, and the hash of its body. A key that was used before `after` is free again. */
export type SubmissionKey = { key: string; body_hash: string; after: number }

/** What became of a submission: the new run, the run that the same key and body made before, or neither. */
export type SubmissionResult = { run_id: string; replayed: boolean } | { keyReused: true }

/** Puts new runs into `state.db`: what it returns of is there to stay. */
export type SubmissionStore = {
  submit(run: NewRun, locations: NewLocation[], key: SubmissionKey | null): SubmissionResult
  /** A run of those locations of another that may come out better. */
  retry(run: NewRun, original: { number: number; id: string }): SubmissionResult
}

type StoredKey = { run_id: string; body_hash: string }

export function createSubmissionStore(db: Database): SubmissionStore {
  const findKey = db.query<StoredKey, [string, string, number]>(
    'SELECT run_id, body_hash FROM run_keys WHERE account_id = ? AND key = ? AND created_at > ?',
  )
  const saveKey = db.query(
    'INSERT OR REPLACE INTO run_keys (account_id, key, body_hash, run_id, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const add = db.query<{ number: number }, [NewRun & { total: number; done: number; retry_of: string | null }]>(
    `INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, columns, catalog_version, retry_of, total, done)
     VALUES ($id, $account_id, $scopes, $kind, 'queued', $created_at, $expires_at, $selection, $fields, $columns, $catalog_version, $retry_of, $total, $done) RETURNING number`,
  )
  const addLocation = db.query('INSERT INTO run_locations (run, idx, input, passed) VALUES (?, ?, ?, ?)')
  const addErrorEntry = db.query('INSERT INTO run_results (run, idx, ok, again, entry) VALUES (?, ?, 0, 0, ?)')
  const countRetryable = db.query<{ total: number }, [number]>(
    'SELECT count(*) AS total FROM run_results WHERE run = ? AND again = 1',
  )
  const copyRetryable = db.query(
    `INSERT INTO run_locations (run, idx, input, passed, original_index)
     SELECT ?, row_number() OVER (ORDER BY r.idx) - 1, l.input, l.passed, r.idx
     FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx WHERE r.run = ? AND r.again = 1`,
  )
  const submit = db.transaction(
    (run: NewRun, locations: NewLocation[], key: SubmissionKey | null): SubmissionResult => {
      const existing = key && findKey.get(run.account_id, key.key, key.after)
      if (existing)
        return existing.body_hash === key.body_hash ? { run_id: existing.run_id, replayed: true } : { keyReused: true }
      const done = locations.filter(({ errorEntry }) => errorEntry !== undefined).length
      const { number } = add.get({ ...run, total: locations.length, done, retry_of: null })!
      for (const [idx, { input, passthrough, errorEntry }] of locations.entries()) {
        addLocation.run(number, idx, input, passthrough ?? null)
        if (errorEntry !== undefined) addErrorEntry.run(number, idx, errorEntry)
      }
      if (key) saveKey.run(run.account_id, key.key, key.body_hash, run.id, run.created_at)
      return { run_id: run.id, replayed: false }
    },
  )
  const retry = db.transaction((run: NewRun, original: { number: number; id: string }): SubmissionResult => {
    const { total } = countRetryable.get(original.number)!
    const { number } = add.get({ ...run, total, done: 0, retry_of: original.id })!
    copyRetryable.run(number, original.number)
    return { run_id: run.id, replayed: false }
  })
  return { submit: (...it) => submit.immediate(...it), retry: (...it) => retry.immediate(...it) }
}
