import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '../file-error.ts'
import { fieldTypes } from './geodatabase-fields.ts'
import { openGeodatabaseTable } from './geodatabase-table.ts'
import { type InputFile, type InputOptions, inputBatchesOf } from '../input-file.ts'
import { chooseLayer } from '../layer-choice.ts'

/** The table that lists all tables. */
export const geodatabaseCatalog = geodatabaseTableName(1)

/** The files of a table by its number, without extension. */
export function geodatabaseTableName(id: number): string {
  return `a${id.toString(16).padStart(8, '0')}`
}

/** The files that make up a table: its rows and their offsets. */
export const geodatabaseExtensions = ['.gdbtable', '.gdbtablx']

/** A table that is not a system table: its name and its number. */
type NamedTable = { name: string; id: number }

/**
 * Chooses a layer or table of a file geodatabase, whose catalog of tables is in `folder`.
 * @throws FileError if the catalog is corrupt, or no layer can be chosen.
 */
export function chooseGeodatabaseTable(folder: string, name: string, options: InputOptions): NamedTable {
  const tables = listTables(folder, name)
  if (tables.length === 0) throw new FileError(`${name} is a file geodatabase without layers or tables.`)
  return chooseLayer(tables, options, name)
}

/** Opens a layer or table of a file geodatabase (`.gdb`). */
export function openGeodatabase(folder: string, name: string, options: InputOptions): InputFile {
  const { name: layer, id } = chooseGeodatabaseTable(folder, name, options)
  const path = join(folder, `${geodatabaseTableName(id)}.gdbtable`)
  if (!existsSync(path))
    throw new FileError(
      `${name} has no file for the table ${layer} (${geodatabaseTableName(id)}.gdbtable). It may be compressed. Convert it with: ogr2ogr -f GPKG out.gpkg <the .gdb folder> ${layer}`,
    )
  const table = openGeodatabaseTable(path, `${layer} of ${name}`)
  const { fields, geometry } = table.schema
  const crs = geometry?.crs ?? null
  return {
    format: `File geodatabase (${layer})`,
    crs,
    hasGeometry: geometry !== null,
    columns: fields.filter(({ type }) => !isRowIdOrGeometry(type)).map((field) => field.name),
    isText: false,
    batches: () => inputBatchesOf(table.rows()),
    close: table.close,
  }
}

const isRowIdOrGeometry = (type: number) => type === fieldTypes.objectId || type === fieldTypes.geometry
const systemTable = /^GDB_/i

function listTables(folder: string, name: string): NamedTable[] {
  const catalog = openGeodatabaseTable(join(folder, `${geodatabaseCatalog}.gdbtable`), `The catalog of ${name}`)
  try {
    const tables: NamedTable[] = []
    for (const { id, properties } of catalog.rows()) {
      const { Name: tableName } = properties
      if (typeof tableName === 'string' && !systemTable.test(tableName)) tables.push({ name: tableName, id })
    }
    return tables
  } finally {
    catalog.close()
  }
}
