import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSqliteBusy } from './sqlite-errors.ts'
import { isWritable, requireReadableFolder } from './read-only.ts'
import { StoreError } from './store-error.ts'

/** Takes the data folder for this process alone, until it ends in whatever way. A folder that cannot be written needs no lock: nobody writes there. */
export function lockFolder(folder: string): () => void {
  const db = openLockDatabase(folder)
  if (db === null) return () => {}
  try {
    db.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    if (!isSqliteBusy(cause))
      throw new StoreError(`${folder} cannot be used as the data folder: ${(cause as Error).message}`, { cause })
    throw new StoreError(`${folder} is in use by another Fieldstone: stop it, or name another folder with --data.`, {
      cause,
    })
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
    throw new StoreError(`${folder} cannot be used as the data folder: ${(cause as Error).message}`, { cause })
  }
}
