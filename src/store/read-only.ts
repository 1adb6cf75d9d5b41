import { constants, Database } from 'bun:sqlite'
import { accessSync, constants as modes, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import { readPragma } from './pragma.ts'
import { StoreError } from './store-error.ts'

/** Whether a file or folder can be written: its disk and its mode allow it. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, modes.W_OK)
    return true
  } catch {
    return false
  }
}

/** Refuses as a data folder what is no folder, and one that this user may not look into: it would seem to be empty. */
export function requireReadableFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw new StoreError(`${path} cannot be used as the data folder: it is no folder.`)
  try {
    accessSync(path, modes.R_OK | modes.X_OK)
  } catch (cause) {
    throw new StoreError(
      `${path} cannot be used as the data folder: this user may not look into it. Run this as the user of the service, or name another folder with --data.`,
      { cause },
    )
  }
}

/** Whether a database was opened for reading alone, because its folder cannot be written. */
export function isReadOnlyDatabase(db: Database): boolean {
  return readPragma(db, 'query_only') === 1
}

/** A `state.db` where nothing can be written; an empty one, in memory, where there is none. */
export function openReadOnlyState(file: string): Database {
  const db = existsSync(file) ? openWithoutJournal(file) : createEmptyState()
  if (readPragma(db, 'user_version') < migrations.length)
    throw new StoreError(
      `${file} was written by an older Fieldstone, and cannot be brought up to date: its folder cannot be written. Make it writable, or use the older executable.`,
    )
  db.run('PRAGMA query_only = ON')
  return db
}

/** A database as it lies there, to be looked at and not touched. */
export function openForInspection(file: string): Database {
  if (!statSync(file).isFile())
    throw new StoreError(`${file} is no file: move it away, or name another folder with --data.`)
  return isWritable(dirname(file)) ? new Database(file, { readonly: true, strict: true }) : openWithoutJournal(file)
}

function createEmptyState(): Database {
  const db = new Database(':memory:', { strict: true })
  migrate(db, null)
  return db
}

/** SQLite would make files beside it. With no journal it can be told that nobody writes; a journal needs its index to be there. */
function openWithoutJournal(file: string): Database {
  if (!hasContent(`${file}-wal`))
    return new Database(
      `${pathToFileURL(file).href}?immutable=1`,
      constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
    )
  if (!existsSync(`${file}-shm`))
    throw new StoreError(
      `${file} has a journal that must be worked off before it can be read, and its folder cannot be written. Make it writable once.`,
    )
  return new Database(file, { readonly: true, strict: true })
}

function hasContent(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0
}
