import { Database } from 'bun:sqlite'
import type { Table } from './layer.ts'
import { boundsOf, encodeGeometry, snapToGrid, wgs84, type Bounds } from './wkb.ts'

/** A fixed time, so that the same data give the same bytes. */
const lastChange = '2026-01-01T00:00:00.000Z'

/** Creates an empty GeoPackage 1.3. Close it with `finish`. */
export function createGeoPackage(path: string): Database {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = OFF')
  db.run('PRAGMA synchronous = OFF')
  db.run('PRAGMA application_id = 0x47504B47')
  db.run('PRAGMA user_version = 10300')
  for (const statement of foundations) db.run(statement)
  const system = db.prepare('INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)')
  system.run('Undefined cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined cartesian coordinate reference system')
  system.run('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system')
  system.run(
    'WGS 84 geodetic',
    wgs84,
    'EPSG',
    wgs84,
    wgs84Wkt,
    'longitude/latitude coordinates in decimal degrees on the WGS 84 spheroid',
  )
  return db
}

/** Vacuums the file, so that its bytes do not depend on the write order, and closes it. */
export function finish(db: Database): void {
  db.run('VACUUM')
  db.close()
}

/** Writes a table with its rows, R-tree and contents entries. Returns the number of rows. */
export function addTable(db: Database, table: Table): number {
  const columns = Object.entries(table.columns).map(([name, type]) => `${name} ${type}`)
  const geom = table.geometry ? [`geom ${table.geometry}`] : []
  db.run(`CREATE TABLE ${table.name} (${['fid INTEGER PRIMARY KEY', ...geom, ...columns].join(', ')})`)
  return db.transaction(() => (table.geometry ? addFeatures(db, table, table.geometry) : addAttributes(db, table)))()
}

function addFeatures(db: Database, table: Table, geometry: string): number {
  db.run(`CREATE VIRTUAL TABLE rtree_${table.name}_geom USING rtree(id, minx, maxx, miny, maxy)`)
  const names = Object.keys(table.columns)
  const feature = db.prepare(`INSERT INTO ${table.name} VALUES (${['?', '?', ...names.map(() => '?')].join(', ')})`)
  const box = db.prepare(`INSERT INTO rtree_${table.name}_geom VALUES (?, ?, ?, ?, ?)`)
  let fid = 0
  for (const { cells, geom } of table.rows()) {
    const shape = geom && snapToGrid(geom)
    if (!shape) continue
    const bounds = boundsOf(shape)
    fid++
    feature.run(fid, encodeGeometry(shape, bounds), ...names.map((name) => cells[name]!))
    box.run(fid, bounds.minX, bounds.maxX, bounds.minY, bounds.maxY)
  }
  const extent = db.prepare(
    `SELECT min(minx) minX, max(maxx) maxX, min(miny) minY, max(maxy) maxY FROM rtree_${table.name}_geom`,
  )
  contents(db, table, 'features', extent.get() as Bounds)
  db.prepare('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, 0, 0)').run(table.name, 'geom', geometry, wgs84)
  db.prepare('INSERT INTO gpkg_extensions VALUES (?, ?, ?, ?, ?)').run(
    table.name,
    'geom',
    'gpkg_rtree_index',
    'http://www.geopackage.org/spec120/#extension_rtree',
    'write-only',
  )
  return fid
}

function addAttributes(db: Database, table: Table): number {
  const names = Object.keys(table.columns)
  const row = db.prepare(`INSERT INTO ${table.name} VALUES (${['?', ...names.map(() => '?')].join(', ')})`)
  let fid = 0
  for (const { cells } of table.rows()) row.run(++fid, ...names.map((name) => cells[name]!))
  contents(db, table, 'attributes', null)
  return fid
}

function contents(db: Database, { name, title }: Table, type: string, bounds: Bounds | null): void {
  const { minX, minY, maxX, maxY } = bounds ?? { minX: null, minY: null, maxX: null, maxY: null }
  db.prepare('INSERT INTO gpkg_contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    name,
    type,
    name,
    title,
    lastChange,
    minX,
    minY,
    maxX,
    maxY,
    bounds ? wgs84 : null,
  )
}

const wgs84Wkt =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],' +
  'PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]'
const foundations = [
  `CREATE TABLE gpkg_spatial_ref_sys (
    srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL,
    definition TEXT NOT NULL, description TEXT)`,
  `CREATE TABLE gpkg_contents (
    table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
    last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
    min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
    CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))`,
  `CREATE TABLE gpkg_geometry_columns (
    table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,
    z TINYINT NOT NULL, m TINYINT NOT NULL,
    CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
    CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
    CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id))`,
  `CREATE TABLE gpkg_extensions (
    table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL, scope TEXT NOT NULL,
    CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name))`,
]
