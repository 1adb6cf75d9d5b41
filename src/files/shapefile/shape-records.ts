import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import { FileError } from '../file-error.ts'
import { assemblePolygons } from '../assemble-polygons.ts'
import { viewOfBytes, type ByteSource } from '../byte-source.ts'
import type { DbfTable } from './dbf.ts'
import type { ReadFeature } from '../input-file.ts'

const header_bytes = 100
/** Where the header has the length of the file, in words of two bytes. */
const lengthOffset = 24

/**
 * Reads the shapes of a shapefile with their attributes.
 * @throws FileError if the file is truncated, or does not belong to its table.
 */
export function* readShapes(bytes: ByteSource, dbf: DbfTable | null, name: string): Generator<ReadFeature> {
  const stated_bytes = 2 * viewOfBytes(bytes.take(header_bytes)).getUint32(lengthOffset)
  if (stated_bytes > bytes.size)
    throw new FileError(
      `${name} is truncated: its header says that it has ${stated_bytes.toLocaleString('en-US')} bytes, and it has ${bytes.size.toLocaleString('en-US')}. Copy the file again.`,
    )
  let count = 0
  while (bytes.position() + 8 <= bytes.size) {
    const length = 2 * viewOfBytes(bytes.take(8)).getUint32(4)
    const record = viewOfBytes(bytes.take(length))
    const parts = partsOf(record, name)
    if (dbf && count >= dbf.rows)
      throw new FileError(
        `${name} has more shapes than its .dbf has rows (${dbf.rows}). The files do not belong together.`,
      )
    count++
    const properties = dbf ? dbf.nextRow() : {}
    if (properties) yield { parts, properties, progress: bytes.position() / bytes.size }
  }
  if (dbf && count < dbf.rows)
    throw new FileError(
      `${name} has ${count} shapes, but its .dbf has ${dbf.rows} rows. The .shp is truncated, or the files do not belong together.`,
    )
}

/** The parts of a shape. A shape with Z or M values starts like the same shape without them. */
function partsOf(record: DataView, name: string): GeometryPart[] | 'invalid' {
  const type = record.byteLength < 4 ? 0 : record.getUint32(0, true)
  if (type === 31)
    throw new FileError(`${name} contains multipatches (3D surfaces). Expected points, lines or polygons.`)
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
        return Array.from({ length: record.getUint32(36, true) }, (_, i) => ({
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

function readPaths(record: DataView): number[][] {
  const parts = record.getUint32(36, true)
  const points = record.getUint32(40, true)
  if (44 + 4 * parts + 16 * points > record.byteLength)
    throw new RangeError('The record is shorter than its parts and points.')
  const starts = Array.from({ length: parts }, (_, i) => record.getUint32(44 + 4 * i, true))
  const first = 44 + 4 * parts
  return starts
    .map((start, i) => readCoordinates(record, first + 16 * start, (starts[i + 1] ?? points) - start))
    .filter((path) => path.length > 0)
}

function readCoordinates(record: DataView, at: number, points: number): number[] {
  if (points < 0) throw new RangeError('A part ends before it starts.')
  const path: number[] = Array.from({ length: 2 * points })
  for (let i = 0; i < path.length; i++) path[i] = record.getFloat64(at + 8 * i, true)
  return path
}
