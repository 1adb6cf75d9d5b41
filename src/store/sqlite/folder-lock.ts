import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSqliteBusy } from './sqlite-errors.ts'
import { isWritable, requireReadableFolder } from './read-only.ts'
import { StoreError } from '../store-error.ts'

/** Another process has locked the data folder. */
export class FolderInUseError extends StoreError {}

/**
 * Locks the data folder for this process and returns the function that unlocks it. The operating system releases the
 * lock when the process ends. A read-only folder is not locked. @throws {FolderInUseError} if the folder is in use.
 */
export function lockFolder(folder: string): () => void {
  const db = openLockDatabase(folder)
  if (db === null) return () => {}
  try {
    db.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    if (!isSqliteBusy(cause))
      throw new StoreError(`Cannot use ${folder} as the data folder: ${(cause as Error).message}`, { cause })
    throw new FolderInUseError(
      `Another Fieldstone process is using the data folder ${folder}. Stop it, or set --data to another folder.`,
      { cause },
    )
  }
  return () => db.close()
}

function openLockDatabase(folder: string): Database | null {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    requireReadableFolder(folder)
    if (!isWritable(folder)) return null
    const file = join(folder, 'lock')
    const db = new Database(file, { create: true })
    chmodSync(file, 0o600)
    return db
  } catch (cause) {
    if (cause instanceof StoreError) throw cause
    throw new StoreError(`Cannot use ${folder} as the data folder: ${(cause as Error).message}`, { cause })
  }
}
