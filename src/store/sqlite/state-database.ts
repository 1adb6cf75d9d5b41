import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openingProblemOf, storageErrorOf } from './sqlite-errors.ts'
import { migrate, readSchemaVersion, stateApplicationId } from './migrate.ts'
import { readPragma, removeDatabase } from './database-file.ts'
import { syncToDisk } from '../sync-to-disk.ts'
import { isWritable, openForInspection, requireReadableFolder, openReadOnlyState } from './read-only.ts'
import { StoreError } from '../storage-error.ts'
import {
  findIntegrityError,
  findIntegrityErrorInSmallTables,
  isTooLargeForFullCheck,
} from './repair/integrity-check.ts'

/** SQLite's busy timeout blocks the main thread, so it is short. transactions.ts waits longer without blocking. */
const busyTimeout_ms = 20

/**
 * Opens `state.db` and upgrades its schema. Creates the data folder if it is missing. Opens the database read-only if
 * it cannot be written. @throws {StoreError} if the folder or the database cannot be used.
 */
export function openState(folder: string, wait_ms = busyTimeout_ms): Database {
  const file = join(folder, 'state.db')
  try {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 })
    requireReadableFolder(folder)
    requireFinishedRestore(folder)
    if (existsSync(file)) requireUsableState(file)
    return isWritable(existsSync(file) ? file : folder) && isWritable(folder)
      ? openWritableState(file, wait_ms)
      : openReadOnlyState(file)
  } catch (error) {
    if (error instanceof StoreError) throw error
    if (storageErrorOf(error)?.reason === 'damaged') throw corruptStateError(file, (error as Error).message)
    throw new StoreError(`Cannot open ${file}: ${openingProblemOf(error)}`, { cause: error })
  }
}

/** Opens another connection to the `state.db` of this process, for a worker, which may block longer for a lock. */
export function openStateConnection(folder: string, wait_ms: number): Database {
  const db = new Database(join(folder, 'state.db'), { strict: true })
  db.run(`PRAGMA busy_timeout = ${wait_ms}`)
  db.run('PRAGMA synchronous = FULL')
  db.run('PRAGMA foreign_keys = ON')
  return db
}

/** Whether the database is readable. */
export function isDatabaseReadable(db: Database): boolean {
  try {
    return readPragma(db, 'application_id') === stateApplicationId
  } catch {
    return false
  }
}

/**
 * Requires an intact Fieldstone database. Opens it read-only, because a writable connection would apply the journal of
 * a foreign file when it closes. @throws {StoreError}
 */
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

/**
 * Creates a new database under a temporary name and renames it, so that an interrupted first start leaves no partial
 * file.
 */
function createState(file: string): void {
  const temporaryFile = `${file}.new`
  removeDatabase(temporaryFile)
  const db = new Database(temporaryFile, { create: true, strict: true })
  chmodSync(temporaryFile, 0o600)
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  migrate(db, temporaryFile)
  db.close(true)
  renameSync(temporaryFile, file)
  syncToDisk(dirname(file))
}

function requireIntact(db: Database, file: string): void {
  readSchemaVersion(db, file)
  const integrityError = isTooLargeForFullCheck(file) ? findIntegrityErrorInSmallTables(db) : findIntegrityError(db)
  if (integrityError !== null) throw corruptStateError(file, integrityError)
}

/** The error of a damaged database, with the remedies. */
export function corruptStateError(file: string, integrityError: string): StoreError {
  return new StoreError(
    `${file} is damaged (${integrityError.replaceAll('\n', ' ')}). It was not changed. Restore a backup, or run \`fieldstone doctor --recover\`, which copies the readable rows into a new file. See /guide/operate#when-something-is-wrong on a running server.`,
  )
}

/** The database of a restore that has not finished. It is renamed to `state.db` in the last step. */
export const unfinishedStateFile = 'state.db.unfinished'

/** Whether a restore into the folder was interrupted, or is running. */
export function isRestoreUnfinished(folder: string): boolean {
  return existsSync(join(folder, unfinishedStateFile))
}

/**
 * Rejects a folder in the middle of a restore. A server would start with a new owner and without the data of the
 * backup. @throws {StoreError}
 */
export function requireFinishedRestore(folder: string): void {
  if (isRestoreUnfinished(folder))
    throw new StoreError(
      `A restore into ${folder} was interrupted, so its data is incomplete. Nothing was changed. Run \`fieldstone restore <file> --data ${folder}\` again; it replaces what the interrupted restore wrote.`,
    )
}
