import { constants, Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isSqliteBusy, openingProblemOf, storageErrorOf } from './sqlite-errors.ts'
import { isWritable, requireReadableFolder } from './read-only.ts'
import { releaseReserveFile } from '../reserve-file.ts'
import { StoreError } from '../storage-error.ts'

/** Another process has locked the data folder. */
export class FolderInUseError extends StoreError {}

/**
 * Locks the data folder for this process and returns the function that unlocks it. The operating system releases the
 * lock when the process ends. A read-only folder is not locked.
 * @throws {FolderInUseError} if the folder is in use. @throws {StorageError} if the disk is full.
 */
export function lockFolder(folder: string): () => void {
  return lockWith(folder, 'BEGIN EXCLUSIVE')
}

/**
 * Locks the data folder for the processes that this process starts, and for no others. Each of them calls
 * `joinFolderLock`. The folder stays locked until this process and all of them have unlocked it.
 * @throws {FolderInUseError} if the folder is in use.
 */
export function lockFolderForProcesses(folder: string): () => void {
  // Processes that a killed supervisor left behind prevent an exclusive lock, but not this one.
  lockFolder(folder)()
  return lockWith(folder, 'BEGIN IMMEDIATE')
}

/** Joins the lock of the process that started this one. @throws {FolderInUseError} if another process has taken it. */
export function joinFolderLock(folder: string): () => void {
  // The transaction holds the lock of a reader from its first read on.
  return lockWith(folder, 'BEGIN', 'SELECT count(*) FROM sqlite_schema')
}

/** On a full disk not even a lock can be taken, unless the reserve file leaves its space. */
function lockWith(folder: string, ...statements: string[]): () => void {
  try {
    return takeLock(folder, statements)
  } catch (error) {
    const problem = storageErrorOf(error)
    if (problem?.reason !== 'full') throw error
    if (!releaseReserveFile(folder, problem)) throw problem
    return lockWith(folder, ...statements)
  }
}

function takeLock(folder: string, statements: readonly string[]): () => void {
  const db = openLockDatabase(folder)
  if (db === null) return () => {}
  if (lockDatabase(db, folder, statements)) return () => db.close()
  throw new FolderInUseError(
    `Another Fieldstone process is using the data folder ${folder}. Stop it, or set --data to another folder.`,
  )
}

/**
 * Creates a file and locks it for this process. Returns the function that unlocks and removes it, or null if another
 * process has locked it. The operating system releases the lock when the process ends.
 */
export function lockFile(file: string): (() => void) | null {
  for (;;) {
    const db = new Database(file, { create: true })
    const error = lockError(db)
    // Another process, which had the lock, may have removed the file after it was opened here.
    if (wasRemoved(db)) {
      db.close()
      continue
    }
    if (error === null) return () => unlockFile(db, file)
    db.close()
    if (isSqliteBusy(error)) return null
    throw new StoreError(`Cannot lock ${file}: ${(error as Error).message}`, { cause: error })
  }
}

function lockError(db: Database): unknown {
  try {
    db.run('BEGIN EXCLUSIVE')
    return null
  } catch (error) {
    return error
  }
}

function unlockFile(db: Database, file: string): void {
  rmSync(file, { force: true })
  db.close()
}

function wasRemoved(db: Database): boolean {
  // SQLite writes a 32-bit number; bun:sqlite takes arrays of at least 8 bytes.
  const moved = new Int32Array(2)
  db.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, moved)
  return moved[0] !== 0
}

/** Returns false, with the database closed, if another process has locked it. */
function lockDatabase(db: Database, name: string, statements: readonly string[]): boolean {
  try {
    for (const statement of statements) db.run(statement)
    return true
  } catch (cause) {
    db.close()
    if (isSqliteBusy(cause)) return false
    throw new StoreError(`Cannot use ${name} as the data folder: ${openingProblemOf(cause)}`, { cause })
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
    throw new StoreError(`Cannot use ${folder} as the data folder: ${openingProblemOf(cause)}`, { cause })
  }
}
