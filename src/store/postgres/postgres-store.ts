import { createGeocodes, deleteExpiredGeocodes } from '../geocodes.ts'
import type { Sql } from '../sql.ts'
import { createAccountStores, createRunStores, type OpenedRunStores, type RunStores, type Store } from '../store.ts'
import { createPostgresRunRows } from './run-rows.ts'
import { createPostgresRunQueue } from './postgres-run-queue.ts'
import { migratePostgres, readPostgresVersion } from './postgres-migrate.ts'
import { openPostgresPool, type PostgresPools } from './postgres-pool.ts'
import { createPoolSql, createPostgresSql } from './postgres-sql.ts'
import { createProcessLock } from './process-lock.ts'

/** The time limits of the statements of each pool, and of the query that verifies its connections. */
type PostgresTimeLimits = { quick_ms: number; work_ms: number; ping_ms: number }

/** The maximum number of connections of each pool of a process and of its run worker. They open when needed. */
const serverConnections = { quick: 8, work: 2 }
const runConnections = { quick: 1, work: 4 }
const defaultTimeLimits: PostgresTimeLimits = { quick_ms: 1500, work_ms: 60_000, ping_ms: 1000 }
const lockMax_ms = 24 * 3_600_000

/**
 * Opens the connections to a PostgreSQL database, and upgrades its schema.
 * @throws {StorageError} if the database does not answer.
 * @throws {StoreError} if this executable is too old for the database.
 */
export async function openPostgresPools(
  url: string,
  limits = defaultTimeLimits,
  connections = serverConnections,
): Promise<PostgresPools> {
  const pools = createPostgresPools(url, limits, connections)
  try {
    await migratePostgres(pools.work)
  } catch (error) {
    await closePostgresPools(pools)
    throw error
  }
  return pools
}

/** Creates the connections to a database whose schema is up to date. They are opened on first use. */
export function createPostgresPools(
  url: string,
  { quick_ms, work_ms, ping_ms } = defaultTimeLimits,
  connections = serverConnections,
): PostgresPools {
  return {
    quick: openPostgresPool({ url, connections: connections.quick, deadline_ms: quick_ms, ping_ms }),
    work: openPostgresPool({ url, connections: connections.work, deadline_ms: work_ms, ping_ms }),
    processLock: createProcessLock(openPostgresPool({ url, connections: 1, deadline_ms: lockMax_ms, ping_ms })),
  }
}

/** A database that is inspected: the version of its schema, 0 if it is new, and a connection. */
type InspectedPostgres = { version: number; sql: Sql }

/** Connects to a database to read from it. The schema is not upgraded. */
export async function inspectPostgres<T>(url: string, read: (it: InspectedPostgres) => Promise<T>): Promise<T> {
  const { quick_ms, ping_ms } = defaultTimeLimits
  const pool = openPostgresPool({ url, connections: 1, deadline_ms: quick_ms, ping_ms })
  try {
    return await read({ version: await readPostgresVersion(pool.query), sql: createPoolSql(pool) })
  } finally {
    await pool.close()
  }
}

/** Closes the connections. Statements that are not answered yet fail. */
export async function closePostgresPools({ quick, work, processLock }: PostgresPools): Promise<void> {
  await Promise.all([quick, work, processLock].map((pool) => pool.close()))
}

/** Creates the store on a PostgreSQL database. */
export function createPostgresStore(pools: PostgresPools): Store {
  const sql = createPostgresSql(pools)
  return {
    isReadOnly: false,
    geocodes: createGeocodes(sql.quick, (before) => deleteExpiredGeocodes(sql.work, before)),
    ...createAccountStores(sql, pools.processLock),
    ...runStoresOf(pools),
  }
}

/**
 * Connects the run worker to its database. Its writes are statements and transactions, which end on the server, so it
 * has nothing to drain.
 */
export async function connectRunStores(url: string): Promise<OpenedRunStores> {
  const pools = await openPostgresPools(url, defaultTimeLimits, runConnections)
  return {
    ...runStoresOf(pools),
    drain: () => Promise.resolve(),
    close: () => void closePostgresPools(pools),
  }
}

function runStoresOf(pools: PostgresPools): RunStores {
  const [rows, runQueue] = [createPostgresRunRows(pools), createPostgresRunQueue(pools)]
  return createRunStores(createPostgresSql(pools), { rows, runQueue })
}
