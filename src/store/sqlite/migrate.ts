import type { Database } from 'bun:sqlite'
import { chmodSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { freeBytesIn } from '../free-space.ts'
import { migrations } from '../migrations.ts'
import { readPragma } from './database-file.ts'
import { StoreError } from '../storage-error.ts'
import { syncToDisk } from '../sync-to-disk.ts'

/** The application id of `state.db`: `FSTN` in ASCII. */
export const stateApplicationId = 0x4653544e

/**
 * Upgrades the schema of a database in one transaction. If `file` is given, an older database is first copied to
 * `state.before-<version>.db` in the same folder. Only the newest copy is kept.
 * @throws {StoreError} if the disk is too full for the copy.
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

/** Copies the database under a temporary name, and renames the copy when it is complete and synced. */
function copyBeforeMigration(db: Database, file: string, version: number): void {
  const folder = dirname(file)
  const [free_bytes, needed_bytes] = [freeBytesIn(folder), statSync(file).size]
  if (free_bytes < needed_bytes)
    throw new StoreError(
      `Cannot upgrade ${file}: the copy before the upgrade needs ${Math.ceil(needed_bytes / 1e6)} MB, but only ${Math.floor(free_bytes / 1e6)} MB are free. Nothing was changed. Free up disk space and start again.`,
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

/**
 * Returns the schema version of a `state.db`.
 * @throws {StoreError} if it is not a Fieldstone database or is too new.
 */
export function readSchemaVersion(db: Database, file: string): number {
  const id = readPragma(db, 'application_id')
  const version = readPragma(db, 'user_version')
  if (id !== stateApplicationId)
    throw new StoreError(
      `${file} is not a Fieldstone database (application id ${id}). It was not changed. Move it away, or set --data to another folder.`,
    )
  if (version > migrations.length)
    throw new StoreError(
      `${file} was written by a newer Fieldstone: it has schema version ${version}, and this executable supports ${migrations.length}. It was not changed. Use the newer executable. See /guide/operate#upgrade on a running server.`,
    )
  return version
}
