import { constants, Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PackError } from './pack-error.ts'
import type { Srs } from './pack-projection.ts'

/** A column but the geometry, with its declared type in capitals. */
type Column = { name: string; type: string }

/** A table as the GeoPackage's own tables describe it; `geometry` is null for a table of attributes only. */
export type PackTableInfo = {
  name: string
  columns: Column[]
  geometry: { column: string; type: string; srs: Srs | null } | null
  last_change: string | null
  /** The name of its R-tree, when it has one. */
  rtree: string | null
  /** How many rows there are at most, without counting them. */
  rows: number
  /** Features with many vertices lie in it in pieces, a row each, and two columns of ours say of what. */
  isSubdivided: boolean
}

/** The column with the number of the feature that a row is a piece of; null where it is a whole one. */
export const partColumn = 'fs_part_of'
/** The column with the square metres of that whole feature. */
export const areaColumn = 'fs_area_m2'

/** A GeoPackage that is open for reading. */
export type GeopackageFile = { db: Database; tables: PackTableInfo[]; close(): void }

/** Opens a GeoPackage on disk, reading its description only. Refuses with a sentence what is none, is not whole, or is being written. */
export function openGeopackage(path: string): GeopackageFile {
  checkHeader(path)
  const first = new Database(path, { readonly: true })
  try {
    checkTables(first, path)
  } catch (error) {
    throw toPackError(error, path)
  } finally {
    first.close()
  }
  // Whoever writes into it has been refused above; without locks a read costs no system call.
  const db = new Database(
    `${pathToFileURL(path).href}?immutable=1`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  )
  try {
    if (statSync(path).size > largeFile_bytes) db.run(`PRAGMA cache_size = -${largeCache_kib}`)
    return { db, tables: tablesOf(db), close: () => db.close() }
  } catch (error) {
    db.close()
    throw toPackError(error, path)
  }
}

const header_bytes = 100
/** Of a file so large, the pages that lead to the others are more than SQLite would hold. */
const largeFile_bytes = 256 * 1024 * 1024
const largeCache_kib = 8_192
const applicationIds = new Set(['GPKG', 'GP10', 'GP11'])
const signatures: [string, string][] = [
  ['PK', 'a ZIP archive'],
  ['II*\0', 'a TIFF'],
  ['MM\0*', 'a TIFF'],
  ['{', 'JSON'],
  ['<', 'XML or HTML'],
  ['fgb', 'FlatGeobuf'],
  ['PAR1', 'Parquet'],
]

function checkHeader(path: string): void {
  const name = basename(path)
  const { size } = statSync(path)
  if (size === 0) throw new PackError(`${name} is empty (0 bytes); a GeoPackage was expected.`)
  const header = headerOf(path)
  const text = header.toString('latin1')
  if (!text.startsWith('SQLite format 3\0')) {
    const kind =
      signatures.find(([begin]) => text.startsWith(begin))?.[1] ?? `the bytes ${header.subarray(0, 8).toString('hex')}`
    throw new PackError(`${name} does not begin as a GeoPackage (a SQLite file) does; it begins with ${kind}.`)
  }
  const pageSize = header.length < header_bytes ? 0 : header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const expected = pageSize === 0 ? header_bytes : pageSize * header.readUInt32BE(28)
  if (size < expected)
    throw new PackError(`${name} is cut off: by its own header it has ${expected} bytes, and there are ${size}.`)
  for (const [suffix, what] of [
    ['-wal', 'a -wal file'],
    ['-journal', 'a -journal file'],
  ] as const) {
    if (existsSync(path + suffix) && statSync(path + suffix).size > 0)
      throw new PackError(
        `${name} is being written by another program, or was left half written: ${what} lies beside it; a closed file was expected.`,
      )
  }
}

function headerOf(path: string): Buffer {
  const header = Buffer.alloc(header_bytes)
  const file = openSync(path, 'r')
  try {
    return header.subarray(0, readSync(file, header, 0, header_bytes, 0))
  } finally {
    closeSync(file)
  }
}

function checkTables(db: Database, path: string): void {
  const name = basename(path)
  const id = db.query<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id ?? 0
  const tables = db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
    .all()
    .map((it) => it.name)
  const text = String.fromCharCode((id >>> 24) & 255, (id >>> 16) & 255, (id >>> 8) & 255, id & 255)
  if (!tables.includes('gpkg_contents') || !tables.includes('gpkg_spatial_ref_sys')) {
    throw new PackError(
      `${name} is a SQLite file and no GeoPackage: it has no gpkg_contents; it has ${formatNames(tables)}.`,
    )
  }
  if (!applicationIds.has(text))
    throw new PackError(
      `${name} is not marked as a GeoPackage: its application_id is ${id}; GPKG (1196444487), GP10 or GP11 was expected.`,
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

function tableInfoOf(
  db: Database,
  {
    table_name,
    last_change,
    column_name,
    geometry_type_name,
    srs_name,
    organization,
    organization_coordsys_id,
    definition,
  }: ContentRow,
): PackTableInfo {
  const all = db
    .query<{ name: string; type: string }, [string]>('SELECT name, type FROM pragma_table_info(?)')
    .all(table_name)
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
          srs_name: srs_name ?? '',
          organization: organization ?? '',
          organization_coordsys_id: organization_coordsys_id ?? 0,
          definition,
        }
  const geometry = column_name
    ? { column: column_name, type: (geometry_type_name ?? 'GEOMETRY').toUpperCase(), srs }
    : null
  return {
    name: table_name,
    columns,
    geometry,
    last_change,
    rtree: geometry && hasTable(db, `${rtree}_node`) ? rtree : null,
    rows: maxRowIdOf(db, table_name),
    isSubdivided,
  }
}

/** The greatest row number: what counting would cost the reading of the whole table for. */
function maxRowIdOf(db: Database, table: string): number {
  return (
    db.query<{ most: number | null }, []>(`SELECT MAX(rowid) AS most FROM ${quoteIdentifier(table)}`).get()?.most ?? 0
  )
}

/** How many features a table has, where pieces count as what they are of. */
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

/** A name as SQL writes it. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Some names in a sentence. */
export function formatNames(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  return names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ')
}

function toPackError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  if (code === null || !code.startsWith('SQLITE_')) return error
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new PackError(
      `${basename(path)} is locked by another program that writes into it; a closed file was expected.`,
      { cause: error, retryable: true },
    )
  return new PackError(
    `${basename(path)} cannot be read as a GeoPackage: SQLite says ${(error as Error).message} (${code}).`,
    { cause: error },
  )
}
