import { createArtifacts } from '../runs/artifacts.ts'
import { createArtifactObjects } from '../runs/artifact-objects.ts'
import { createAudit } from '../audit.ts'
import { createBilledCalls } from '../billed-calls.ts'
import { createGeocodes, deleteExpiredGeocodes } from '../geocodes.ts'
import { createRunReader } from '../runs/runs.ts'
import { createRunSweep } from '../runs/run-sweep.ts'
import { createAccess } from '../accounts/access.ts'
import { createGrants } from '../accounts/grants.ts'
import { createLimits } from '../accounts/limits.ts'
import { createNodeStore } from '../nodes.ts'
import { createPeople } from '../accounts/people.ts'
import { createPins } from '../accounts/pins.ts'
import { createShares } from '../accounts/shares.ts'
import type { Sql } from '../sql.ts'
import { createSubmissions } from '../runs/submissions.ts'
import type { OpenedRunStores, RunStores, Store } from '../store.ts'
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
    access: createAccess(sql),
    grants: createGrants(sql),
    people: createPeople(sql),
    limits: createLimits(sql),
    audit: createAudit(sql),
    geocodes: createGeocodes(sql.quick, (before) => deleteExpiredGeocodes(sql.work, before)),
    billedCalls: createBilledCalls(sql, pools.processLock),
    shares: createShares(sql),
    pins: createPins(sql),
    nodes: createNodeStore(sql),
    ...createRunStores(pools),
  }
}

/**
 * Connects the run worker to its database. Its writes are statements and transactions, which end on the server, so it
 * has nothing to drain.
 */
export async function connectRunStores(url: string): Promise<OpenedRunStores> {
  const pools = await openPostgresPools(url, defaultTimeLimits, runConnections)
  return {
    ...createRunStores(pools),
    drain: () => Promise.resolve(),
    close: () => void closePostgresPools(pools),
  }
}

function createRunStores(pools: PostgresPools): RunStores {
  const sql = createPostgresSql(pools)
  const rows = createPostgresRunRows(pools)
  return {
    runs: createRunReader(sql, rows),
    artifacts: createArtifacts(sql),
    artifactObjects: createArtifactObjects(sql),
    submissions: createSubmissions(sql, rows),
    runQueue: createPostgresRunQueue(pools),
    runSweep: createRunSweep(sql),
  }
}
