import { openState } from '../store/sqlite/state-database.ts'
import { createSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { StoreError } from '../store/store-error.ts'

/** How long a command waits while the server writes. */
const busyTimeout_ms = 5000

/**
 * Opens `state.db` for a command that writes, also while the server runs, and closes it afterwards.
 * @throws {StoreError} if the folder is read-only.
 */
export async function withWritableState<T>(
  data: string,
  work: (store: Omit<Store, 'geocodes'>) => Promise<T>,
): Promise<T> {
  const db = openState(data, busyTimeout_ms)
  try {
    const store = createSqliteStore(db)
    if (store.isReadOnly) throw unwritableFolderError(data)
    return await work(store)
  } finally {
    db.close()
  }
}

/** The error of a command that must write to a read-only data folder. */
export function unwritableFolderError(data: string): StoreError {
  return new StoreError(
    `${data} is not writable for this user. Nothing was changed. Run the command as the user of the server, or make the folder writable.`,
  )
}
