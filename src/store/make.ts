import { Database } from 'bun:sqlite'
import { chmodSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrate } from './migrate.ts'
import { removeDatabase } from './remove-database.ts'
import { writeThrough } from './write-through.ts'

/** Makes a new database beside its place and puts it there when it is whole: a first start that is cut short leaves none, rather than half of one that no start would take. */
export function makeState(file: string): void {
  const part = `${file}.new`
  removeDatabase(part)
  const db = new Database(part, { create: true, strict: true })
  chmodSync(part, 0o600)
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = FULL')
  migrate(db, part)
  db.close(true)
  renameSync(part, file)
  writeThrough(dirname(file))
}
