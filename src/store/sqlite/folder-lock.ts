import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
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
  if (lockDatabase(db, folder)) return () => db.close()
  throw new FolderInUseError(
    `Another Fieldstone process is using the data folder ${folder}. Stop it, or set --data to another folder.`,
  )
}

/**
 * Creates a file and locks it for this process. Returns the function that unlocks and removes it, or null if another
 * process has locked it. The operating system releases the lock when the process ends.
 */
export function lockFile(file: string): (() => void) | null {
  const db = new Database(file, { create: true })
  if (!lockDatabase(db, file)) return null
  return () => {
    rmSync(file, { force: true })
    db.close()
  }
}

/** Returns false, with the database closed, if another process has locked it. */
function lockDatabase(db: Database, name: string): boolean {
  try {
    db.run('BEGIN EXCLUSIVE')
    return true
  } catch (cause) {
    db.close()
    if (isSqliteBusy(cause)) return false
    throw new StoreError(`Cannot use ${name} as the data folder: ${(cause as Error).message}`, { cause })
  }
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
