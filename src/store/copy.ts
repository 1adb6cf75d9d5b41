import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { isFull } from './disk.ts'
import { brokenInvariants, rowsIn } from './invariants.ts'
import { migrations } from './migrations.ts'
import { ownVersion } from './ours.ts'
import { lookAt } from './read-only.ts'
import { StoreError } from './store-error.ts'
import { faultIn } from './whole.ts'
import { writeThrough } from './write-through.ts'

/** What a copy holds: the version of its tables, and how many rows each has. */
export type Copied = { state_version: number; rows: Record<string, number> }

/** Writes a copy of a `state.db` as it is at this moment, while others read and write it, and looks through the copy. Throws a StoreError for one that is not sound. */
export function copyState(file: string, into: string, now: Date): Copied {
  if (!existsSync(file)) throw new StoreError(`There is no ${file}: nothing was ever kept there.`)
  rmSync(into, { force: true })
  // SQLite would make it readable for everybody.
  closeSync(openSync(into, 'wx', 0o600))
  const db = lookAt(file)
  try {
    db.run('PRAGMA busy_timeout = 10000')
    ownVersion(db, file)
    db.query('VACUUM INTO ?').run(into)
  } catch (cause) {
    rmSync(`${into}-journal`, { force: true })
    if (cause instanceof StoreError) throw cause
    if (isFull(cause)) throw new StoreError(`There is no room for a copy of ${file} at ${into}: it takes about ${Math.ceil(statSync(file).size / 1e6)} MB.`, { cause })
    throw new StoreError(`${file} cannot be copied: ${(cause as Error).message}.`, { cause })
  } finally {
    db.close()
  }
  writeThrough(into)
  return soundState(into, now)
}

/** What a `state.db` at rest holds, when SQLite finds it whole and what we know of our rows holds. */
export function soundState(file: string, now: Date): Copied {
  const db = new Database(file, { readonly: true, strict: true })
  try {
    const state_version = ownVersion(db, file)
    const faults = [faultIn(db) ?? [], state_version === migrations.length ? brokenInvariants(db, now) : []].flat()
    if (faults.length > 0) throw new StoreError(`${file} is not sound: ${faults.join(' ')}`)
    return { state_version, rows: rowsIn(db) }
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(`${file} cannot be read: ${(error as Error).message}.`, { cause: error })
  } finally {
    db.close()
  }
}
