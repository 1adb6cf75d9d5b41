import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from './migrations.ts'

/** The application id of our databases: `FSTN`. */
const applicationId = 0x4653544e
const busyTimeout_ms = 50

/** A database that is not ours to write, or is damaged. Ends the process with exit code 78; the file is left as it is. */
export class StoreError extends Error {}

/** Opens `state.db` in the data folder (made when missing), brings its tables up to date, and returns it. */
export function openState(folder: string): Database {
  const file = join(folder, 'state.db')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (existsSync(file)) mustBeOurs(file)
    const db = new Database(file, { create: true, strict: true })
    db.run(`PRAGMA busy_timeout = ${busyTimeout_ms}`)
    chmodSync(file, 0o600)
    db.run('PRAGMA journal_mode = WAL')
    db.run('PRAGMA synchronous = FULL')
    db.run('PRAGMA foreign_keys = ON')
    migrate(db)
    return db
  } catch (error) {
    if (error instanceof StoreError) throw error
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

/** Takes the data folder for this process alone, until it ends in whatever way. */
export function lockFolder(folder: string): () => void {
  const db = lockIn(folder)
  try {
    db.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new StoreError(`${folder} is in use by another Fieldstone: stop it, or give this one a folder of its own with --data.`, { cause })
  }
  return () => db.close()
}

function lockIn(folder: string): Database {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return new Database(join(folder, 'lock'), { create: true })
  } catch (cause) {
    throw new StoreError(`${folder} cannot be used as the data folder: ${(cause as Error).message}`, { cause })
  }
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
function mustBeOurs(file: string): void {
  const db = new Database(file, { readonly: true })
  try {
    mustBeWhole(db, file)
  } finally {
    db.close()
  }
}

function mustBeWhole(db: Database, file: string): void {
  const id = pragma(db, 'application_id')
  const version = pragma(db, 'user_version')
  const [check] = db.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all()
  if (id !== applicationId) throw new StoreError(`${file} is not a database of Fieldstone (application id ${id}): it is left as it is. Move it away, or name another folder with --data.`)
  if (version > migrations.length) throw new StoreError(`${file} was written by a newer Fieldstone (version ${version}, this one knows ${migrations.length}): it is left as it is. Use the newer executable.`)
  if (check?.quick_check !== 'ok') throw new StoreError(`${file} is damaged (${check?.quick_check ?? 'no answer'}): it is left as it is. Restore a backup, or move it away.`)
}

function migrate(db: Database): void {
  const version = pragma(db, 'user_version')
  if (version === migrations.length) return
  db.transaction(() => {
    for (const statement of migrations.slice(version).flat()) db.run(statement)
    db.run(`PRAGMA user_version = ${migrations.length}`)
    db.run(`PRAGMA application_id = ${applicationId}`)
  }).immediate()
}

function pragma(db: Database, name: 'application_id' | 'user_version'): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${name}`).get()![name]!
}
