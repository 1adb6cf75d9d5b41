import type { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { quoteIdentifier } from './geopackage.ts'
import { FileError } from '../file-error.ts'

/** The schema of a pack is parsed each time the file is opened. */
const maxEntries = 10_000
const maxSchema_bytes = 4 * 1024 * 1024

/**
 * Checks that tables are stored data. A view, a virtual table or a generated column is computed when it is read, and
 * can produce any amount of data from a small file. Tables that do not exist are ignored.
 * @throws FileError that names the table.
 */
export function checkStoredTables(db: Database, path: string, tables: readonly string[]): void {
  const name = basename(path)
  const { entries, bytes } = db
    .query<{ entries: number; bytes: number | null }, []>(
      'SELECT COUNT(*) AS entries, SUM(octet_length(sql)) AS bytes FROM sqlite_master',
    )
    .get()!
  if (entries > maxEntries || (bytes ?? 0) > maxSchema_bytes)
    throw new FileError(
      `${name} has a schema of ${entries} entries and ${bytes ?? 0} bytes. The maximum is ${maxEntries} entries and ${maxSchema_bytes} bytes. Rebuild the file with \`fieldstone pack build\`.`,
    )
  for (const table of tables) checkStoredTable(db, name, table)
}

function checkStoredTable(db: Database, name: string, table: string): void {
  const entry = db
    .query<{ type: string; rootpage: number | null }, [string]>(
      `SELECT type, rootpage FROM sqlite_master WHERE lower(name) = lower(?) AND type IN ('table', 'view')`,
    )
    .get(table)
  if (!entry) return
  // A virtual table has no page of its own.
  const kind = entry.type === 'view' ? 'a view' : entry.rootpage ? null : 'a virtual table'
  if (kind !== null)
    throw new FileError(`${table} in ${name} is ${kind}. Expected a table. Copy its rows into a table.`)
  const computed = db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 0')
    .get(table)
  if (computed)
    throw new FileError(
      `The column ${computed.name} of ${table} in ${name} is a generated column. Expected stored values. Copy the rows into a table without generated columns.`,
    )
}

/**
 * Checks the pages of one table. A check of the complete file would follow the pointers of its virtual tables.
 * @throws FileError with the report of SQLite.
 */
export function checkPages(db: Database, path: string, table: string): void {
  db.run('PRAGMA ignore_check_constraints = ON')
  const found = db
    .query<Record<string, string>, []>(`PRAGMA quick_check(${quoteIdentifier(table)})`)
    .values()
    .map(([line]) => String(line))
  if (found[0] !== 'ok')
    throw new FileError(
      `${basename(path)} is corrupt. SQLite reports: ${found.join('; ').slice(0, maxReport_characters)}.`,
    )
}

const maxReport_characters = 200
/** SQLite allows an expression to have 1,000 levels. */
const maxTerms = 500

/** Checks that no row has more than `max_bytes` in the columns. @throws FileError that names the row. */
export function checkRowSize(
  db: Database,
  path: string,
  { table, columns, max_bytes }: { table: string; columns: readonly string[]; max_bytes: number },
): void {
  const sizes = columns.map((column) => `ifnull(octet_length(${quoteIdentifier(column)}), 0)`)
  for (let i = 0; i < sizes.length; i += maxTerms) {
    const size = sizes.slice(i, i + maxTerms).join(' + ')
    const large = db
      .query<{ size: number }, []>(
        `SELECT ${size} AS size FROM ${quoteIdentifier(table)} WHERE ${size} > ${max_bytes} LIMIT 1`,
      )
      .get()
    if (large)
      throw new FileError(
        `A row of ${table} in ${basename(path)} has ${large.size} bytes in ${columns.length === 1 ? columns[0] : 'its columns'}. The maximum is ${max_bytes}. Rebuild the file with \`fieldstone pack build\`.`,
      )
  }
}

/** The columns of a table. */
export function columnNamesOf(db: Database, table: string): string[] {
  return db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name)
}
