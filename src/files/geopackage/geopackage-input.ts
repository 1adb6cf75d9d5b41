import type { Properties } from '../../model/source.ts'
import { openGeopackage, quoteIdentifier, type PackTableInfo } from './geopackage.ts'
import { FileError } from '../file-error.ts'
import { type InputFile, type InputOptions, inputBatchesOf, type ReadFeature, partsOfBytes } from '../input-file.ts'
import { chooseLayer } from '../layer-choice.ts'
import { checkPages, checkStoredTables } from './stored-table-check.ts'
import { partsOfBlob } from '../wkb-parts.ts'
import type { Database } from 'bun:sqlite'

/** Opens a layer or table of a GeoPackage. */
export function openGeopackageInput(path: string, name: string, options: InputOptions): InputFile {
  const file = openGeopackage(path)
  try {
    if (file.tables.length === 0) throw new FileError(`${name} is a GeoPackage without layers or tables.`)
    const table = chooseLayer(file.tables, options, name)
    if (table.isSubdivided)
      throw new FileError(
        `The layer ${table.name} of ${name} is a pack with subdivided polygons. Use the file it was built from, or rebuild the pack with --whole.`,
      )
    checkStoredTables(file.db, path, [table.name])
    checkPages(file.db, path, table.name)
    const srs = table.geometry?.srs ?? null
    const code =
      srs && srs.organization_coordsys_id > 0 && srs.organization.toUpperCase() === 'EPSG'
        ? `EPSG:${srs.organization_coordsys_id}`
        : null
    return {
      format: `GeoPackage (${table.name})`,
      crs: srs && code === 'EPSG:4326' ? code : crsTextOf(srs?.definition ?? null, code),
      hasGeometry: table.geometry !== null,
      columns: table.columns.map((column) => column.name),
      isText: false,
      batches: () => inputBatchesOf(featuresOf(file.db, table)),
      close: file.close,
    }
  } catch (error) {
    file.close()
    throw error
  }
}

/** Reads columns by position, because their names may be anything. */
function* featuresOf(db: Database, { name, columns, geometry, rows }: PackTableInfo): Generator<ReadFeature> {
  const selected = [
    ...columns.map((column, i) => `${exactText(column)} AS c${i}`),
    ...(geometry ? [`${quoteIdentifier(geometry.column)} AS g`] : []),
  ]
  const select = `SELECT ${selected.join(', ') || '1'} FROM ${quoteIdentifier(name)} ORDER BY rowid`
  let count = 0
  for (const row of db.query<Record<string, unknown>, []>(select).iterate()) {
    const properties: Properties = {}
    for (const [i, column] of columns.entries()) properties[column.name] = valueOf(row[`c${i}`], column.type)
    yield { parts: partsOfBytes(row.g, partsOfBlob), properties, progress: Math.min(1, ++count / Math.max(1, rows)) }
  }
}

/** An integer that no number has exactly is read as text. */
function exactText({ name, type }: PackTableInfo['columns'][number]): string {
  const column = quoteIdentifier(name)
  const max = Number.MAX_SAFE_INTEGER
  return /INT/i.test(type)
    ? `CASE WHEN typeof(${column}) = 'integer' AND ${column} NOT BETWEEN -${max} AND ${max} THEN CAST(${column} AS TEXT) ELSE ${column} END`
    : column
}

function valueOf(value: unknown, type: string): string | number | boolean | null {
  if (type === 'BOOLEAN' && typeof value === 'number') return value !== 0
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** The code followed by the definition. Some programs leave the definition undefined. */
function crsTextOf(definition: string | null, code: string | null): string | null {
  if (definition === null || /^\s*$|^undefined$/i.test(definition)) return code
  return code === null ? definition : `${code} ${definition}`
}
