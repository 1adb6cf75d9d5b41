import { Database, type Statement } from 'bun:sqlite'
import { writeGeometry, type GeometryPart } from '../../geo/text/wkb-write.ts'
import { quoteIdentifier } from './geopackage.ts'
import { createGeopackageTables, registerTable } from './geopackage-tables.ts'
import { createRtree, finishRtree, type RtreeNames } from './rtree-writer.ts'
import { emptyExtent, addExtent } from '../../geo/boxes.ts'

/** A column of rows. `list` is stored as text. */
type Column = { name: string; type: 'integer' | 'float' | 'boolean' | 'string' | 'list' }

const sqlTypes = { integer: 'INTEGER', float: 'REAL', boolean: 'BOOLEAN', string: 'TEXT', list: 'TEXT' } as const
const table = 'result'
const cache_kib = 8_192
/** Without a time, the same rows make the same file. */
const lastChange = '1970-01-01T00:00:00.000Z'

/**
 * Writes rows as the layer of a GeoPackage, in their order, each with the geometry that it has or none. Names differ in
 * more than their case there, so that a column gets a number if necessary.
 */
export class GeopackageRows {
  readonly #db: Database
  readonly #insert: Statement
  /** Rows are added to it one by one, because adding all of them at the end would block the thread for seconds. */
  readonly #insertBounds: Statement
  readonly #names: RtreeNames
  readonly #type: 'POINT' | 'GEOMETRY'
  readonly #bounds = emptyExtent()

  constructor(path: string, { columns, type }: { columns: readonly Column[]; type: 'POINT' | 'GEOMETRY' }) {
    this.#db = new Database(path, { create: true })
    this.#type = type
    this.#db.run('PRAGMA journal_mode = OFF')
    this.#db.run('PRAGMA synchronous = OFF')
    this.#db.run(`PRAGMA cache_size = -${cache_kib}`)
    this.#db.run('BEGIN')
    createGeopackageTables(this.#db)
    const names = distinctNames(['fid', 'geom', ...columns.map(({ name }) => name)])
    const [key, geometry, ...given] = names as [string, string, ...string[]]
    this.#names = { table, key, geometry }
    const declarations = columns.map((column, i) => `${quoteIdentifier(given[i]!)} ${sqlTypes[column.type]}`)
    this.#db.run(
      `CREATE TABLE ${table} (${[`${quoteIdentifier(key)} INTEGER PRIMARY KEY NOT NULL`, `${quoteIdentifier(geometry)} ${type}`, ...declarations].join(', ')})`,
    )
    this.#insertBounds = createRtree(this.#db, this.#names)
    this.#insert = this.#db.prepare(`INSERT INTO ${table} VALUES (NULL, ?${', ?'.repeat(columns.length)})`)
  }

  add(parts: readonly GeometryPart[], values: readonly (string | number | boolean | null)[]): void {
    const stored = parts.length === 0 ? null : writeGeometry(parts)
    const { lastInsertRowid } = this.#insert.run(stored?.blob ?? null, ...values)
    if (!stored) return
    this.#insertBounds.run(lastInsertRowid, stored.west, stored.east, stored.south, stored.north)
    addExtent(this.#bounds, stored)
  }

  /** Completes the file. */
  finish(): void {
    this.#insert.finalize()
    registerTable(this.#db, table, { type: this.#type, ...this.#names, ...this.#bounds }, lastChange)
    finishRtree(this.#db, this.#names, this.#insertBounds)
    this.#db.run('COMMIT')
  }

  close(): void {
    this.#db.close()
  }
}

/** Gives a number to a name that another one has in any case. The names of the columns stay where they can. */
function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names.slice(2).map((name) => name.toLowerCase()))
  const given = new Set<string>()
  return names.map((name, i) => {
    const isFree = (it: string) => !given.has(it.toLowerCase()) && (i >= 2 || !taken.has(it.toLowerCase()))
    let free = name
    for (let number = 2; !isFree(free); number++) free = `${name}_${number}`
    given.add(free.toLowerCase())
    return free
  })
}
