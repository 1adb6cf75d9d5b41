import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { readSchemaVersion } from './migrate.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { findViolatedInvariants, countRows } from './repair/invariants.ts'
import { migrations } from '../migrations.ts'
import { openForInspection } from './read-only.ts'
import { StoreError } from '../storage-error.ts'
import { findForeignSchema } from './repair/foreign-schema.ts'
import { findIntegrityError } from './repair/integrity-check.ts'
import { syncToDisk } from '../sync-to-disk.ts'

/** The schema version of a database and the number of rows in each table. */
type StateSummary = { state_version: number; rows: Record<string, number> }

/**
 * Writes a consistent copy of `state.db`, also while others use it, and verifies the copy.
 * @throws {StoreError} if the database is missing or damaged, or the disk is full.
 */
export function copyState(file: string, into: string, now: Date): StateSummary {
  if (!existsSync(file)) throw new StoreError(`${file} does not exist.`)
  rmSync(into, { force: true })
  // SQLite would create the file with a mode that lets others read it.
  closeSync(openSync(into, 'wx', 0o600))
  const db = openForInspection(file)
  try {
    db.run('PRAGMA busy_timeout = 10000')
    readSchemaVersion(db, file)
    db.query('VACUUM INTO ?').run(into)
  } catch (cause) {
    rmSync(`${into}-journal`, { force: true })
    if (cause instanceof StoreError) throw cause
    if (storageErrorOf(cause)?.reason === 'full') throw fullDiskError(file, into, cause)
    throw new StoreError(`Cannot copy ${file}: ${(cause as Error).message}.`, { cause })
  } finally {
    db.close()
  }
  syncToDisk(into)
  return verifyState(into, now)
}

/** Returns the error of a copy that the disk has no space for. It names the required space. */
export function fullDiskError(file: string, into: string, cause: unknown): StoreError {
  const size_mb = Math.ceil(statSync(file).size / 1e6)
  return new StoreError(`The disk is too full for a copy of ${file} at ${into}. The copy needs about ${size_mb} MB.`, {
    cause,
  })
}

/**
 * Verifies a `state.db` that nobody writes to: SQLite's integrity check, and the invariants of the rows.
 * @throws {StoreError} if the database is damaged or inconsistent.
 */
export function verifyState(file: string, now: Date): StateSummary {
  return verify(file, now, () => [])
}

/**
 * Verifies a `state.db` from a backup. Its schema must also be one that Fieldstone creates, because SQLite would
 * execute the triggers of a foreign one.
 * @throws {StoreError} if the database is damaged, inconsistent or foreign.
 */
export function verifyRestoredState(file: string, now: Date): StateSummary {
  return verify(file, now, findForeignSchema)
}

function verify(file: string, now: Date, findProblems: (db: Database) => string[]): StateSummary {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    const state_version = readSchemaVersion(db, file)
    const problems = [
      findIntegrityError(db) ?? [],
      state_version === migrations.length ? findViolatedInvariants(db, now) : [],
    ].flat()
    if (problems.length > 0) throw new StoreError(`${file} is damaged: ${problems.join(' ')}`)
    const foreign = findProblems(db)
    if (foreign.length > 0)
      throw new StoreError(
        `The database of this backup was changed by another program: it has ${foreign.join(', ')}. Nothing was restored. Use another backup.`,
      )
    return { state_version, rows: countRows(db) }
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(`Cannot read ${file}: ${(error as Error).message}.`, { cause: error })
  } finally {
    db.close()
  }
}
