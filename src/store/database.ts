import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isOfDamage } from './disk.ts'
import { makeState } from './make.ts'
import { applicationId, migrate } from './migrate.ts'
import { ownVersion } from './ours.ts'
import { pragma } from './pragma.ts'
import { isWritable, lookAt, mustBeOpenFolder, openReadOnly } from './read-only.ts'
import { StoreError } from './store-error.ts'
import { faultIn, faultInSmall, isLarge } from './whole.ts'

/** So long a connection of the main thread stands still for another; store/turns.ts does the waiting. */
const busyTimeout_ms = 20

/** Opens `state.db` in the data folder (made when missing), brings its tables up to date, and returns it; for reading alone where nothing can be written. */
export function openState(folder: string, wait_ms = busyTimeout_ms): Database {
  const file = join(folder, 'state.db')
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    mustBeOpenFolder(folder)
    if (existsSync(file)) mustBeOurs(file)
    return isWritable(existsSync(file) ? file : folder) && isWritable(folder) ? opened(file, wait_ms) : openReadOnly(file)
  } catch (error) {
    if (error instanceof StoreError) throw error
    if (isOfDamage(error)) throw damaged(file, (error as Error).message)
    throw new StoreError(`${file} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** A further connection to the `state.db` that this process has open, for a worker: it may wait longer for its turn to write. */
export function joinState(folder: string, wait_ms: number): Database {
  const db = new Database(join(folder, 'state.db'), { strict: true })
  db.run(`PRAGMA busy_timeout = ${wait_ms}`)
  db.run('PRAGMA synchronous = FULL')
  db.run('PRAGMA foreign_keys = ON')
  return db
}

/** Whether the database can still be read. */
export function answers(db: Database): boolean {
  try {
    return pragma(db, 'application_id') === applicationId
  } catch {
    return false
  }
}

/** Looks without a right to write: a connection that has it would work off the journal of a file that is not ours when it closes. */
export function mustBeOurs(file: string): void {
  const db = lookAt(file)
  try {
    mustBeWhole(db, file)
  } finally {
    db.close()
  }
}

function opened(file: string, wait_ms: number): Database {
  if (!existsSync(file)) makeState(file)
  const db = new Database(file, { create: true, strict: true })
  db.run(`PRAGMA busy_timeout = ${wait_ms}`)
  chmodSync(file, 0o600)
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run('PRAGMA foreign_keys = ON')
  migrate(db, file)
  return db
}

function mustBeWhole(db: Database, file: string): void {
  ownVersion(db, file)
  const fault = isLarge(file) ? faultInSmall(db) : faultIn(db)
  if (fault !== null) throw damaged(file, fault)
}

/** A fault that was found in a database: what to do about it. */
export function damaged(file: string, fault: string): StoreError {
  return new StoreError(`${file} is damaged (${fault.replaceAll('\n', ' ')}): it is left as it is. Restore a backup, or \`fieldstone doctor --recover\` writes what can be read of it into a new file.`)
}
