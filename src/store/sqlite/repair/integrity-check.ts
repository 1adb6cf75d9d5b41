import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'

/** A `state.db` up to this size is checked completely at every start, at half a millisecond per megabyte. */
const maxFullCheck_bytes = 64 * 1_048_576

/** The tables that grow with the runs. In a large file, the full check after startup covers them. */
const largeTables = ['run_locations', 'run_results', 'run_chunks']

/** Whether the file is too large for a complete check at startup. */
export function isTooLargeForFullCheck(file: string): boolean {
  return statSync(file).size > maxFullCheck_bytes
}

/** Runs SQLite's integrity check over the whole database, indexes included. Returns the first error, or null. */
export function findIntegrityError(db: Database): string | null {
  return runCheck(db, 'PRAGMA integrity_check(1)')
}

/** Runs the integrity check over all tables except the large ones. SQLite cannot even open a truncated file. */
export function findIntegrityErrorInSmallTables(db: Database): string | null {
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) {
    if (largeTables.includes(name)) continue
    const integrityError = runCheck(db, `PRAGMA integrity_check("${name.replaceAll('"', '""')}")`)
    if (integrityError !== null) return integrityError
  }
  return null
}

function runCheck(db: Database, check: string): string | null {
  const [row] = db.query<{ integrity_check: string }, []>(check).all()
  return row?.integrity_check === 'ok' ? null : (row?.integrity_check ?? 'no answer')
}
