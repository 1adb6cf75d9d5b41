import type { Field } from '../../catalog/records.ts'
import { partsOfGeoJson } from '../../files/geojson/geojson-parts.ts'
import type { ArtifactColumn } from './artifact-columns.ts'
import { storedValueOf } from './csv-cell.ts'

/** The types of the fields of a result, by name. A field that is not here is text. */
export type FieldTypes = Readonly<Record<string, Field['type']>>

/** The formats of result files that are not text. */
export const rowFileFormats = ['parquet', 'xlsx', 'gpkg'] as const
export type RowFileFormat = (typeof rowFileFormats)[number]

/** Writes rows to a file, each with its geometry as GeoJSON, and the values of its columns in order. */
export type RowFile = {
  add(geometry: unknown, values: readonly unknown[]): void
  finish(): void
  /** Frees what an unfinished file holds. */
  close(): void
}

/**
 * The columns of a file, and how many of its rows are in memory at a time. `hasAreas`: the geometries are not points.
 */
export type RowFileSpec = {
  columns: readonly ArtifactColumn[]
  fieldTypes: FieldTypes
  hasAreas: boolean
  groupRows: number
}

/**
 * Where a file is written. A GeoPackage is a database, so it is written at `path`. The bytes of the other formats are
 * passed to `write`, in order.
 */
export type RowFileTarget = { path: string; write(bytes: Uint8Array): void }

/** Opens a result file, and loads the code of its format. The same rows make the same bytes. */
export async function openRowFile(
  format: RowFileFormat,
  spec: RowFileSpec,
  { path, write }: RowFileTarget,
): Promise<RowFile> {
  const columns = spec.columns.map((column) => ({
    ...typedColumnOf(column, spec.fieldTypes),
    header: column.header ?? column.name,
    isCopied: column.header !== undefined,
  }))
  if (format === 'xlsx') {
    const { WorkbookRows } = await import('./artifact-xlsx.ts')
    return new WorkbookRows(columns, write)
  }
  if (format === 'parquet') {
    const { ParquetRows } = await import('./artifact-parquet.ts')
    return new ParquetRows({ ...spec, columns }, write)
  }
  const { GeopackageRows } = await import('../../files/geopackage/geopackage-rows.ts')
  const rows = new GeopackageRows(path, { columns, type: spec.hasAreas ? 'GEOMETRY' : 'POINT' })
  return {
    add: (geometry, values) => rows.add(partsOfGeoJson(geometry), values.map(storedValueOf)),
    finish: () => rows.finish(),
    close: () => rows.close(),
  }
}

/** Returns a column with the type of its values. `field`: the field whose values it has, or its own name. */
export function typedColumnOf(
  { name, kind }: Pick<ArtifactColumn, 'name' | 'kind'>,
  fieldTypes: FieldTypes,
): { name: string; field: string; type: Field['type'] } {
  if (typeof kind === 'string') return { name, field: name, type: kind }
  return { name, field: kind.field, type: fieldTypes[kind.field] ?? 'string' }
}
