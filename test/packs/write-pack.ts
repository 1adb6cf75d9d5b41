import { Database } from 'bun:sqlite'
import type { Properties } from '../../src/model/source.ts'
import type { StoredFeature } from './create-geopackage.ts'

const wgs84 =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]'

/** How to describe a layer of the written GeoPackage. The R-tree needs the box of each feature. */
type Form = { type?: string; srs?: number; boxes?: [west: number, east: number, south: number, north: number][] }

/** Writes a GeoPackage to disk by the standard. */
export type PackFileWriter = {
  layer(name: string, features: StoredFeature[], form?: Form): PackFileWriter
  table(name: string, rows: Properties[], index?: string): PackFileWriter
  srs(id: number, organization: string, code: number, definition: string): PackFileWriter
  run(sql: string): PackFileWriter
  close(): string
}

export function writePack(path: string): PackFileWriter {
  const db = new Database(path, { create: true })
  db.run('PRAGMA application_id = 1196444487')
  db.run(
    'CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, last_change DATETIME, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER)',
  )
  db.run(
    'CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL)',
  )
  db.run(
    'CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL)',
  )
  const srs = db.prepare(
    'INSERT INTO gpkg_spatial_ref_sys (srs_id, srs_name, organization, organization_coordsys_id, definition) VALUES (?, ?, ?, ?, ?)',
  )
  srs.run(4326, 'WGS 84', 'EPSG', 4326, wgs84)
  srs.run(-1, 'Undefined', 'NONE', -1, 'undefined')
  const it: PackFileWriter = {
    layer(name, features, { type = 'GEOMETRY', srs: id = 4326, boxes } = {}) {
      db.run(
        "INSERT INTO gpkg_contents (table_name, data_type, last_change, srs_id) VALUES (?, 'features', '2026-05-04T03:02:01.000Z', ?)",
        [name, id],
      )
      db.run("INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, ?)", [name, type, id])
      fill(
        db,
        name,
        features.map(({ geom, attributes }) => ({ geom, ...attributes })),
      )
      if (boxes) index(db, `rtree_${name}_geom`, boxes)
      return it
    },
    table(name, rows, index) {
      db.run(
        "INSERT INTO gpkg_contents (table_name, data_type, last_change) VALUES (?, 'attributes', '2026-01-02T00:00:00.000Z')",
        [name],
      )
      fill(db, name, rows)
      if (index) db.run(`CREATE INDEX "${name}_key" ON "${name}" ("${index}")`)
      return it
    },
    srs(id, organization, code, definition) {
      srs.run(id, `${organization}:${code}`, organization, code, definition)
      return it
    },
    run(sql) {
      db.run(sql)
      return it
    },
    close() {
      db.close(true)
      return path
    },
  }
  return it
}

type Cells = Record<string, string | number | boolean | Uint8Array | null>

function fill(db: Database, name: string, rows: Cells[]): void {
  const columns = Object.keys(rows[0] ?? { geom: null }).map((column) => `"${column}"`)
  db.run(`CREATE TABLE "${name}" (fid INTEGER PRIMARY KEY, ${columns.join(', ')})`)
  const insert = db.prepare(
    `INSERT INTO "${name}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  db.transaction(() => {
    for (const row of rows) insert.run(...Object.values(row))
  })()
  insert.finalize()
}

function index(db: Database, name: string, boxes: readonly (readonly number[])[]): void {
  db.run(`CREATE VIRTUAL TABLE "${name}" USING rtree(id, minx, maxx, miny, maxy)`)
  const insert = db.prepare(`INSERT INTO "${name}" VALUES (?, ?, ?, ?, ?)`)
  db.transaction(() => boxes.forEach((box, i) => insert.run(i + 1, ...box)))()
  insert.finalize()
}
