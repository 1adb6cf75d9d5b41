import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AppState } from './app-state.ts'
import type { Config } from './config.ts'
import { findDamagedResults } from './store/damaged-results.ts'
import { migrations } from './store/migrations.ts'
import { listNodes, type StoredNode } from './store/nodes.ts'
import type { DatabaseLocation } from './store/postgres/database-location.ts'
import { postgresSetupError } from './store/postgres/postgres-errors.ts'
import type { PostgresPools } from './store/postgres/postgres-pool.ts'
import {
  closePostgresPools,
  createPostgresStore,
  inspectPostgres,
  openPostgresPools,
} from './store/postgres/postgres-store.ts'
import { readSchemaVersion } from './store/sqlite/migrate.ts'
import { openForInspection } from './store/sqlite/read-only.ts'
import { createSqliteSql } from './store/sqlite/sqlite-sql.ts'
import { createTransactions } from './store/sqlite/transactions.ts'
import { StoreError } from './store/storage-error.ts'

/**
 * Connects to the state in a PostgreSQL database, and upgrades its schema.
 * @throws {StoreError} if the database cannot be used with these settings.
 * @throws {DatabaseUnreachableError} if it does not answer.
 */
export async function connectDatabaseState(location: DatabaseLocation): Promise<AppState> {
  const pools = await openPostgresPools(location.url()).catch((error: unknown) => {
    throw postgresSetupError(error, location)
  })
  return createDatabaseState(location, pools)
}

/** Creates the state from the connections to a PostgreSQL database. Closing the state closes them. */
export function createDatabaseState(location: DatabaseLocation, pools: PostgresPools): AppState {
  return {
    store: createPostgresStore(pools),
    database: location,
    isReadable: () =>
      pools.quick.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    close: () => void closePostgresPools(pools),
  }
}

/**
 * Returns the version of the schema of a database, 0 if it is new, and sentences about the results that are not as they
 * were written. Changes nothing.
 * @throws {StoreError} if the database cannot be used with these settings.
 * @throws {DatabaseUnreachableError} if it does not answer.
 */
export async function inspectDatabase(location: DatabaseLocation): Promise<{ version: number; damage: string[] }> {
  return inspectPostgres(location.url(), async ({ version, sql }) => ({
    version,
    damage: version < migrations.length ? [] : await findDamagedResults(sql),
  })).catch((error: unknown) => {
    throw postgresSetupError(error, location)
  })
}

/** The schema version with the table of nodes, in both databases. */
const nodesVersion = 19

/**
 * Lists the nodes of the state, also while servers run. Changes nothing.
 * @throws {StoreError} if the state cannot be used with these settings, or an older release wrote it.
 * @throws {DatabaseUnreachableError} if the database does not answer.
 */
export async function inspectNodes({ data, database }: Pick<Config, 'data' | 'database'>): Promise<StoredNode[]> {
  if (database === null) return inspectFolderNodes(data)
  return inspectPostgres(database.url(), async ({ version, sql }) => {
    requireNodesTable(version, database.address)
    return version === 0 ? [] : listNodes(sql)
  }).catch((error: unknown) => {
    throw postgresSetupError(error, database)
  })
}

async function inspectFolderNodes(folder: string): Promise<StoredNode[]> {
  const file = join(folder, 'state.db')
  if (!existsSync(file)) return []
  const db = openForInspection(file)
  try {
    requireNodesTable(readSchemaVersion(db, file), file)
    return await listNodes(createSqliteSql(createTransactions(db)))
  } finally {
    db.close()
  }
}

/** Whether a state of this schema version has the list of nodes. */
export function hasNodes(version: number): boolean {
  return version >= nodesVersion
}

/** A database without any table, version 0, is new. */
function requireNodesTable(version: number, name: string): void {
  if (version !== 0 && !hasNodes(version))
    throw new StoreError(
      `${name} has schema version ${version}, which has no list of nodes. Start a server of this release: it upgrades the state.`,
    )
}
