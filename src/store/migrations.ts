/** The tables of `state.db`, step by step. Steps are only ever added; the database counts them in `user_version`. */
export const migrations: readonly string[][] = [
  [
    `CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE tokens (
      id INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      hash BLOB NOT NULL UNIQUE,
      last4 TEXT NOT NULL,
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER
    ) STRICT`,
  ],
]
