import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { FileError } from '../file-error.ts'
import { checkSqliteHeader, geopackageKind, openImmutable, toSqliteFileError } from './sqlite-file.ts'

/** A coordinate system as described by a GeoPackage. */
export type Srs = { srs_name: string; organization: string; organization_coordsys_id: number; definition: string }

/** A column other than the geometry. `type` is the declared type in upper case. */
type Column = { name: string; type: string }

/** A table as described by the GeoPackage's metadata tables. `geometry` is null for an attributes table. */
export type PackTableInfo = {
  name: string
  columns: Column[]
  /** The column of the row ids, or null. */
  rowIdColumn: string | null
  geometry: { column: string; type: string; srs: Srs | null } | null
  last_change: string | null
  /** The name of its R-tree, or null. */
  rtree: string | null
  /** An upper bound of the number of rows, known without counting. */
  rows: number
  /**
   * Features with many vertices are stored as pieces, one row each. `partColumn` and `areaColumn` describe the
   * feature.
   */
  isSubdivided: boolean
}

/** The column that holds the id of the feature a row is a piece of; null in the row of a complete feature. */
export const partColumn = 'fs_part_of'
/** The column that holds the area of the complete feature in square meters. */
export const areaColumn = 'fs_area_m2'

/** A GeoPackage open for reading. */
export type GeopackageFile = { db: Database; tables: PackTableInfo[]; close(): void }

/**
 * Opens a GeoPackage and reads only its metadata.
 * @throws FileError if the file is not a GeoPackage, is truncated, or is being written.
 */
export function openGeopackage(path: string): GeopackageFile {
  checkSqliteHeader(path, geopackageKind)
  const first = new Database(path, { readonly: true })
  try {
    checkTables(first, path)
  } catch (error) {
    throw toSqliteFileError(error, path, geopackageKind)
  } finally {
    first.close()
  }
  const db = openImmutable(path)
  try {
    if (statSync(path).size > largeFile_bytes) db.run(`PRAGMA cache_size = -${largeCache_kib}`)
    return { db, tables: tablesOf(db), close: () => db.close() }
  } catch (error) {
    db.close()
    throw toSqliteFileError(error, path, geopackageKind)
  }
}

/** The interior pages of a larger file do not fit in SQLite's default cache. */
const largeFile_bytes = 256 * 1024 * 1024
const largeCache_kib = 8_192
const applicationIds = new Set(['GPKG', 'GP10', 'GP11'])

function checkTables(db: Database, path: string): void {
  const name = basename(path)
  const id = db.query<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id ?? 0
  const tables = db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
    .all()
    .map((it) => it.name)
  const text = String.fromCharCode((id >>> 24) & 255, (id >>> 16) & 255, (id >>> 8) & 255, id & 255)
  if (!tables.includes('gpkg_contents') || !tables.includes('gpkg_spatial_ref_sys')) {
    throw new FileError(
      `${name} is a SQLite file but not a GeoPackage: it has no table gpkg_contents. Its tables: ${formatNames(tables)}.`,
    )
  }
  if (!applicationIds.has(text))
    throw new FileError(
      `${name} is not marked as a GeoPackage: its application_id is ${id}. Expected GPKG (1196444487), GP10 or GP11.`,
    )
}

type ContentRow = {
  table_name: string
  data_type: string
  last_change: string | null
  column_name: string | null
  geometry_type_name: string | null
  srs_name: string | null
  organization: string | null
  organization_coordsys_id: number | null
  definition: string | null
  kind: string | null
}

/** The different values of a column of a GeoPackage as texts, sorted. */
export function readDistinctTexts(path: string, table: string, column: string): string[] {
  const { db, close } = openGeopackage(path)
  try {
    return db
      .query(`SELECT DISTINCT CAST(${quoteIdentifier(column)} AS TEXT) FROM ${quoteIdentifier(table)} ORDER BY 1`)
      .values()
      .flatMap(([text]) => (typeof text === 'string' ? [text] : []))
  } finally {
    close()
  }
}

function tablesOf(db: Database): PackTableInfo[] {
  const hasGeometries = hasTable(db, 'gpkg_geometry_columns')
  const geometries = hasGeometries
    ? 'gpkg_geometry_columns'
    : `(SELECT '' AS table_name, '' AS column_name, '' AS geometry_type_name, 0 AS srs_id)`
  const rows = db
    .query<ContentRow, []>(
      `
    SELECT c.table_name, c.data_type, c.last_change, g.column_name, g.geometry_type_name, s.srs_name, s.organization, s.organization_coordsys_id, s.definition, m.type AS kind
    FROM gpkg_contents c LEFT JOIN ${geometries} g ON g.table_name = c.table_name LEFT JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id
    LEFT JOIN sqlite_master m ON m.name = c.table_name WHERE c.data_type IN ('features', 'attributes') ORDER BY c.table_name LIMIT 1000`,
    )
    .all()
  return rows.filter(({ kind }) => kind === 'table').map((row) => tableInfoOf(db, row))
}

function tableInfoOf(db: Database, row: ContentRow): PackTableInfo {
  const { table_name, column_name, definition } = row
  const all = db
    .query<{ name: string; type: string; pk: number }, [string]>('SELECT name, type, pk FROM pragma_table_info(?)')
    .all(table_name)
  const primaryKey = all.filter(({ pk }) => pk > 0)
  const hasRowIdColumn = primaryKey.length === 1 && primaryKey[0]!.type.toUpperCase() === 'INTEGER'
  const isSubdivided =
    column_name !== null && [partColumn, areaColumn].every((own) => all.some(({ name }) => name === own))
  const columns = all
    .filter(
      ({ name, type }) =>
        name !== column_name &&
        type.toUpperCase() !== 'BLOB' &&
        !(isSubdivided && (name === partColumn || name === areaColumn)),
    )
    .map(({ name, type }) => ({ name, type: type.toUpperCase() }))
  const rtree = `rtree_${table_name}_${column_name}`
  const srs =
    definition === null
      ? null
      : {
          srs_name: row.srs_name ?? '',
          organization: row.organization ?? '',
          organization_coordsys_id: row.organization_coordsys_id ?? 0,
          definition,
        }
  const geometry = column_name
    ? { column: column_name, type: (row.geometry_type_name ?? 'GEOMETRY').toUpperCase(), srs }
    : null
  return {
    name: table_name,
    columns,
    rowIdColumn: hasRowIdColumn ? primaryKey[0]!.name : null,
    geometry,
    last_change: row.last_change,
    rtree: geometry && hasTable(db, `${rtree}_node`) ? rtree : null,
    rows: maxRowIdOf(db, table_name),
    isSubdivided,
  }
}

/** The largest row id. Counting the rows would read the whole table. */
function maxRowIdOf(db: Database, table: string): number {
  return (
    db.query<{ most: number | null }, []>(`SELECT MAX(rowid) AS most FROM ${quoteIdentifier(table)}`).get()?.most ?? 0
  )
}

/** The number of features in a table. All pieces of one feature count once. */
export function countFeatures(
  db: Database,
  { name, rows, isSubdivided }: Pick<PackTableInfo, 'name' | 'rows' | 'isSubdivided'>,
): number {
  if (!isSubdivided) return rows
  const { pieces, features } = db
    .query<{ pieces: number; features: number }, []>(
      `SELECT COUNT(*) AS pieces, COUNT(DISTINCT ${partColumn}) AS features FROM ${quoteIdentifier(name)} WHERE ${partColumn} IS NOT NULL`,
    )
    .get()!
  return rows - pieces + features
}

function hasTable(db: Database, name: string): boolean {
  return db.query(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(name) !== null
}

/** A name quoted for SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A list of names for a message: at most 20 of them, or `none`. */
export function formatNames(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  return names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ')
}
