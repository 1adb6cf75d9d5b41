import { constants, Database } from 'bun:sqlite'
import { accessSync, constants as modes, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from './migrate.ts'
import { migrations } from '../migrations.ts'
import { readPragma } from './database-file.ts'
import { StoreError } from '../storage-error.ts'

/** Whether this user can write a file or folder. False on a read-only disk. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, modes.W_OK)
    return true
  } catch {
    return false
  }
}

/** Requires a folder that this user can list. An unreadable folder would look empty. @throws {StoreError} */
export function requireReadableFolder(path: string): void {
  if (!statSync(path).isDirectory()) throw new StoreError(`The data folder ${path} is not a folder.`)
  try {
    accessSync(path, modes.R_OK | modes.X_OK)
  } catch (cause) {
    throw new StoreError(
      `This user cannot read the data folder ${path}. Run the command as the user of the server, or set --data to another folder.`,
      { cause },
    )
  }
}

/** Whether a database was opened read-only, because its folder is not writable. */
export function isReadOnlyDatabase(db: Database): boolean {
  return readPragma(db, 'query_only') === 1
}

/** Opens `state.db` read-only. Returns an empty in-memory database if the file does not exist. */
export function openReadOnlyState(file: string): Database {
  const db = existsSync(file) ? openWithoutJournal(file) : createEmptyState()
  if (readPragma(db, 'user_version') < migrations.length)
    throw new StoreError(
      `Cannot upgrade ${file}, which an older Fieldstone wrote: its folder is not writable. Make the folder writable, or use the older executable.`,
    )
  db.run('PRAGMA query_only = ON')
  return db
}

/** Opens a database for inspection, without changing any file. */
export function openForInspection(file: string): Database {
  if (!statSync(file).isFile())
    throw new StoreError(`${file} is not a file. Move it away, or set --data to another folder.`)
  return isWritable(dirname(file)) ? new Database(file, { readonly: true, strict: true }) : openWithoutJournal(file)
}

function createEmptyState(): Database {
  const db = new Database(':memory:', { strict: true })
  migrate(db, null)
  return db
}

/**
 * Opens a database in a read-only folder, where SQLite cannot create its -shm file. Without a journal, the file is
 * opened as immutable. With a journal, the existing -shm file is needed.
 */
function openWithoutJournal(file: string): Database {
  const journal = `${file}-wal`
  if (!existsSync(journal) || statSync(journal).size === 0)
    return new Database(
      `${pathToFileURL(file).href}?immutable=1`,
      constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
    )
  if (!existsSync(`${file}-shm`))
    throw new StoreError(
      `Cannot read ${file}: its journal must be applied first, but its folder is not writable. Make the folder writable and run the command again. You can make it read-only again afterwards.`,
    )
  return new Database(file, { readonly: true, strict: true })
}
