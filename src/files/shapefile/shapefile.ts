import { readFileSync } from 'node:fs'
import { findSidecar, openByteReader } from '../byte-reader.ts'
import { readDbf, type DbfTable } from './dbf.ts'
import { type InputFile, type InputOptions, inputBatchesOf, type ReadFeature } from '../input-file.ts'
import { readShapes } from './shape-records.ts'

/** Opens a shapefile: shapes in `.shp`, attributes in `.dbf`, coordinate system in `.prj`. Does not need the `.shx`. */
export function openShapefile(path: string, name: string, options: InputOptions): InputFile {
  const stem = path.replace(/\.shp$/i, '')
  const table = findSidecar(stem, 'dbf')
  const prj = findSidecar(stem, 'prj')
  const cpg = findSidecar(stem, 'cpg')
  const bytes = openByteReader(path, name, options.shapeMax_bytes)
  try {
    const dbf = table === null ? null : openDbf(table, `${name} (its .dbf)`, cpg, options)
    const close = () => {
      bytes.close()
      dbf?.close()
    }
    return {
      format: 'Shapefile',
      crs: prj === null ? null : readFileSync(prj, 'utf8').trim() || null,
      hasGeometry: true,
      columns: dbf?.columns ?? [],
      isText: false,
      batches: () => inputBatchesOf(readShapes(bytes, dbf, name)),
      close,
    }
  } catch (error) {
    bytes.close()
    throw error
  }
}

/** Opens a dBASE table without shapes. */
export function openDbfInput(path: string, name: string, options: InputOptions): InputFile {
  const cpg = findSidecar(path.replace(/\.dbf$/i, ''), 'cpg')
  const dbf = openDbf(path, name, cpg, options)
  return {
    format: 'dBASE',
    crs: null,
    hasGeometry: false,
    columns: dbf.columns,
    isText: false,
    batches: () => inputBatchesOf(rowsOf(dbf)),
    close: dbf.close,
  }
}

function openDbf(path: string, name: string, cpg: string | null, { keepsText = false }: InputOptions): DbfTable {
  return readDbf(openByteReader(path, name), name, cpg === null ? null : readFileSync(cpg, 'latin1'), keepsText)
}

function* rowsOf(dbf: DbfTable): Generator<ReadFeature> {
  for (let row = 1; row <= dbf.rows; row++) {
    const properties = dbf.nextRow()
    if (properties) yield { parts: [], properties, progress: row / dbf.rows }
  }
}
