import { Database } from 'bun:sqlite'
import { chmodSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrate } from './migrate.ts'
import { removeDatabase } from './remove-database.ts'
import { syncToDisk } from './sync-to-disk.ts'

/**
 * Creates a new database under a temporary name and renames it, so that an interrupted first start leaves no partial
 * file.
 */
export function createState(file: string): void {
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
