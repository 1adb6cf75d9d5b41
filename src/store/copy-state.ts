import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { isSqliteFull } from './sqlite-errors.ts'
import { findViolatedInvariants, countRows } from './invariants.ts'
import { migrations } from './migrations.ts'
import { readSchemaVersion } from './schema-version.ts'
import { openForInspection } from './read-only.ts'
import { StoreError } from './store-error.ts'
import { findIntegrityError } from './integrity-check.ts'
import { syncToDisk } from './sync-to-disk.ts'

/** What a copy holds: the version of its tables, and how many rows each has. */
export type StateSummary = { state_version: number; rows: Record<string, number> }

/** Writes a copy of a `state.db` as it is at this moment, while others read and write it, and looks through the copy. Throws a StoreError for one that is not sound. */
export function copyState(file: string, into: string, now: Date): StateSummary {
  if (!existsSync(file)) throw new StoreError(`There is no ${file}: nothing was ever kept there.`)
  rmSync(into, { force: true })
  // SQLite would make it readable for everybody.
  closeSync(openSync(into, 'wx', 0o600))
  const db = openForInspection(file)
  try {
    db.run('PRAGMA busy_timeout = 10000')
    readSchemaVersion(db, file)
    db.query('VACUUM INTO ?').run(into)
  } catch (cause) {
    rmSync(`${into}-journal`, { force: true })
    if (cause instanceof StoreError) throw cause
    if (isSqliteFull(cause))
      throw new StoreError(
        `There is no room for a copy of ${file} at ${into}: it takes about ${Math.ceil(statSync(file).size / 1e6)} MB.`,
        { cause },
      )
    throw new StoreError(`${file} cannot be copied: ${(cause as Error).message}.`, { cause })
  } finally {
    db.close()
  }
  syncToDisk(into)
  return verifyState(into, now)
}

/** What a `state.db` at rest holds, when SQLite finds it whole and what we know of our rows holds. */
export function verifyState(file: string, now: Date): StateSummary {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    const state_version = readSchemaVersion(db, file)
    const problems = [
      findIntegrityError(db) ?? [],
      state_version === migrations.length ? findViolatedInvariants(db, now) : [],
    ].flat()
    if (problems.length > 0) throw new StoreError(`${file} is not sound: ${problems.join(' ')}`)
    return { state_version, rows: countRows(db) }
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(`${file} cannot be read: ${(error as Error).message}.`, { cause: error })
  } finally {
    db.close()
  }
}
