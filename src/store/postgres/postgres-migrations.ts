import { firstTables } from './first-tables.ts'

/** A migration of a PostgreSQL database. `number` is the one of the same migration of `state.db`. */
export type PostgresMigration = { number: number; statements: readonly string[] }

/**
 * The migrations of PostgreSQL, in order. Both stores count the same migrations, and the tables of a store have the
 * same columns in both. Number 15 creates what the first 15 migrations of `state.db` create. Only append to this list.
 * A migration adds what a new release needs, and a later one removes what no supported release uses.
 *
 * Times are milliseconds since 1970. Text is sorted by code point, as in SQLite.
 */
export const postgresMigrations: readonly PostgresMigration[] = [
  { number: 15, statements: firstTables },
  {
    number: 16,
    statements: [
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
      )`,
      'CREATE INDEX shares_of_account ON shares (account_id, created_at)',
    ],
  },
  {
    number: 17,
    statements: [
      `CREATE TABLE pins (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
        name text NOT NULL,
        content text NOT NULL,
        created_at bigint NOT NULL
      )`,
      'CREATE INDEX pins_of_account ON pins (account_id, created_at)',
    ],
  },
  {
    number: 18,
    statements: [
      `CREATE TABLE artifact_objects (
        key text COLLATE "C" PRIMARY KEY,
        run bigint NOT NULL,
        name text NOT NULL,
        etag text NOT NULL,
        begun_at bigint NOT NULL,
        version text
      )`,
      'CREATE INDEX artifact_objects_of_run ON artifact_objects (run, name)',
    ],
  },
  {
    number: 19,
    statements: [
      // After a crash of the server it is empty, and each node adds itself again.
      `CREATE UNLOGGED TABLE nodes (
        id text COLLATE "C" PRIMARY KEY,
        host text NOT NULL,
        pid integer NOT NULL,
        version text NOT NULL,
        started_at bigint NOT NULL,
        seen_at bigint NOT NULL,
        access_epoch bigint NOT NULL
      )`,
      'ALTER TABLE run_epochs ADD COLUMN node text COLLATE "C"',
    ],
  },
  {
    number: 20,
    statements: [
      "ALTER TABLE runs ADD COLUMN attempts text NOT NULL DEFAULT '[]'",
      // Only here: many rows of a run can be in one row of the table. `rows` is their number, `block` has their contents.
      ...['run_locations', 'run_results'].flatMap((table) => [
        `ALTER TABLE ${table} ADD COLUMN rows integer NOT NULL DEFAULT 1, ADD COLUMN block bytea`,
        `ALTER TABLE ${table} ALTER COLUMN block SET STORAGE EXTERNAL`,
      ]),
      // Executables of earlier versions do not know blocks. They cannot take over a run that may have some.
      'ALTER TABLE runs ADD COLUMN block_epoch bigint',
      "CREATE FUNCTION keep_run_with_blocks() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
      `CREATE TRIGGER keep_run_with_blocks BEFORE UPDATE OF epoch ON runs FOR EACH ROW
       WHEN (OLD.block_epoch IS NOT NULL AND NEW.epoch IS DISTINCT FROM OLD.epoch
         AND NEW.epoch IS NOT NULL AND NEW.block_epoch IS DISTINCT FROM NEW.epoch)
       EXECUTE FUNCTION keep_run_with_blocks()`,
    ],
  },
  {
    number: 21,
    statements: [
      `CREATE TABLE billed_calls (
        key text COLLATE "C" PRIMARY KEY,
        lease text COLLATE "C",
        claimed_until bigint NOT NULL DEFAULT 0,
        answer text,
        cached_at bigint NOT NULL DEFAULT 0,
        fresh_until bigint NOT NULL DEFAULT 0
      )`,
    ],
  },
  {
    number: 22,
    statements: [
      // Only here: `block` has the bytes of a chunk, compressed, and `bytes` is then empty.
      'ALTER TABLE run_chunks ADD COLUMN block bytea',
      'ALTER TABLE run_chunks ALTER COLUMN block SET STORAGE EXTERNAL',
    ],
  },
]
