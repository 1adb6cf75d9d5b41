import { SQL } from 'bun'
import { createSharedDeadline } from '../../async/deadline.ts'
import type { ClaimingProcess } from '../billed-calls.ts'
import { StorageError } from '../storage-error.ts'
import { isPostgresConflict, postgresStorageError } from './postgres-errors.ts'

/** Executes one statement with the values of its parameters, and resolves with its rows. */
export type PostgresQuery = <Row = unknown>(statement: string, ...values: PostgresValue[]) => Promise<PostgresRows<Row>>

/** The rows that a statement returns, and how many it returned or changed. */
type PostgresRows<Row> = Row[] & { readonly count?: number }

/** The value of a parameter. */
type PostgresValue = string | number | boolean | null | Uint8Array

/**
 * Connections to a PostgreSQL database. Methods reject with a StorageError if the database fails or does not answer in
 * time; every other error is a bug, or was thrown by the caller.
 */
export type PostgresPool = {
  /** Executes one statement, which is a transaction of its own. */
  query: PostgresQuery
  /**
   * Executes the statements of `work` in one transaction. If `work` throws, nothing is written. If the transaction
   * conflicts with another one, it is repeated, so `work` must have no effect other than its statements and its result.
   */
  transaction<T>(work: (query: PostgresQuery) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What the other processes of a database see of this one: a lock, which it keeps until every holder has released it. */
export type ProcessLock = ClaimingProcess & { close(): Promise<void> }

/**
 * The connections of one process: `quick` for requests, `work` for statements that may take long. So a quick statement
 * never waits behind a long one.
 */
export type PostgresPools = { quick: PostgresPool; work: PostgresPool; processLock: ProcessLock }

/** `deadline_ms`: the time limit of a statement outside a transaction, and of a transaction. */
type PostgresPoolOptions = { url: string; connections: number; deadline_ms: number; ping_ms: number }

const connectTimeout_s = 2
const maxAttempts = 5
/** The server ends a statement before the time limit, so that it has stopped when the caller gets the error. */
const serverShare = 0.8

/**
 * Opens a pool. It connects on first use. A query that gets no answer in time may be on a connection that no longer
 * works, although the operating system does not know it. The pool then sends a small query. If that gets no answer
 * either, the pool replaces its connections.
 */
export function openPostgresPool(options: PostgresPoolOptions): PostgresPool {
  const deadlines = createSharedDeadline(() => new StorageError('unavailable'))
  let client = createClient(options)
  let verification: Promise<void> | null = null
  return {
    query: (statement, ...values) => execute((sql) => sendTo(sql, statement, values)),
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await execute((sql, requireTime) => transact(sql, work, requireTime))
        } catch (error) {
          if (attempt === maxAttempts || !isPostgresConflict(error)) throw error
        }
      }
    },
    close: () => client.close({ timeout: 0 }),
  }

  async function execute<T>(work: (sql: SQL, requireTime: () => void) => Promise<T>): Promise<T> {
    const used = client
    let [isSettled, isLate] = [false, false]
    const result = work(used, () => {
      if (isLate) throw new StorageError('unavailable')
    }).finally(() => (isSettled = true))
    try {
      return await deadlines.within(options.deadline_ms, result)
    } catch (error) {
      isLate = true
      if (!isSettled) verification ??= verify(used).finally(() => (verification = null))
      throw postgresStorageError(error) ?? error
    }
  }

  /** Replaces the connections of a client if a query on them gets no answer. An error is an answer. */
  async function verify(used: SQL): Promise<void> {
    const ping = Promise.allSettled([used.unsafe('SELECT 1')])
    const hasAnswered = await deadlines.within(options.ping_ms, ping).then(
      () => true,
      () => false,
    )
    if (hasAnswered || used !== client) return
    client = createClient(options)
    await used.close({ timeout: 0 }).catch(() => {})
  }
}

/** Executes a transaction. One that has no time left is rolled back. */
function transact<T>(sql: SQL, work: (query: PostgresQuery) => Promise<T>, requireTime: () => void): Promise<T> {
  return sql.begin(async (reserved) => {
    const result = await work((statement, ...values) => {
      requireTime()
      return sendTo(reserved, statement, values)
    })
    requireTime()
    return result
  })
}

/** No text of PostgreSQL can have the character NUL, so that a text with it is sent with U+FFFD, and is found nowhere. */
async function sendTo<Row>(sql: SQL, statement: string, values: PostgresValue[]): Promise<PostgresRows<Row>> {
  const sent = values.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value))
  const rows: PostgresRows<Record<string, unknown>> = await sql.unsafe(statement, sent)
  return Object.defineProperty(rows.map(readRow) as Row[], 'count', { value: rows.count })
}

/** All integers that are stored are exact numbers. */
function readRow(row: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const name in row) {
    const value = row[name]
    read[name] = typeof value === 'bigint' ? Number(value) : value
  }
  return read
}

/** PgBouncer accepts no settings of a connection. Its databases are used without prepared statements. */
function createClient({ url, connections, deadline_ms }: PostgresPoolOptions): SQL {
  const isDirect = new URL(url).searchParams.get('prepare') !== 'false'
  const timeout_ms = Math.round(deadline_ms * serverShare)
  const timeouts = { statement_timeout: timeout_ms, idle_in_transaction_session_timeout: timeout_ms }
  // All statements are short. Compiling one takes PostgreSQL longer than the time limit if its estimate is far off.
  const settings = { ...timeouts, jit: 'off' }
  return new SQL({
    url,
    max: connections,
    connectionTimeout: connectTimeout_s,
    bigint: true,
    connection: { application_name: 'fieldstone', ...(isDirect && settings) },
  })
}
