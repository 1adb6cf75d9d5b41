import { runCoroutine, type Coroutine } from '../async/maybe-promise.ts'
import type { Dialect } from './dialect.ts'

export type SqlValue = string | number | boolean | null | Uint8Array
/** The values of the parameters of a statement: `$id` in its text has the value `id`. */
export type SqlValues = Readonly<Record<string, SqlValue>>

/** A part of a transaction. `yield*` returns its result: at once in SQLite, after a wait in PostgreSQL. */
export type Step<T> = Iterable<Promise<unknown>, T, unknown>

/** Executes the statements of a transaction: `const account = yield* sql.get('SELECT …', { id })`. */
export type Statements = {
  readonly dialect: Dialect
  /** Returns all rows. */
  all<Row>(statement: string, values?: SqlValues): Step<Row[]>
  /** Returns the first row; null if there is none. */
  get<Row>(statement: string, values?: SqlValues): Step<Row | null>
  /** Returns the number of changed rows. */
  run(statement: string, values?: SqlValues): Step<number>
  /**
   * Executes a statement of `dialect.recordStatement` for each record: one by one in SQLite, all at once in PostgreSQL,
   * where each statement takes a turn of the network.
   */
  runEach(statement: string, records: readonly SqlValues[]): Step<void>
}

/** A transaction: a coroutine of statements. In PostgreSQL, it is repeated if it conflicts with another one. */
export type Transaction<T> = (sql: Statements) => Step<T>

/** One of the two databases. Methods reject with a StorageError; every other error is a bug, or of the caller. */
export type Sql = {
  readonly dialect: Dialect
  /** Reads all rows with one statement. */
  all<Row>(statement: string, values?: SqlValues): Promise<Row[]>
  /** Reads the first row; null if there is none. */
  get<Row>(statement: string, values?: SqlValues): Promise<Row | null>
  /** Writes with one statement. Resolves with the number of changed rows. */
  run(statement: string, values?: SqlValues): Promise<number>
  /** Reads with several statements. */
  read<T>(work: Transaction<T>): Promise<T>
  /** Executes a transaction. If it throws, nothing is written. */
  write<T>(work: Transaction<T>): Promise<T>
}

/** The same database for requests and for work that may take long. In PostgreSQL, these have connections of their own. */
export type SqlPools = { quick: Sql; work: Sql }

/** Executes a transaction that never waits. */
export function runAtOnce<T>(steps: Step<T>): T {
  const { done, value } = steps[Symbol.iterator]().next()
  if (!done) throw new Error('A transaction of SQLite waited between its statements.')
  return value
}

/** Executes a transaction that waits for its statements. */
export async function runWithWaits<T>(steps: Step<T>): Promise<T> {
  return await runCoroutine(steps[Symbol.iterator]() as Coroutine<T>)
}
