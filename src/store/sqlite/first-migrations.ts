/** The columns that migration 8 renames: table, old name, new name. Recovery uses this for older databases. */
export const renamedColumns = [
  ['runs', 'again', 'retryable_locations'],
  ['runs', 'in_step', 'in_transition'],
  ['run_results', 'again', 'retryable'],
  ['run_locations', 'passed', 'passthrough'],
  ['run_locations', 'earlier', 'earlier_attempts'],
  ['run_epochs', 'began_at', 'started_at'],
  ['oauth_codes', 'wrong', 'failed_verifications'],
  ['oauth_codes', 'used', 'is_redeemed'],
  ['accounts', 'password', 'password_hash'],
  ['tokens', 'last4', 'last_four'],
] as const

/** The first 15 migrations of `state.db`. Migration 15 of PostgreSQL creates the same tables. */
export const firstMigrations: readonly string[][] = [
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
  [
    `CREATE TABLE secrets (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT`,
  ],
  [
    `CREATE TABLE runs (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      account_id TEXT NOT NULL,
      scopes TEXT NOT NULL,
      kind TEXT NOT NULL,
      status TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      cancelled_at INTEGER,
      expires_at INTEGER NOT NULL,
      selection TEXT NOT NULL,
      fields TEXT NOT NULL,
      columns TEXT NOT NULL,
      catalog_version TEXT NOT NULL,
      retry_of TEXT,
      total INTEGER NOT NULL,
      done INTEGER NOT NULL DEFAULT 0,
      ok INTEGER NOT NULL DEFAULT 0,
      seq INTEGER NOT NULL DEFAULT 1,
      epoch INTEGER,
      error TEXT
    ) STRICT`,
    'CREATE INDEX runs_of_account ON runs (account_id, id)',
    "CREATE INDEX runs_unfinished ON runs (number) WHERE status IN ('queued', 'running')",
    'CREATE INDEX runs_by_expiry ON runs (expires_at)',
    `CREATE TABLE run_locations (
      run INTEGER NOT NULL,
      idx INTEGER NOT NULL,
      input TEXT NOT NULL,
      passed TEXT,
      original_index INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,
      forgiven INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (run, idx)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE run_results (
      run INTEGER NOT NULL,
      idx INTEGER NOT NULL,
      ok INTEGER NOT NULL,
      again INTEGER NOT NULL,
      entry TEXT NOT NULL,
      UNIQUE (run, idx)
    ) STRICT`,
    `CREATE TABLE run_artifacts (
      run INTEGER NOT NULL,
      name TEXT NOT NULL,
      etag TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (run, name)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE run_chunks (
      run INTEGER NOT NULL,
      name TEXT NOT NULL,
      start INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      UNIQUE (run, name, start)
    ) STRICT`,
    `CREATE TABLE run_keys (
      account_id TEXT NOT NULL,
      key TEXT NOT NULL,
      body_hash TEXT NOT NULL,
      run_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE run_epochs (
      epoch INTEGER PRIMARY KEY AUTOINCREMENT,
      began_at INTEGER NOT NULL
    ) STRICT`,
  ],
  [
    'ALTER TABLE accounts ADD COLUMN scopes TEXT',
    'ALTER TABLE accounts ADD COLUMN password TEXT',
    "ALTER TABLE tokens ADD COLUMN kind TEXT NOT NULL DEFAULT 'pat'",
    'ALTER TABLE tokens ADD COLUMN resource TEXT',
    'ALTER TABLE tokens ADD COLUMN grant_id INTEGER',
    'ALTER TABLE tokens ADD COLUMN last_used_at INTEGER',
    'CREATE INDEX tokens_of_account ON tokens (account_id, id)',
    'CREATE INDEX tokens_of_grant ON tokens (grant_id) WHERE grant_id IS NOT NULL',
    `CREATE TABLE invitations (
      hash BLOB PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      expires_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE sessions (
      hash BLOB PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      expires_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE oauth_clients (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      redirect_uris TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      used_at INTEGER
    ) STRICT`,
    `CREATE TABLE oauth_grants (
      id INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      client_id TEXT NOT NULL,
      client_name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      resource TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      revoked_at INTEGER
    ) STRICT`,
    'CREATE INDEX oauth_grants_of_account ON oauth_grants (account_id, id)',
    `CREATE TABLE oauth_codes (
      hash BLOB PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      client_id TEXT NOT NULL,
      client_name TEXT NOT NULL,
      redirect_uri TEXT NOT NULL,
      challenge TEXT NOT NULL,
      scopes TEXT NOT NULL,
      resource TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      wrong INTEGER NOT NULL DEFAULT 0,
      used INTEGER NOT NULL DEFAULT 0,
      grant_id INTEGER
    ) STRICT`,
    `CREATE TABLE oauth_refresh_tokens (
      hash BLOB PRIMARY KEY,
      grant_id INTEGER NOT NULL REFERENCES oauth_grants (id),
      expires_at INTEGER NOT NULL,
      used_at INTEGER,
      successor BLOB
    ) STRICT`,
    `CREATE TABLE oauth_devices (
      hash BLOB PRIMARY KEY,
      user_code TEXT NOT NULL UNIQUE,
      client_id TEXT NOT NULL,
      client_name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      resource TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      status TEXT NOT NULL DEFAULT 'pending',
      account_id TEXT,
      next_poll_at INTEGER NOT NULL DEFAULT 0,
      interval_s INTEGER NOT NULL DEFAULT 5
    ) STRICT`,
    `CREATE TABLE usage (
      account_id TEXT NOT NULL,
      day TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      source TEXT NOT NULL,
      requests INTEGER NOT NULL,
      fields INTEGER NOT NULL,
      metered_calls INTEGER NOT NULL,
      PRIMARY KEY (account_id, day, endpoint, source)
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    'ALTER TABLE runs ADD COLUMN again INTEGER NOT NULL DEFAULT 0',
    'UPDATE runs SET again = (SELECT count(*) FROM run_results r WHERE r.run = runs.number AND r.again = 1)',
    'ALTER TABLE run_locations RENAME COLUMN forgiven TO earlier',
    'UPDATE run_locations SET earlier = 0 WHERE earlier > 0',
  ],
  ['CREATE INDEX oauth_refresh_tokens_of_grant ON oauth_refresh_tokens (grant_id)'],
  [
    'ALTER TABLE runs ADD COLUMN in_step INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE runs ADD COLUMN worker_losses INTEGER NOT NULL DEFAULT 0',
    "CREATE INDEX runs_failed ON runs (finished_at) WHERE status = 'failed'",
  ],
  renamedColumns.map(([table, from, to]) => `ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`),
  [
    // No foreign keys: an expired access token is deleted before the expired tokens that it made.
    'ALTER TABLE tokens ADD COLUMN parent_id INTEGER',
    'CREATE INDEX tokens_of_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL',
    'ALTER TABLE sessions ADD COLUMN token_id INTEGER',
    'ALTER TABLE oauth_codes ADD COLUMN token_id INTEGER',
    'ALTER TABLE oauth_devices ADD COLUMN token_id INTEGER',
    'ALTER TABLE oauth_grants ADD COLUMN token_id INTEGER',
    'CREATE INDEX oauth_grants_of_token ON oauth_grants (token_id) WHERE token_id IS NOT NULL',
    `CREATE TABLE quota_usage (
      account_id TEXT NOT NULL,
      day TEXT NOT NULL,
      units INTEGER NOT NULL,
      PRIMARY KEY (account_id, day)
    ) STRICT, WITHOUT ROWID`,
    "INSERT INTO quota_usage SELECT account_id, day, sum(requests) FROM usage WHERE source = '' GROUP BY account_id, day",
  ],
  [
    'ALTER TABLE runs ADD COLUMN failed_values INTEGER',
    'CREATE INDEX runs_by_original ON runs (retry_of) WHERE retry_of IS NOT NULL',
  ],
  [
    `CREATE TABLE expired_items (
      kind TEXT NOT NULL,
      item TEXT NOT NULL,
      found_at INTEGER NOT NULL,
      PRIMARY KEY (kind, item)
    ) STRICT, WITHOUT ROWID`,
  ],
  ["ALTER TABLE runs ADD COLUMN margin_fields TEXT NOT NULL DEFAULT '[]'"],
  ['ALTER TABLE runs ADD COLUMN name TEXT'],
  ['ALTER TABLE invitations ADD COLUMN token_id INTEGER'],
  [
    'CREATE TABLE access_epoch (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL) STRICT',
    'INSERT INTO access_epoch (id, epoch) VALUES (1, 0)',
  ],
]
