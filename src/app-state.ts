import type { DatabaseLocation } from './store/postgres/database-location.ts'
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
