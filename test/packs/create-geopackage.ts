import { Database } from 'bun:sqlite'
import type { Properties } from '../../src/model/source.ts'

/** A row of a layer: the stored geometry and the attributes. */
export type StoredFeature = { geom: Uint8Array | null; attributes: Properties }

/** A GeoPackage in memory with metadata tables and the given layers. */
export function createGeopackage(layers: Record<string, StoredFeature[]>): Database {
  const db = new Database(':memory:')
  db.run('CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL)')
  db.run('CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL)')
  for (const [name, features] of Object.entries(layers)) addLayer(db, name, features)
  return db
}

/** Adds a table without geometry. */
export function addPlainTable(db: Database, name: string, rows: Properties[]): void {
  db.run('INSERT INTO gpkg_contents VALUES (?, ?)', [name, 'attributes'])
  fill(db, name, rows)
}

function addLayer(db: Database, name: string, features: StoredFeature[]): void {
  db.run('INSERT INTO gpkg_contents VALUES (?, ?)', [name, 'features'])
  db.run('INSERT INTO gpkg_geometry_columns VALUES (?, ?)', [name, 'geom'])
  fill(
    db,
    name,
    features.map(({ geom, attributes }) => ({ geom, ...attributes })),
  )
}

type Cells = Record<string, string | number | boolean | Uint8Array | null>

function fill(db: Database, name: string, rows: Cells[]): void {
  const columns = Object.keys(rows[0] ?? { geom: null })
  db.run(`CREATE TABLE ${quoted(name)} (fid INTEGER PRIMARY KEY, ${columns.map(quoted).join(', ')})`)
  const insert = db.prepare(
    `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null))
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
