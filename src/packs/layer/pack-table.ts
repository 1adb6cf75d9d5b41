import type { Database } from 'bun:sqlite'
import type { Properties } from '../../model/source.ts'
import { formatNames, quoteIdentifier, type PackTableInfo } from '../../files/geopackage/geopackage.ts'
import { findColumn, resolveColumns, columnsByName } from './pack-columns.ts'
import { FileError } from '../../files/file-error.ts'
import { translateReadErrors } from '../read-errors.ts'

/** A table of a GeoPackage with a key. */
export type PackTable = {
  /** The rows of a key in table order; empty if there are none. */
  rows(key: string): Properties[]
  notes: string[]
}

/**
 * The table of the documents that were copied from a service, one for each key, as the service answers it. Its columns
 * are `key` and `document`, which is JSON.
 */
export const documentTable = 'documents'

/** What is required of a table of documents, whatever the dataset reads from them. */
export const documentTableRequirements = { name: documentTable, attributes: ['document'], keys: [['key']] }

/** The tables to open in a file: those that the catalog names, or the documents if the file has them instead. */
export function requiredTablesOf<T extends { name: string | null }>(
  named: readonly T[],
  tables: readonly PackTableInfo[],
): readonly (T | typeof documentTableRequirements)[] {
  const hasDocuments = named.length > 0 && tables.some(({ name }) => name === documentTable)
  return hasDocuments ? [documentTableRequirements] : named
}

/** What the catalog requires of a table. */
export type TableRequirements = {
  attributes: readonly string[]
  renames: ReadonlyMap<string, string>
  /** Lists of columns whose texts, joined, form the key. The first list that the table has completely is used. */
  keys: readonly (readonly string[])[]
}

/**
 * Opens a table. Without an index on the key, the first lookup reads all keys into memory.
 * @throws FileError if the key is missing, or if the table is too large to read without an index.
 */
export function createPackTable(db: Database, table: PackTableInfo, expected: TableRequirements): PackTable {
  const requirements = { ...expected, ...(table.name === documentTable && documentTableRequirements) }
  const { name } = table
  const names = columnsByName(table)
  const key = requirements.keys
    .map((columns) => columns.map((column) => findColumn(column, names, requirements.renames)))
    .find((columns): columns is string[] => columns.every((column) => column !== undefined))
  if (!key)
    throw new FileError(
      `${name} has no key column. Expected ${requirements.keys.map((columns) => columns.join(' with ')).join(' or ')}. Its columns: ${formatNames(table.columns.map((column) => column.name))}.`,
    )
  const columns = resolveColumns(table, requirements.attributes, requirements.renames)
  const isIndexed = key.length === 1 && hasIndex(db, name, key[0]!)
  if (!isIndexed && table.rows > maxKeyedRows)
    throw new FileError(
      `${name} has up to ${table.rows} rows but no index on ${key.join(', ')}. Without an index, the maximum is ${maxKeyedRows} rows. Add one with CREATE INDEX, or rebuild the file with \`fieldstone pack build\`.`,
    )
  const lookup = isIndexed
    ? lookupByIndex(db, name, key[0]!, columns.select)
    : lookupByMap(db, name, key, columns.select)
  return {
    rows: (key) => translateReadErrors(name, () => lookup(key).map((values) => columns.propertiesOf(values, 0))),
    notes: isIndexed ? [] : [`${name} has no index on ${key.join(', ')}, so its keys are held in memory.`],
  }
}

const maxKeyedRows = 50_000
const maxRowsPerKey = 10_000

function hasIndex(db: Database, table: string, column: string): boolean {
  const first = db
    .query<{ name: string | null }, [string]>(
      'SELECT (SELECT name FROM pragma_index_info(l.name) WHERE seqno = 0) AS name FROM pragma_index_list(?) l WHERE l.partial = 0',
    )
    .all(table)
  const key = db.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?) WHERE pk = 1').get(table)
  return [...first, ...(key ? [key] : [])].some(({ name }) => name === column)
}

function lookupByIndex(db: Database, table: string, column: string, select: string): (key: string) => unknown[][] {
  const statement = db.prepare<unknown, [string]>(
    `SELECT ${select} FROM ${quoteIdentifier(table)} WHERE ${quoteIdentifier(column)} = ? ORDER BY rowid LIMIT ${maxRowsPerKey}`,
  )
  return (key) => statement.values(key)
}

function lookupByMap(
  db: Database,
  table: string,
  key: readonly string[],
  select: string,
): (key: string) => unknown[][] {
  const statement = db.prepare<unknown, [number]>(`SELECT ${select} FROM ${quoteIdentifier(table)} WHERE rowid = ?`)
  let index: Map<string, number[]> | null = null
  return (keyText) => {
    index ??= rowsByKey(db, table, key)
    return (index.get(keyText) ?? []).slice(0, maxRowsPerKey).flatMap((row) => statement.values(row))
  }
}

function rowsByKey(db: Database, table: string, key: readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>()
  for (const [row, ...parts] of db
    .query(
      `SELECT rowid, ${key.map(quoteIdentifier).join(', ')} FROM ${quoteIdentifier(table)} ORDER BY rowid LIMIT ${maxKeyedRows}`,
    )
    .values()) {
    const text = parts.join('')
    const rows = index.get(text)
    if (rows) rows.push(row as number)
    else index.set(text, [row as number])
  }
  return index
}
