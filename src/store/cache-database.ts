import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { removeDatabase } from './remove-database.ts'

const version = 2
const busyTimeout_ms = 20
/** The file never grows beyond this; it is swept long before. */
const fileMax_bytes = 6 * 2 ** 30
const page_bytes = 4096
/** So far a clock may be corrected backwards before what was kept meanwhile is asked for anew. */
export const maxClockCorrection_ms = 3_600_000

/** Opens `cache.db` with some tables of its own. It may be deleted at any time: one that is damaged or of another version is begun anew, in memory if need be. */
export function openCacheDatabase(folder: string, tables: readonly string[]): Database {
  const file = join(folder, 'cache.db')
  const db = openOrRemove(file, tables) ?? openOrRemove(file, tables) ?? new Database(':memory:', { strict: true })
  prepareDatabase(db, tables)
  return db
}

/** A cache that is locked, full or gone costs nothing but the answer it might have given. */
export function nullOnError<T>(read: () => T | null | undefined): T | null {
  try {
    return read() ?? null
  } catch {
    return null
  }
}

/** Writes if that can be done. */
export function tryWrite(statement: Statement, ...values: SQLQueryBindings[]): void {
  nullOnError(() => statement.run(...values))
}

/** The database of this version; one that is damaged or of another version is removed, and `null` says so. */
function openOrRemove(file: string, tables: readonly string[]): Database | null {
  const db = nullOnError(() => new Database(file, { create: true, strict: true }))
  // Before anything is written: what SQLite puts beside it has the same mode.
  if (db) nullOnError(() => chmodSync(file, 0o600))
  const foundVersion =
    db && nullOnError(() => db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version)
  if (db && (foundVersion === version || foundVersion === 0) && nullOnError(() => prepareDatabase(db, tables)))
    return db
  db?.close()
  nullOnError(() => removeDatabase(file))
  return null
}

function prepareDatabase(db: Database, tables: readonly string[]): true {
  db.run(`PRAGMA busy_timeout = ${busyTimeout_ms}`)
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = NORMAL')
  db.run(`PRAGMA max_page_count = ${fileMax_bytes / page_bytes}`)
  for (const table of tables) db.run(table)
  db.run(`PRAGMA user_version = ${version}`)
  return true
}
