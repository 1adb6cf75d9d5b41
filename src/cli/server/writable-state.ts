import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connectDatabaseState } from '../../app-database.ts'
import type { Config } from '../../config.ts'
import { openState, requireFinishedRestore } from '../../store/sqlite/state-database.ts'
import { requireReadableFolder } from '../../store/sqlite/read-only.ts'
import { createSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import type { Store } from '../../store/store.ts'
import { StoreError } from '../../store/storage-error.ts'
import { UsageError } from '../usage-error.ts'

/** How long a command waits while the server writes. */
const busyTimeout_ms = 5000

/**
 * Opens the state for a command that writes, also while the server runs, and closes it afterwards.
 * @throws {StoreError} if the folder is read-only, or the database cannot be used.
 */
export async function withWritableState<T>(
  { data, database }: Pick<Config, 'data' | 'database'>,
  work: (store: Omit<Store, 'geocodes'>) => Promise<T>,
): Promise<T> {
  if (database !== null) {
    const state = await connectDatabaseState(database)
    return work(state.store).finally(() => state.close())
  }
  requireStoredState(data)
  const db = openState(data, busyTimeout_ms)
  try {
    const store = createSqliteStore(db)
    if (store.isReadOnly) throw unwritableFolderError(data)
    return await work(store)
  } finally {
    db.close()
  }
}

/**
 * Requires a data folder that a server or an earlier command has used. A token of a new folder would be valid nowhere.
 * @throws {StoreError} that says how to name the folder.
 */
export function requireStoredState(data: string): void {
  if (existsSync(data)) requireReadableFolder(data)
  requireFinishedRestore(data)
  if (existsSync(join(data, 'state.db'))) return
  throw new StoreError(
    `There is no Fieldstone data in ${data}. Set --data to the data folder of the server, or start the server first: \`fieldstone serve\` creates the folder. If it is starting now, wait until it prints its address. Nothing was changed.`,
  )
}

/** The error of a command that must write to a read-only data folder. */
export function unwritableFolderError(data: string): StoreError {
  return new StoreError(
    `${data} is not writable for this user. Nothing was changed. Run the command as the user of the server, or make the folder writable.`,
  )
}

/**
 * Rejects a command that works on `state.db` if the state is in a PostgreSQL database.
 * @throws {UsageError} that names the PostgreSQL programs.
 */
export function requireFolderState({ database }: Pick<Config, 'database'>): void {
  if (database === null) return
  throw new UsageError(
    `The accounts and runs are in the PostgreSQL database ${database.address} (FIELDSTONE_DATABASE). Back it up with pg_dump, and restore it with pg_restore.`,
  )
}
