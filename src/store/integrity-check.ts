import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'

/** A `state.db` up to this size is looked through whole at every start: half a millisecond for each megabyte. */
const maxFullCheck_bytes = 64 * 1_048_576

/** What grows with the runs. A fault in it is found by the look at the whole, which follows the start. */
const largeTables = ['run_locations', 'run_results', 'run_chunks']

/** Whether the file is too large to be looked through whole at a start. */
export function isTooLargeForFullCheck(file: string): boolean {
  return statSync(file).size > maxFullCheck_bytes
}

/** What SQLite finds wrong anywhere in a database, indexes against tables; null when nothing is. */
export function findIntegrityError(db: Database): string | null {
  return runCheck(db, 'PRAGMA integrity_check(1)')
}

/** The same for all tables but those that grow with the runs. A file that was cut short cannot even be opened. */
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
