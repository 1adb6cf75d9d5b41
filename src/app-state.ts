import { postgresSetupError } from './store/postgres/postgres-errors.ts'
import type { DatabaseLocation } from './store/postgres/database-location.ts'
import {
  closePostgresPools,
  createPostgresStore,
  inspectPostgres,
  openPostgresPools,
} from './store/postgres/postgres-store.ts'
import { openGeocodeCache } from './store/sqlite/geocode-cache.ts'
import { createSqliteStore } from './store/sqlite/sqlite-store.ts'
import { isDatabaseReadable, openState } from './store/sqlite/state-database.ts'
import type { Store } from './store/store.ts'

/** The state of the service: in the data folder, or in a PostgreSQL database. */
export type AppState = {
  store: Store
  /** The database; null if the state is in the data folder. */
  database: DatabaseLocation | null
  /** Whether the state can be read now. */
  isReadable(): Promise<boolean>
  close(): void
}

/** Opens the state of a data folder: `state.db`, and the geocodes in `cache.db`. */
export function openFolderState(folder: string): AppState {
  const db = openState(folder)
  try {
    const geocodes = openGeocodeCache(folder)
    return {
      store: { ...createSqliteStore(db), geocodes },
      database: null,
      isReadable: () => Promise.resolve(isDatabaseReadable(db)),
      close() {
        geocodes.close()
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Connects to the state in a PostgreSQL database, and upgrades its schema.
 * @throws {StoreError} if the database cannot be used with these settings.
 * @throws {DatabaseUnreachableError} if it does not answer.
 */
export async function connectDatabaseState(location: DatabaseLocation): Promise<AppState> {
  const pools = await openPostgresPools(location.url()).catch((error: unknown) => {
    throw postgresSetupError(error, location)
  })
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
 * Returns the version of the schema of a database, 0 if it is new. Changes nothing.
 * @throws {StoreError} if the database cannot be used with these settings.
 * @throws {DatabaseUnreachableError} if it does not answer.
 */
export async function inspectDatabase(location: DatabaseLocation): Promise<number> {
  return inspectPostgres(location.url()).catch((error: unknown) => {
    throw postgresSetupError(error, location)
  })
}
