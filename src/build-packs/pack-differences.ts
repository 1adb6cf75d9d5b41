import { normalizeAttributeName } from '../geo/attribute.ts'
import { openGeopackage, partColumn, quoteIdentifier, type PackTableInfo } from '../files/geopackage/geopackage.ts'

/**
 * How two editions of a GeoPackage differ. `changed`: features with the same key and other content; null without a key,
 * because then a changed feature is a removed and an added one. `total`: the features of the new edition.
 */
export type PackDifferences = { added: number; removed: number; changed: number | null; total: number }

/** Compares all tables of two editions of a GeoPackage. `key`: the column that identifies a feature. */
export function differencesOf(oldPath: string, newPath: string, key: string | null): PackDifferences {
  const before = openEdition(oldPath)
  const after = openEdition(newPath)
  try {
    const sum: PackDifferences = { added: 0, removed: 0, changed: key === null ? null : 0, total: 0 }
    for (const name of new Set([...before.tables.keys(), ...after.tables.keys()])) {
      const columns = commonColumns(before.tables.get(name), after.tables.get(name), key)
      const [old, current] = [before, after].map((edition) => edition.contentsOf(name, columns, key))
      addDifferences(sum, old!, current!)
    }
    return sum
  } finally {
    before.close()
    after.close()
  }
}

type Cell = string | number | bigint | Uint8Array | null

/**
 * The content of each feature by its identity, both as hashes. Without a key, a feature is identified by its content.
 */
type Contents = Map<number, number>

function addDifferences(sum: PackDifferences, old: Contents, current: Contents): void {
  sum.total += current.size
  for (const [identity, content] of current) {
    const earlier = old.get(identity)
    if (earlier === undefined) sum.added++
    else if (earlier !== content && sum.changed !== null) sum.changed++
  }
  for (const identity of old.keys()) if (!current.has(identity)) sum.removed++
}

/** A GeoPackage whose features can be listed. */
type Edition = {
  tables: ReadonlyMap<string, PackTableInfo>
  contentsOf(table: string, columns: readonly string[], key: string | null): Contents
  close(): void
}

function openEdition(path: string): Edition {
  const { db, tables, close } = openGeopackage(path)
  const byName = new Map(tables.map((table) => [table.name, table]))
  return {
    tables: byName,
    contentsOf(name, columns, key) {
      const contents: Contents = new Map()
      const table = byName.get(name)
      if (!table || columns.length === 0) return contents
      const keyColumn = key === null ? undefined : columnNamed(table, key)
      const rows = db
        .query<Record<string, Cell>, []>(
          `SELECT ${keyColumn === undefined ? 'NULL' : quoteIdentifier(keyColumn)} AS key, ${table.isSubdivided ? partColumn : 'NULL'} AS part, ${columns.map((column, i) => `${quoteIdentifier(column)} AS c${i}`).join(', ')} FROM ${quoteIdentifier(name)}`,
        )
        .iterate()
      const pieces: Contents = new Map()
      for (const { key: value, part, ...content } of rows) {
        const hash = hashOfRow(content)
        if (value !== null && value !== undefined) addTo(contents, hashOfRow({ value }), hash)
        else if (typeof part === 'number') addTo(pieces, part, hash)
        else contents.set(hash, hash)
      }
      for (const hash of pieces.values()) contents.set(hash, hash)
      return contents
    },
    close,
  }
}

/** The rows of one feature are added up, because their order has no meaning. */
function addTo(contents: Contents, identity: number, hash: number): void {
  contents.set(identity, ((contents.get(identity) ?? 0) + hash) % modulus)
}

function hashOfRow(content: Record<string, Cell>): number {
  let hash = 0n
  for (const value of Object.values(content))
    hash = Bun.hash(value instanceof Uint8Array ? value : `${typeof value} ${value}`, hash)
  return Number(hash % BigInt(modulus))
}

/** Sums of two hashes are exact numbers. */
const modulus = 2 ** 52

/** The columns with content that both editions have, in one order. */
function commonColumns(
  old: PackTableInfo | undefined,
  current: PackTableInfo | undefined,
  key: string | null,
): string[] {
  const lists = [old, current].flatMap((table) => (table ? [contentColumnsOf(table, key)] : []))
  return lists.length === 0 ? [] : lists.reduce((a, b) => a.filter((name) => b.includes(name))).toSorted()
}

function contentColumnsOf({ columns, geometry, rowIdColumn }: PackTableInfo, key: string | null): string[] {
  const names = columns.map(({ name }) => name).filter((name) => name !== rowIdColumn && name !== partColumn)
  const isKey = (name: string) => key !== null && normalizeAttributeName(name) === normalizeAttributeName(key)
  return [...names.filter((name) => !isKey(name)), ...(geometry ? [geometry.column] : [])]
}

function columnNamed({ columns }: PackTableInfo, key: string): string | undefined {
  return columns.find(({ name }) => normalizeAttributeName(name) === normalizeAttributeName(key))?.name
}
