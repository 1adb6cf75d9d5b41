import { waitFor } from '../async/maybe-promise.ts'
import type { SqlValues, Statements, Step } from './sql.ts'

/** The locks of PostgreSQL that are not of a row, by number. */
const lockNumbers = { migration: 1, clients: 2, devices: 3, audit: 4, run_sweep: 5 }
export type LockName = keyof typeof lockNumbers
/** `FSTN` in ASCII: the advisory locks of Fieldstone. */
const lockClass = 0x4653544e

/** The types of the columns of records. */
export type RecordColumns = Record<string, 'text' | 'bigint' | 'boolean'>

/** What the two databases write differently. All other statements have one text for both. */
export type Dialect = {
  /** The clock of the database, in milliseconds since 1970. */
  clock_ms: string
  /**
   * Ends a SELECT whose rows no other transaction may change before this one ends. SQLite has one writer.
   */
  forUpdate: string
  /**
   * Returns a statement for `runEach`. `value` returns the value of a column, and `from` follows the list of values.
   */
  recordStatement<Columns extends RecordColumns>(
    columns: Columns,
    textOf: (value: (name: keyof Columns & string) => string, from: string) => string,
  ): string
  /** Locks rows in the order of their ids, so that two transactions do not wait for each other. */
  lockRows(sql: Statements, table: 'tokens', ids: Iterable<number>): Step<unknown>
  /** Whether a worker has the lease of a run `r`; a number then, else NULL. */
  leaseOfRun: string
  /** Waits until no other transaction holds a lock, and holds it until the transaction ends. */
  takeLock(sql: Statements, name: LockName): Step<unknown>
  /**
   * Locks the row of an account until the transaction ends. Every transaction that adds or ends tokens of an account
   * does this before it reads what it decides about. So nothing is issued while it is revoked. `account`: an expression
   * with the id.
   */
  lockAccount(sql: Statements, account: string, values: SqlValues): Step<unknown>
}

const sqliteClock_ms = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

export const sqliteDialect: Dialect = {
  clock_ms: sqliteClock_ms,
  forUpdate: '',
  recordStatement: (_columns, textOf) => textOf((name) => `$${name}`, ''),
  lockRows: () => waitFor(undefined),
  leaseOfRun: 'r.number',
  takeLock: () => waitFor(undefined),
  lockAccount: () => waitFor(undefined),
}

const postgresClock_ms = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export const postgresDialect: Dialect = {
  clock_ms: postgresClock_ms,
  forUpdate: 'FOR UPDATE',
  recordStatement(columns, textOf) {
    const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
    return textOf(
      (name) => `record.${name}`,
      `FROM json_to_recordset($records::text::json) AS record (${types.join(', ')})`,
    )
  },
  lockRows: (sql, table, ids) =>
    sql.all(
      `SELECT id FROM ${table} WHERE id IN (SELECT value::bigint FROM json_array_elements_text($ids::text::json))
       ORDER BY id FOR NO KEY UPDATE`,
      { ids: JSON.stringify([...ids]) },
    ),
  leaseOfRun: `(SELECT l.run FROM run_leases l WHERE l.run = r.number AND l.epoch = r.epoch AND l.until > ${postgresClock_ms})`,
  takeLock: (sql, name) =>
    sql.get('SELECT pg_advisory_xact_lock($lockClass::int, $number::int)', { lockClass, number: lockNumbers[name] }),
  lockAccount: (sql, account, values) =>
    sql.get(`SELECT id FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`, values),
}
