import { firstMigrations, type MigrationStatement } from './first-migrations.ts'

/**
 * The migrations of both databases, in order. Only append to this list: a database stores how many are applied.
 * A migration adds what a new release needs, and a later one removes what no supported release uses. Times are
 * milliseconds since 1970. Text that is sorted has the collation "C", so that PostgreSQL sorts it like SQLite.
 */
const allMigrations: readonly (readonly MigrationStatement[])[] = [
  ...firstMigrations,
  [
    'ALTER TABLE runs ADD COLUMN failed_values integer',
    'CREATE INDEX runs_by_original ON runs (retry_of) WHERE retry_of IS NOT NULL',
  ],
  [
    `CREATE TABLE expired_items (
      kind text NOT NULL,
      item text NOT NULL,
      found_at bigint NOT NULL,
      PRIMARY KEY (kind, item)
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    "ALTER TABLE runs ADD COLUMN margin_fields text NOT NULL DEFAULT '[]'",
    { postgres: 'ALTER TABLE runs ALTER COLUMN margin_fields DROP DEFAULT' },
  ],
  ['ALTER TABLE runs ADD COLUMN name text'],
  ['ALTER TABLE invitations ADD COLUMN token_id bigint'],
  [
    'CREATE TABLE access_epoch (id integer PRIMARY KEY CHECK (id = 1), epoch bigint NOT NULL) STRICT',
    'INSERT INTO access_epoch (id, epoch) VALUES (1, 0)',
    // In state.db, each month of the audit is a table. The geocodes are in cache.db.
    {
      postgres: `CREATE TABLE geocode_audit (
        month text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        account text NOT NULL,
        address_hash bytea NOT NULL,
        outcome text NOT NULL,
        provider text,
        cached boolean NOT NULL
      ) PARTITION BY LIST (month)`,
    },
    {
      postgres: `CREATE TABLE geocodes (
        key text PRIMARY KEY,
        outcome text NOT NULL,
        providers text NOT NULL,
        cached_at bigint NOT NULL,
        fresh_until bigint NOT NULL
      )`,
    },
    { postgres: 'CREATE INDEX geocodes_by_expiry ON geocodes (fresh_until)' },
    // After a crash of the server the leases are gone, and the epochs still tell who may write.
    {
      postgres:
        'CREATE UNLOGGED TABLE run_leases (run bigint PRIMARY KEY, epoch bigint NOT NULL, until bigint NOT NULL)',
    },
  ],
  // No release could use PostgreSQL before this migration.
  [
    `CREATE TABLE shares (
      id text COLLATE "C" PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      token_id bigint,
      kind text NOT NULL,
      run_id text,
      title text NOT NULL,
      document bytea,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL
    ) STRICT`,
    'CREATE INDEX shares_of_account ON shares (account_id, created_at)',
  ],
  [
    `CREATE TABLE pins (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      name text NOT NULL,
      content text NOT NULL,
      created_at bigint NOT NULL
    ) STRICT`,
    'CREATE INDEX pins_of_account ON pins (account_id, created_at)',
  ],
  [
    `CREATE TABLE artifact_objects (
      key text COLLATE "C" PRIMARY KEY,
      run bigint NOT NULL,
      name text NOT NULL,
      etag text NOT NULL,
      begun_at bigint NOT NULL,
      version text
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX artifact_objects_of_run ON artifact_objects (run, name)',
  ],
  [
    `CREATE TABLE nodes (
      id text COLLATE "C" PRIMARY KEY,
      host text NOT NULL,
      pid integer NOT NULL,
      version text NOT NULL,
      started_at bigint NOT NULL,
      seen_at bigint NOT NULL,
      access_epoch bigint NOT NULL
    ) STRICT, WITHOUT ROWID`,
    // After a crash of PostgreSQL it is empty, and each node adds itself again.
    { postgres: 'ALTER TABLE nodes SET UNLOGGED' },
    'ALTER TABLE run_epochs ADD COLUMN node text COLLATE "C"',
  ],
  [
    "ALTER TABLE runs ADD COLUMN attempts text NOT NULL DEFAULT '[]'",
    {
      sqlite: `UPDATE runs SET attempts = (
      SELECT json_group_array(json_array(idx, idx, attempts + earlier_attempts, attempts > 0)) FROM run_locations l
      WHERE l.run = runs.number AND attempts + earlier_attempts > 0
        AND NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)
    ) WHERE status IN ('queued', 'running')`,
    },
    // Only in PostgreSQL: many rows of a run can be in one row of the table. `rows` is their number, `block` has their
    // contents.
    ...['run_locations', 'run_results'].flatMap((table) => [
      { postgres: `ALTER TABLE ${table} ADD COLUMN rows integer NOT NULL DEFAULT 1, ADD COLUMN block bytea` },
      { postgres: `ALTER TABLE ${table} ALTER COLUMN block SET STORAGE EXTERNAL` },
    ]),
    // Executables of earlier versions do not know blocks. They cannot take over a run that may have some.
    { postgres: 'ALTER TABLE runs ADD COLUMN block_epoch bigint' },
    {
      postgres: "CREATE FUNCTION keep_run_with_blocks() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    },
    {
      postgres: `CREATE TRIGGER keep_run_with_blocks BEFORE UPDATE OF epoch ON runs FOR EACH ROW
        WHEN (OLD.block_epoch IS NOT NULL AND NEW.epoch IS DISTINCT FROM OLD.epoch
          AND NEW.epoch IS NOT NULL AND NEW.block_epoch IS DISTINCT FROM NEW.epoch)
        EXECUTE FUNCTION keep_run_with_blocks()`,
    },
  ],
  [
    `CREATE TABLE billed_calls (
      key text COLLATE "C" PRIMARY KEY,
      lease text COLLATE "C",
      claimed_until bigint NOT NULL DEFAULT 0,
      answer text,
      cached_at bigint NOT NULL DEFAULT 0,
      fresh_until bigint NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    // Only in PostgreSQL: `block` has the bytes of a chunk, compressed, and `bytes` is then empty.
    { postgres: 'ALTER TABLE run_chunks ADD COLUMN block bytea' },
    { postgres: 'ALTER TABLE run_chunks ALTER COLUMN block SET STORAGE EXTERNAL' },
  ],
  [{ sqlite: 'ALTER TABLE run_results ADD COLUMN checksum INTEGER' }],
  ["UPDATE runs SET status = 'done' WHERE status = 'succeeded'"],
  // A block of results has one checksum. PostgreSQL has checksums of its pages only if `initdb` was told so.
  [{ postgres: 'ALTER TABLE run_results ADD COLUMN checksum bigint' }],
  ['runs', 'run_locations'].map((table) => `ALTER TABLE ${table} ADD COLUMN checksum bigint`),
  [
    'ALTER TABLE runs ADD COLUMN slice_of bigint',
    'ALTER TABLE runs ADD COLUMN first_idx integer NOT NULL DEFAULT 0',
    'CREATE INDEX runs_slices ON runs (slice_of) WHERE slice_of IS NOT NULL',
    // Executables of earlier versions do not know slices. They cannot take over a slice, or a run that has slices.
    { postgres: 'ALTER TABLE runs ADD COLUMN slice_epoch bigint' },
    {
      postgres: `CREATE TRIGGER keep_run_with_slices BEFORE UPDATE OF epoch ON runs FOR EACH ROW
        WHEN ((OLD.slice_of IS NOT NULL OR OLD.total > 10000) AND NEW.epoch IS DISTINCT FROM OLD.epoch
          AND NEW.epoch IS NOT NULL AND NEW.slice_epoch IS DISTINCT FROM NEW.epoch)
        EXECUTE FUNCTION keep_run_with_blocks()`,
    },
  ],
]

/** The migrations of `state.db`. */
export const migrations: readonly string[][] = allMigrations.map((statements) =>
  statements.flatMap((statement) => {
    if (typeof statement === 'string') return sqliteText(statement)
    return 'sqlite' in statement ? statement.sqlite : []
  }),
)

/** A migration of a PostgreSQL database. */
export type PostgresMigration = { number: number; statements: readonly string[] }

/** The migrations of PostgreSQL. */
export const postgresMigrations: readonly PostgresMigration[] = allMigrations.map((statements, index) => ({
  number: index + 1,
  statements: statements.flatMap((statement) => {
    if (typeof statement === 'string') return postgresText(statement)
    return 'postgres' in statement ? statement.postgres : []
  }),
}))

/** SQLite has three of the types, and sorts all text by code point. */
function sqliteText(statement: string): string {
  return statement
    .replaceAll(/ COLLATE "C"| GENERATED BY DEFAULT AS IDENTITY/g, '')
    .replaceAll(/ (?:bigint|integer|smallint|boolean)\b/g, ' INTEGER')
    .replaceAll(' text', ' TEXT')
    .replaceAll(' bytea', ' BLOB')
    .replaceAll('DEFAULT false', 'DEFAULT 0')
}

/** Only SQLite has table options. */
function postgresText(statement: string): string {
  return statement.replace(/ STRICT(?:, WITHOUT ROWID)?$/, '')
}
