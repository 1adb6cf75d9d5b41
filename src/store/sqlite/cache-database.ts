import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql, SqlValues } from '../sql.ts'
import { readPragma, removeDatabase } from './database-file.ts'

const version = 2
const busyTimeout_ms = 20
/** The maximum size of the file. The sweep keeps it far below this. */
const fileMax_bytes = 6 * 2 ** 30
const page_bytes = 4096

/**
 * Opens `cache.db` and creates the given tables. A damaged file, or one of another version, is deleted and created
 * again. If that fails, the cache is in memory.
 */
export function openCacheDatabase(folder: string, tables: readonly string[]): Database {
  const file = join(folder, 'cache.db')
  const db = openOrRemove(file, tables) ?? openOrRemove(file, tables) ?? new Database(':memory:', { strict: true })
  prepareDatabase(db, tables)
  return db
}

/** Creates the statements of a cache. If it is locked, full or deleted, nothing is found, and nothing is written. */
export function createCacheSql(db: Database): Pick<Sql, 'get' | 'run'> {
  return {
    get: async <Row>(text: string, values: SqlValues = {}) =>
      nullOnError(() => db.query<Row, [SqlValues]>(text).get(values)),
    run: async (text, values = {}) => nullOnError(() => db.query<unknown, [SqlValues]>(text).run(values).changes) ?? 0,
  }
}

/** Returns null if the cache is locked, full or deleted: a cache error must never fail a request. */
export function nullOnError<T>(read: () => T | null | undefined): T | null {
  try {
    return read() ?? null
  } catch {
    return null
  }
}

/** Runs a write and ignores its errors. */
export function tryWrite(statement: Statement, ...values: SQLQueryBindings[]): void {
  nullOnError(() => statement.run(...values))
}

/** Opens the database. Removes it and returns null if it is damaged or has another version. */
function openOrRemove(file: string, tables: readonly string[]): Database | null {
  const db = nullOnError(() => new Database(file, { create: true, strict: true }))
  // Before the first write: SQLite creates the -wal and -shm files with the mode of the database.
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
  // Another process may be writing, so nothing is written without need.
  if (readPragma(db, 'user_version') !== version) db.run(`PRAGMA user_version = ${version}`)
  return true
}
