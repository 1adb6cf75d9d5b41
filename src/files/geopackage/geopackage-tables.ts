import type { Database } from 'bun:sqlite'
import { quoteIdentifier } from './geopackage.ts'
import type { Extent } from '../../model/area.ts'

const applicationId = 0x47504b47
const version = 10_300
const wgs84 =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],AUTHORITY["EPSG","4326"]]'

/** Creates the missing metadata tables of a GeoPackage (OGC 12-128r19). */
export function createGeopackageTables(db: Database): void {
  db.run(`PRAGMA application_id = ${applicationId}`)
  db.run(`PRAGMA user_version = ${version}`)
  db.run(
    `CREATE TABLE IF NOT EXISTS gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT)`,
  )
  const addSystem = db.prepare('INSERT OR IGNORE INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)')
  addSystem.run(
    'Undefined cartesian SRS',
    -1,
    'NONE',
    -1,
    'undefined',
    'undefined cartesian coordinate reference system',
  )
  addSystem.run(
    'Undefined geographic SRS',
    0,
    'NONE',
    0,
    'undefined',
    'undefined geographic coordinate reference system',
  )
  addSystem.run(
    'WGS 84 geodetic',
    4326,
    'EPSG',
    4326,
    wgs84,
    'longitude/latitude coordinates in decimal degrees on the WGS 84 spheroid',
  )
  addSystem.finalize()
  db.run(`CREATE TABLE IF NOT EXISTS gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
    last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
    CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))`)
  db.run(`CREATE TABLE IF NOT EXISTS gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
    CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name), CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name), CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id))`)
  db.run(
    `CREATE TABLE IF NOT EXISTS gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL, scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name))`,
  )
}

/** Removes a layer or table, its R-tree and its metadata. */
export function dropTable(db: Database, name: string): void {
  for (const table of ['gpkg_extensions', 'gpkg_geometry_columns', 'gpkg_contents', 'gpkg_ogr_contents']) {
    if (db.query('SELECT 1 FROM sqlite_master WHERE name = ?').get(table))
      db.run(`DELETE FROM ${quoteIdentifier(table)} WHERE lower(table_name) = lower(?)`, [name])
  }
  for (const { name: rtree } of db
    .query<{ name: string }, [string]>(
      `SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%' AND lower(name) LIKE lower(?) || '%'`,
    )
    .all(`rtree_${name}_`))
    db.run(`DROP TABLE ${quoteIdentifier(rtree)}`)
  db.run(`DROP TABLE IF EXISTS ${quoteIdentifier(name)}`)
}

/** The geometry type, geometry column and bounds of a layer; null for a table without geometry. */
export type LayerGeometryInfo = (Extent & { type: string; geometry: string }) | null

/** Adds a layer or table to the metadata of the GeoPackage. `lastChange`: the time of its data, by default now. */
export function registerTable(db: Database, name: string, info: LayerGeometryInfo, lastChange?: string): void {
  const kind = info ? 'features' : 'attributes'
  const bounds =
    info && info.west <= info.east ? [info.west, info.south, info.east, info.north] : [null, null, null, null]
  db.run(
    'INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    [name, kind, name, ...bounds, info ? 4326 : null],
  )
  if (lastChange !== undefined)
    db.run('UPDATE gpkg_contents SET last_change = ? WHERE table_name = ?', [lastChange, name])
  if (!info) return
  db.run('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, 4326, 0, 0)', [name, info.geometry, info.type])
  db.run('INSERT INTO gpkg_extensions VALUES (?, ?, ?, ?, ?)', [
    name,
    info.geometry,
    'gpkg_rtree_index',
    'http://www.geopackage.org/spec120/#extension_rtree',
    'write-only',
  ])
}
