import { runCoroutine, waitFor, type Coroutine } from '../async/maybe-promise.ts'

type SqlValue = string | number | boolean | null | Uint8Array
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

/** The locks that are not of a row. */
export type LockName = 'migration' | 'clients' | 'devices' | 'audit' | 'run_sweep'

/** The types of the columns of records. */
type RecordColumns = Record<string, 'text' | 'bigint' | 'boolean' | 'bytea'>

/** A result file that the worker of an epoch writes. */
type WorkerFile = { run: number; name: string; epoch: number }

/** What the two databases write differently. All other statements have one text for both. */
export type Dialect = {
  /** The clock of the database, in milliseconds since 1970. */
  clock_ms: string
  /**
   * Ends a SELECT whose rows no other transaction may change before this one ends. SQLite has one writer.
   */
  forUpdate: string
  /** Ends a SELECT whose rows no other transaction may change, but others may lock like this one. */
  forShare: string
  /**
   * Returns a statement for `runEach`. `value` returns the value of a column, and `from` follows the list of values.
   */
  recordStatement<Columns extends RecordColumns>(
    columns: Columns,
    textOf: (value: (name: keyof Columns & string) => string, from: string) => string,
  ): string
  /** Calls `runEach`. Rows are locked in the order of their ids, so that two transactions do not wait for each other. */
  updateEach(
    sql: Statements,
    table: 'tokens',
    statement: string,
    records: readonly (SqlValues & { id: number })[],
  ): Step<void>
  /** Whether a worker has the lease of a run `r`; a number then, else NULL. */
  leaseOfRun: string
  /** Whether a chunk `c` is of the result file `a`. In PostgreSQL, several workers may write one file. */
  isChunkOfFile: string
  /**
   * Reads a part of the last chunk that begins at `$from` or before. Only PostgreSQL has compressed chunks, in `block`,
   * and only there the difference to the start of another chunk can be too large.
   */
  readChunk: string
  /** The compressed bytes of a row of results or chunks. NULL in SQLite. */
  blockOf(table: string): string
  /** Returns the bytes of a chunk as they are stored. */
  chunkBytes(bytes: Uint8Array): Uint8Array
  /** The statement that adds a chunk under a condition. */
  addChunk(condition: string): string
  /** Deletes a result file. If others may write it, too, PostgreSQL deletes only the chunks of this worker. */
  clearFile(sql: Statements, file: WorkerFile, isShared: boolean): Step<void>
  /** Completes a result file. Of two workers that write it in PostgreSQL, the first one does. */
  finishFile(sql: Statements, file: WorkerFile & { etag: string; bytes: number }): Step<void>
  /** The columns of a new run that only PostgreSQL has, and their values. */
  newRun: { columns: string; values: string }
  /** The tables that have few rows of a run. */
  tablesOfRun: readonly string[]
  /** The months of the geocoding audit that have a table, oldest first. */
  auditMonths(sql: Statements): Step<string[]>
  createAuditMonth(sql: Statements, month: string): Step<void>
  /** The column of the month in the table of a month, and its value. In SQLite there is none. */
  auditMonth(month: string): { column: string; value: string }
  /** Makes this transaction wait only briefly for a table. All later readers of the table wait for it meanwhile. */
  limitLockWait(sql: Statements): Step<unknown>
  /** Waits until no other transaction holds a lock alone, and shares it until the transaction ends. */
  shareLock(sql: Statements, name: LockName): Step<unknown>
  /** Waits until no other transaction holds a lock, and holds it until the transaction ends. */
  takeLock(sql: Statements, name: LockName): Step<unknown>
  /**
   * Locks the row of an account until the transaction ends. Every transaction that adds or ends tokens of an account
   * does this before it reads what it decides about. So nothing is issued while it is revoked. `account`: an expression
   * with the id.
   */
  lockAccount(sql: Statements, account: string, values: SqlValues): Step<unknown>
}

/** Makes a step of a result that is there already, or of a promise of it. */
export function stepOf<T>(result: T | Promise<T>): Step<T> {
  return waitFor(result)
}

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

/** Groups rows, so that a statement writes many of them. The last group may have fewer. */
export function* rowBatchesOf<T>(rows: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
