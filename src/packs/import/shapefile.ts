import { readFileSync } from 'node:fs'
import type { GeometryPart } from '../../geo/wkb-write.ts'
import { PackError } from '../pack-error.ts'
import { openByteReader, type ByteReader } from './byte-reader.ts'
import { openDbf, type DbfTable } from './dbf.ts'
import { findSidecar, inputBatchSize, type InputBatch, type InputFeature, type InputFile } from './input-file.ts'
import { assemblePolygons } from './assemble-polygons.ts'

const header_bytes = 100

/** Opens a shapefile: shapes in `.shp`, attributes in `.dbf`, coordinate system in `.prj`. Does not need the `.shx`. */
export function openShapefile(path: string, name: string): InputFile {
  const stem = path.replace(/\.shp$/i, '')
  const table = findSidecar(stem, 'dbf')
  const prj = findSidecar(stem, 'prj')
  const cpg = findSidecar(stem, 'cpg')
  const bytes = openByteReader(path, name)
  try {
    bytes.skip(header_bytes)
    const dbf =
      table === null ? null : openDbf(table, `${name} (its .dbf)`, cpg === null ? null : readFileSync(cpg, 'latin1'))
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
      batches: () => batchesOf(bytes, dbf, name),
      close,
    }
  } catch (error) {
    bytes.close()
    throw error
  }
}

/** Opens a dBASE table without shapes. */
export function openDbfInput(path: string, name: string): InputFile {
  const cpg = findSidecar(path.replace(/\.dbf$/i, ''), 'cpg')
  const dbf = openDbf(path, name, cpg === null ? null : readFileSync(cpg, 'latin1'))
  return {
    format: 'dBASE',
    crs: null,
    hasGeometry: false,
    columns: dbf.columns,
    isText: false,
    batches: () => tableBatches(dbf),
    close: dbf.close,
  }
}

function* tableBatches(dbf: DbfTable): Generator<InputBatch> {
  for (let row = 0; row < dbf.rows;) {
    const features: InputFeature[] = []
    for (; row < dbf.rows && features.length < inputBatchSize; row++) {
      const properties = dbf.nextRow()
      if (properties) features.push({ parts: [], properties })
    }
    yield { features, progress: row / dbf.rows }
  }
}

function* batchesOf(bytes: ByteReader, dbf: DbfTable | null, name: string): Generator<InputBatch> {
  let features: InputFeature[] = []
  let count = 0
  while (bytes.position() + 8 <= bytes.size) {
    const length = 2 * bytes.take(8).readUInt32BE(4)
    const record = bytes.take(length)
    const parts = partsOf(record, name)
    if (dbf && count >= dbf.rows)
      throw new PackError(
        `${name} has more shapes than its .dbf has rows (${dbf.rows}). The files do not belong together.`,
      )
    count++
    const properties = dbf ? dbf.nextRow() : {}
    if (properties) features.push({ parts, properties })
    if (features.length < inputBatchSize) continue
    yield { features, progress: bytes.position() / bytes.size }
    features = []
  }
  if (dbf && count < dbf.rows)
    throw new PackError(
      `${name} has ${count} shapes, but its .dbf has ${dbf.rows} rows. The .shp is truncated, or the files do not belong together.`,
    )
  yield { features, progress: 1 }
}

/** The parts of a shape. A shape with Z or M values starts like the same shape without them. */
function partsOf(record: Buffer, name: string): GeometryPart[] | 'invalid' {
  const type = record.length < 4 ? 0 : record.readUInt32LE(0)
  if (type === 31)
    throw new PackError(`${name} contains multipatches (3D surfaces). Expected points, lines or polygons.`)
  try {
    switch (type % 10) {
      case 0:
        return []
      case 1:
        return [{ kind: 'point', paths: [readCoordinates(record, 4, 1)] }]
      case 3:
        return readPaths(record).map((path) => ({ kind: 'line', paths: [path] }))
      case 5:
        return assemblePolygons(readPaths(record))
      case 8:
        return Array.from({ length: record.readUInt32LE(36) }, (_, i) => ({
          kind: 'point',
          paths: [readCoordinates(record, 40 + 16 * i, 1)],
        }))
      default:
        return 'invalid'
    }
  } catch (error) {
    if (error instanceof RangeError) return 'invalid'
    throw error
  }
}

function readPaths(record: Buffer): number[][] {
  const parts = record.readUInt32LE(36)
  const points = record.readUInt32LE(40)
  if (44 + 4 * parts + 16 * points > record.length)
    throw new RangeError('The record is shorter than its parts and points.')
  const starts = Array.from({ length: parts }, (_, i) => record.readUInt32LE(44 + 4 * i))
  const first = 44 + 4 * parts
  return starts
    .map((start, i) => readCoordinates(record, first + 16 * start, (starts[i + 1] ?? points) - start))
    .filter((path) => path.length > 0)
}

function readCoordinates(record: Buffer, at: number, points: number): number[] {
  if (points < 0) throw new RangeError('A part ends before it starts.')
  const path: number[] = Array.from({ length: 2 * points })
  for (let i = 0; i < path.length; i++) path[i] = record.readDoubleLE(at + 8 * i)
  return path
}
