import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSqliteCorrupt } from './sqlite-errors.ts'
import { createState } from './create-state.ts'
import { stateApplicationId, migrate } from './migrate.ts'
import { readSchemaVersion } from './schema-version.ts'
import { readPragma } from './pragma.ts'
import { isWritable, openForInspection, requireReadableFolder, openReadOnlyState } from './read-only.ts'
import { StoreError } from './store-error.ts'
import { findIntegrityError, findIntegrityErrorInSmallTables, isTooLargeForFullCheck } from './integrity-check.ts'

/** So long a connection of the main thread stands still for another; store/turns.ts does the waiting. */
const busyTimeout_ms = 20

/** Opens `state.db` in the data folder (made when missing), brings its tables up to date, and returns it; for reading alone where nothing can be written. */
export function openState(folder: string, wait_ms = busyTimeout_ms): Database {
  const file = join(folder, 'state.db')
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    requireReadableFolder(folder)
    if (existsSync(file)) requireUsableState(file)
    return isWritable(existsSync(file) ? file : folder) && isWritable(folder)
      ? openWritableState(file, wait_ms)
      : openReadOnlyState(file)
  } catch (error) {
    if (error instanceof StoreError) throw error
    if (isSqliteCorrupt(error)) throw corruptStateError(file, (error as Error).message)
    throw new StoreError(`${file} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** A further connection to the `state.db` that this process has open, for a worker: it may wait longer for its turn to write. */
export function openStateConnection(folder: string, wait_ms: number): Database {
  const db = new Database(join(folder, 'state.db'), { strict: true })
  db.run(`PRAGMA busy_timeout = ${wait_ms}`)
  db.run('PRAGMA synchronous = FULL')
  db.run('PRAGMA foreign_keys = ON')
  return db
}

/** Whether the database can still be read. */
export function isDatabaseReadable(db: Database): boolean {
  try {
    return readPragma(db, 'application_id') === stateApplicationId
  } catch {
    return false
  }
}

/** Looks without a right to write: a connection that has it would work off the journal of a file that is not ours when it closes. */
export function requireUsableState(file: string): void {
  const db = openForInspection(file)
  try {
    requireIntact(db, file)
  } finally {
    db.close()
  }
}

function openWritableState(file: string, wait_ms: number): Database {
  if (!existsSync(file)) createState(file)
  const db = new Database(file, { create: true, strict: true })
  db.run(`PRAGMA busy_timeout = ${wait_ms}`)
  chmodSync(file, 0o600)
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  db.run('PRAGMA foreign_keys = ON')
  migrate(db, file)
  return db
}

function requireIntact(db: Database, file: string): void {
  readSchemaVersion(db, file)
  const integrityError = isTooLargeForFullCheck(file) ? findIntegrityErrorInSmallTables(db) : findIntegrityError(db)
  if (integrityError !== null) throw corruptStateError(file, integrityError)
}

/** A fault that was found in a database: what to do about it. */
export function corruptStateError(file: string, integrityError: string): StoreError {
  return new StoreError(
    `${file} is damaged (${integrityError.replaceAll('\n', ' ')}): it is left as it is. Restore a backup, or \`fieldstone doctor --recover\` writes what can be read of it into a new file.`,
  )
}
