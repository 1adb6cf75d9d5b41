import type { Database } from 'bun:sqlite'
import { openState } from '../store/state-database.ts'
import { isReadOnlyDatabase } from '../store/read-only.ts'
import { StoreError } from '../store/store-error.ts'

/** A command has the time to wait while a service writes. */
const busyTimeout_ms = 5000

/** Opens the state of a data folder for a command that writes to it, also beside a service, and closes it afterwards. Refuses a folder that cannot be written. */
export async function withWritableState<T>(data: string, work: (db: Database) => T | Promise<T>): Promise<T> {
  const db = openState(data, busyTimeout_ms)
  try {
    if (isReadOnlyDatabase(db)) throw unwritableFolderError(data)
    return await work(db)
  } finally {
    db.close()
  }
}

/** The refusal of a command that would write to a data folder which cannot be written. */
export function unwritableFolderError(data: string): StoreError {
  return new StoreError(
    `${data} cannot be written by this user: nothing was changed. Run this as the user of the service, or make the folder writable.`,
  )
}
