import type { Database } from 'bun:sqlite'
import { chmodSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { freeBytesIn } from './free-space.ts'
import { migrations } from './migrations.ts'
import { readPragma } from './pragma.ts'
import { StoreError } from './store-error.ts'
import { syncToDisk } from './sync-to-disk.ts'

/** The application id of our databases: `FSTN`. */
export const stateApplicationId = 0x4653544e

/**
 * Brings the tables of a database up to date, all at once or not at all. `file`: where it lies; one that has rows is copied beside it first, as
 * `state.before-<version>.db`. Only the newest such copy is kept.
 */
export function migrate(db: Database, file: string | null): void {
  const version = readPragma(db, 'user_version')
  if (version === migrations.length) return
  if (version > 0 && file !== null) copyBeforeMigration(db, file, version)
  db.transaction(() => {
    for (const statement of migrations.slice(version).flat()) db.run(statement)
    db.run(`PRAGMA user_version = ${migrations.length}`)
    db.run(`PRAGMA application_id = ${stateApplicationId}`)
  }).immediate()
}

/** Under another name until it is whole and on the disk. */
function copyBeforeMigration(db: Database, file: string, version: number): void {
  const folder = dirname(file)
  const [free_bytes, needed_bytes] = [freeBytesIn(folder), statSync(file).size]
  if (free_bytes < needed_bytes)
    throw new StoreError(
      `${file} has to be brought up to date, and is copied first: that takes ${Math.ceil(needed_bytes / 1e6)} MB, and there are ${Math.floor(free_bytes / 1e6)} MB. Make room and start again; nothing was changed.`,
    )
  const copy = join(folder, `state.before-${version}.db`)
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { force: true })
  db.query('VACUUM INTO ?').run(unfinished)
  chmodSync(unfinished, 0o600)
  syncToDisk(unfinished)
  renameSync(unfinished, copy)
  syncToDisk(folder)
  for (const name of readdirSync(folder))
    if (/^state\.before-\d+\.db$/.test(name) && name !== basename(copy)) rmSync(join(folder, name))
}
