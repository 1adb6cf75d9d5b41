import type { Database } from 'bun:sqlite'
import type { Properties } from '../model/source.ts'
import { listed, quoted, type PackTableFacts } from './geopackage-file.ts'
import { columnFor, columnsOf, namesOf } from './pack-columns.ts'
import { PackRefused } from './pack-refused.ts'
import { readably } from './readably.ts'

/** A table of a GeoPackage whose rows are found by a key. */
export type PackTable = {
  /** The rows of a key, in the order of the table; none when it has none. */
  rows(key: string): Properties[]
  notes: string[]
}

/** `keys`: the columns whose texts, joined, are the key; the first list of which the table has all is taken. */
export type TableWanted = { attributes: readonly string[]; renamed: ReadonlyMap<string, string>; keys: readonly (readonly string[])[] }

/** Opens a table. One without an index on its key is looked through once, when it is first asked; a large one is refused. */
export function openPackTable(db: Database, table: PackTableFacts, wanted: TableWanted): PackTable {
  const { name } = table
  const names = namesOf(table)
  const key = wanted.keys.map((columns) => columns.map((column) => columnFor(column, names, wanted.renamed))).find((columns): columns is string[] => columns.every((column) => column !== undefined))
  if (!key) throw new PackRefused(`${name} has no column for its key: ${wanted.keys.map((columns) => columns.join(' with ')).join(' or ')} was expected, and it has ${listed(table.columns.map((column) => column.name))}.`)
  const columns = columnsOf(table, wanted.attributes, wanted.renamed)
  const isIndexed = key.length === 1 && hasIndex(db, name, key[0]!)
  if (!isIndexed && table.rows > mostHeld) throw new PackRefused(`${name} has no index on ${key.join(', ')} and up to ${table.rows} rows; without one at most ${mostHeld} are served. Make it with CREATE INDEX, or \`fieldstone pack build\`.`)
  const find = isIndexed ? byIndex(db, name, key[0]!, columns.select) : byMap(db, name, key, columns.select)
  return {
    rows: (key) => readably(name, () => find(key).map((values) => columns.propertiesOf(values, 0))),
    notes: isIndexed ? [] : [`${name} has no index on ${key.join(', ')}; its keys are held in memory.`],
  }
}

const mostHeld = 500_000
const mostRows = 10_000

function hasIndex(db: Database, table: string, column: string): boolean {
  const first = db.query<{ name: string | null }, [string]>('SELECT (SELECT name FROM pragma_index_info(l.name) WHERE seqno = 0) AS name FROM pragma_index_list(?) l WHERE l.partial = 0').all(table)
  const key = db.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?) WHERE pk = 1').get(table)
  return [...first, ...(key ? [key] : [])].some(({ name }) => name === column)
}

function byIndex(db: Database, table: string, column: string, select: string): (key: string) => unknown[][] {
  const statement = db.prepare<unknown, [string]>(`SELECT ${select} FROM ${quoted(table)} WHERE ${quoted(column)} = ? ORDER BY rowid LIMIT ${mostRows}`)
  return (key) => statement.values(key)
}

function byMap(db: Database, table: string, key: readonly string[], select: string): (key: string) => unknown[][] {
  const statement = db.prepare<unknown, [number]>(`SELECT ${select} FROM ${quoted(table)} WHERE rowid = ?`)
  let held: Map<string, number[]> | null = null
  return (wanted) => {
    held ??= rowsByKey(db, table, key)
    return (held.get(wanted) ?? []).slice(0, mostRows).flatMap((row) => statement.values(row))
  }
}

function rowsByKey(db: Database, table: string, key: readonly string[]): Map<string, number[]> {
  const held = new Map<string, number[]>()
  for (const [row, ...parts] of db.query(`SELECT rowid, ${key.map(quoted).join(', ')} FROM ${quoted(table)} ORDER BY rowid LIMIT ${mostHeld}`).values()) {
    const text = parts.join('')
    const rows = held.get(text)
    if (rows) rows.push(row as number)
    else held.set(text, [row as number])
  }
  return held
}
