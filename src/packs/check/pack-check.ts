import { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { verifyAddressPack } from '../addresses/address-pack-check.ts'
import { buildLayerIndex, type BuiltIndex } from '../layer/feature-boxes.ts'
import { openGeopackage, quoteIdentifier, type PackTableInfo } from '../../files/geopackage/geopackage.ts'
import { sha256OfFile } from '../../files/byte-reader.ts'
import type { BuiltIndexes } from '../pack.ts'
import { FileError } from '../../files/file-error.ts'
import { checkRtreeNodes } from './rtree-check.ts'
import { checkSqliteHeader, geopackageKind, toSqliteFileError } from '../../files/geopackage/sqlite-file.ts'
import {
  checkPages,
  checkRowSize,
  checkStoredTables,
  columnNamesOf,
} from '../../files/geopackage/stored-table-check.ts'

/** The limits of what one row of a pack can hold. A query reads a row completely. */
const packLimits = {
  /** One geometry: half a million vertices. `pack build` subdivides larger ones. */
  geometry_bytes: 8 * 1024 ** 2,
  /** All texts and numbers of one row. */
  row_bytes: 1024 ** 2,
  /** A name or a definition of a coordinate system in the metadata of the file. */
  metadata_bytes: 64 * 1024,
} as const

/**
 * Checks all content of a pack file before it is used: its checksum, if the manifest has one, and everything in a
 * SQLite file. It reads the complete file. Opening a raster checks its header. Returns the box trees of layers without
 * an R-tree.
 * @throws FileError that says what is wrong.
 */
export async function checkPackFile(path: string, sha256: string | null): Promise<BuiltIndexes> {
  await checkChecksum(path, sha256)
  if (path.endsWith('.sqlite')) verifyAddressPack(path)
  return path.endsWith('.gpkg') ? checkGeopackage(path) : new Map()
}

/** Compares the checksum of a file with the one in its manifest, if there is one. @throws FileError */
export async function checkChecksum(path: string, sha256: string | null): Promise<void> {
  if (sha256 === null) return
  const found = await sha256OfFile(path)
  if (found !== sha256)
    throw new FileError(`${basename(path)} has the SHA-256 checksum ${found}, but its manifest says ${sha256}.`)
}

const metadataTables = ['gpkg_contents', 'gpkg_geometry_columns', 'gpkg_spatial_ref_sys']

function checkGeopackage(path: string): BuiltIndexes {
  checkSqliteHeader(path, geopackageKind)
  checkMetadata(path)
  const file = openGeopackage(path)
  try {
    for (const table of file.tables) checkTable(file.db, path, table)
    const unindexed = file.tables.filter(({ geometry, rtree }) => geometry !== null && rtree === null)
    return new Map(unindexed.flatMap((table) => buildIndexOrNone(file.db, table)))
  } catch (error) {
    throw toSqliteFileError(error, path, geopackageKind)
  } finally {
    file.close()
  }
}

/** A layer that cannot have an index may be one that nothing reads. Opening it says what is wrong. */
function buildIndexOrNone(db: Database, table: PackTableInfo): [string, BuiltIndex][] {
  try {
    return [[table.name, buildLayerIndex(db, table)]]
  } catch (error) {
    if (error instanceof FileError) return []
    throw error
  }
}

/** Checks the tables that opening a GeoPackage reads. */
function checkMetadata(path: string): void {
  const db = new Database(path, { readonly: true })
  try {
    checkStoredTables(db, path, metadataTables)
    for (const table of metadataTables) {
      if (!hasTable(db, table)) continue
      checkPages(db, path, table)
      checkRowSize(db, path, { table, columns: columnNamesOf(db, table), max_bytes: packLimits.metadata_bytes })
    }
  } catch (error) {
    throw toSqliteFileError(error, path, geopackageKind)
  } finally {
    db.close()
  }
}

function checkTable(db: Database, path: string, { name, geometry, rtree, columns }: PackTableInfo): void {
  const treeTables = rtree === null ? [] : [`${rtree}_node`]
  checkStoredTables(db, path, [name, ...treeTables])
  for (const table of [name, ...treeTables]) checkPages(db, path, table)
  const texts = columns.map((column) => column.name)
  checkRowSize(db, path, { table: name, columns: texts, max_bytes: packLimits.row_bytes })
  if (!geometry) return
  checkRowSize(db, path, { table: name, columns: [geometry.column], max_bytes: packLimits.geometry_bytes })
  if (rtree !== null) checkRtree(db, { table: name, geometry: geometry.column, rtree })
}

/** Checks the nodes of an R-tree, and that it has every feature. A stale R-tree would hide features. */
function checkRtree(
  db: Database,
  { table, geometry, rtree }: { table: string; geometry: string; rtree: string },
): void {
  const { rows } = checkRtreeNodes(db, rtree)
  const { filled } = db
    .query<{ filled: number }, []>(
      `SELECT COUNT(*) AS filled FROM ${quoteIdentifier(table)} WHERE ${quoteIdentifier(geometry)} IS NOT NULL AND (hex(substr(${quoteIdentifier(geometry)}, 4, 1)) NOT LIKE '1%')`,
    )
    .get()!
  if (rows !== filled)
    throw new FileError(
      `The R-tree of layer ${table} has ${rows} features, but the layer has ${filled} features with a geometry.`,
    )
}

function hasTable(db: Database, table: string): boolean {
  return db.query(`SELECT 1 FROM sqlite_master WHERE name = ?`).get(table) !== null
}
