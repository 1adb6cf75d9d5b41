import { firstMigrations } from './first-migrations.ts'

/** The migrations of `state.db`, in order. Only append to this list: `user_version` counts the applied migrations. */
export const migrations: readonly string[][] = [
  ...firstMigrations,
  [
    `CREATE TABLE shares (
      id TEXT PRIMARY KEY,
      hash BLOB NOT NULL UNIQUE,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      token_id INTEGER,
      kind TEXT NOT NULL,
      run_id TEXT,
      title TEXT NOT NULL,
      document BLOB,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX shares_of_account ON shares (account_id, created_at)',
  ],
  [
    `CREATE TABLE pins (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      name TEXT NOT NULL,
      content TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX pins_of_account ON pins (account_id, created_at)',
  ],
  [
    `CREATE TABLE artifact_objects (
      key TEXT PRIMARY KEY,
      run INTEGER NOT NULL,
      name TEXT NOT NULL,
      etag TEXT NOT NULL,
      begun_at INTEGER NOT NULL,
      version TEXT
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX artifact_objects_of_run ON artifact_objects (run, name)',
  ],
  [
    `CREATE TABLE nodes (
      id TEXT PRIMARY KEY,
      host TEXT NOT NULL,
      pid INTEGER NOT NULL,
      version TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      access_epoch INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    'ALTER TABLE run_epochs ADD COLUMN node TEXT',
  ],
  [
    "ALTER TABLE runs ADD COLUMN attempts TEXT NOT NULL DEFAULT '[]'",
    `UPDATE runs SET attempts = (
      SELECT json_group_array(json_array(idx, idx, attempts + earlier_attempts, attempts > 0)) FROM run_locations l
      WHERE l.run = runs.number AND attempts + earlier_attempts > 0
        AND NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)
    ) WHERE status IN ('queued', 'running')`,
  ],
  [
    `CREATE TABLE billed_calls (
      key TEXT PRIMARY KEY,
      lease TEXT,
      claimed_until INTEGER NOT NULL DEFAULT 0,
      answer TEXT,
      cached_at INTEGER NOT NULL DEFAULT 0,
      fresh_until INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID`,
  ],
  // Only PostgreSQL changes.
  [],
]
