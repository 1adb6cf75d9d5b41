import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import type { Properties, Value } from '../../model/source.ts'
import { FileError } from '../file-error.ts'
import { openByteReader, type ByteReader } from '../byte-reader.ts'
import { readRootTable, type FlatbufferTable } from './flatbuffer.ts'
import {
  type InputFeature,
  type InputFile,
  type InputOptions,
  inputBatchesOf,
  type ReadFeature,
} from '../input-file.ts'

const magic_bytes = 8
const node_bytes = 40
const maxHeader_bytes = 10 * 1024 * 1024

type Column = { name: string; type: number }
/** What the header says about the features. `count` is 0 if it does not say how many there are. */
type Layer = { name: string; columns: Column[]; type: number; count: number }

/** Opens a FlatGeobuf 3 file (https://flatgeobuf.org): header, index (skipped), features. */
export function openFlatgeobuf(path: string, name: string, { shapeMax_bytes }: InputOptions): InputFile {
  const bytes = openByteReader(path, name, shapeMax_bytes)
  try {
    const magic = bytes.take(magic_bytes)
    if (magic[3] !== 3) throw new FileError(`${name} is FlatGeobuf version ${magic[3]}. Expected version 3.`)
    const length = bytes.take(4).readUInt32LE(0)
    if (length > maxHeader_bytes) throw new FileError(`${name} is corrupt: it declares a header of ${length} bytes.`)
    // The reader reuses its buffer; the header must be copied because it is needed until the end.
    const header = readRootTable(Buffer.from(bytes.take(length)))
    const layer = { name, columns: columnsOf(header), type: header.uint8(2), count: header.uint64(8) }
    bytes.skip(indexLength(layer.count, header.uint16(9, 16)))
    return {
      format: 'FlatGeobuf',
      crs: crsOf(header.table(10)),
      hasGeometry: true,
      columns: layer.columns.map((column) => column.name),
      isText: false,
      batches: () => inputBatchesOf(featuresOf(bytes, layer)),
      close: bytes.close,
    }
  } catch (error) {
    bytes.close()
    if (error instanceof RangeError)
      throw new FileError(`${name} is a corrupt FlatGeobuf: its header cannot be read.`, { cause: error })
    throw error
  }
}

function columnsOf(table: FlatbufferTable, field = 7): Column[] {
  return table.tables(field).map((column) => ({ name: column.text(0) ?? '', type: column.uint8(1) }))
}

function crsOf(crs: FlatbufferTable | null): string | null {
  if (!crs) return null
  const code = crs.int32(1)
  return code > 0 ? `${crs.text(0) || 'EPSG'}:${code}` : crs.text(4)
}

function indexLength(features: number, nodeSize: number): number {
  if (features === 0 || nodeSize < 2) return 0
  let nodes = features
  for (let level = features; level > 1;) {
    level = Math.ceil(level / nodeSize)
    nodes += level
  }
  return nodes * node_bytes
}

/** @throws FileError if the file has fewer features than its header says. */
function* featuresOf(bytes: ByteReader, layer: Layer): Generator<ReadFeature> {
  let count = 0
  for (; bytes.position() < bytes.size; count++) {
    const feature = inputFeatureOf(bytes.take(bytes.take(4).readUInt32LE(0)), layer)
    yield { ...feature, progress: bytes.position() / bytes.size }
  }
  if (count < layer.count)
    throw new FileError(
      `${layer.name} is truncated: it has ${count} of its ${layer.count} features. Copy the file again.`,
    )
}

function inputFeatureOf(bytes: Buffer, { name, columns, type }: Layer): InputFeature {
  try {
    const feature = readRootTable(bytes)
    const featureColumns = feature.has(2) ? columnsOf(feature, 2) : columns
    const properties = propertiesOf(feature, featureColumns)
    const geometry = feature.table(0)
    return { parts: geometry ? (partsOf(geometry, type, 0) ?? 'invalid') : [], properties }
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new FileError(`${name} is a corrupt FlatGeobuf: a feature cannot be read.`, { cause })
    throw cause
  }
}

/** The parts of a geometry; `null` for curves and surfaces, which are not supported. */
function partsOf(geometry: FlatbufferTable, layerType: number, depth: number): GeometryPart[] | null {
  const type = geometry.uint8(6) || layerType
  const path = (from: number, to: number) => coordinates(geometry, from, to)
  const points = geometry.vector(1, 8).length / 2
  if (type === 1) return points === 0 ? [] : [{ kind: 'point', paths: [path(0, 1)] }]
  if (type === 4) return Array.from({ length: points }, (_, i) => ({ kind: 'point', paths: [path(i, i + 1)] }))
  if (type === 2) return points === 0 ? [] : [{ kind: 'line', paths: [path(0, points)] }]
  if (type === 5) return pathsOf(geometry, points).map((it) => ({ kind: 'line', paths: [it] }))
  if (type === 3) return points === 0 ? [] : [{ kind: 'polygon', paths: pathsOf(geometry, points) }]
  if ((type === 6 || type === 7) && depth < 8) {
    const parts = geometry.tables(7).map((part) => partsOf(part, type === 6 ? 3 : 0, depth + 1))
    return parts.some((part) => part === null) ? null : parts.flatMap((part) => part!)
  }
  return null
}

function pathsOf(geometry: FlatbufferTable, points: number): number[][] {
  const { at, length } = geometry.vector(0, 4)
  if (length === 0) return [coordinates(geometry, 0, points)]
  const ends = Array.from({ length }, (_, i) => geometry.bytes.readUInt32LE(at + 4 * i))
  return ends.map((end, i) => coordinates(geometry, i === 0 ? 0 : ends[i - 1]!, end)).filter((path) => path.length > 0)
}

function coordinates(geometry: FlatbufferTable, from: number, to: number): number[] {
  const { at } = geometry.vector(1, 8)
  const path: number[] = []
  for (let i = 2 * from; i < 2 * to; i++) path.push(geometry.bytes.readDoubleLE(at + 8 * i))
  return path
}

function propertiesOf(feature: FlatbufferTable, columns: Column[]): Properties {
  const properties: Properties = {}
  const { at, length } = feature.vector(1, 1)
  const { bytes } = feature
  for (let i = at; i + 2 <= at + length;) {
    const column = columns[bytes.readUInt16LE(i)]
    if (!column) throw new RangeError('A property refers to a missing column.')
    const [value, next] = valueAt(bytes, i + 2, column.type)
    properties[column.name] = value
    i = next
  }
  return properties
}

/** Reads a value by FlatGeobuf's column type number. Returns the value and the offset after it. */
function valueAt(bytes: Buffer, at: number, type: number): [Value, number] {
  switch (type) {
    case 0:
      return [bytes.readInt8(at), at + 1]
    case 1:
      return [bytes.readUInt8(at), at + 1]
    case 2:
      return [bytes.readUInt8(at) !== 0, at + 1]
    case 3:
      return [bytes.readInt16LE(at), at + 2]
    case 4:
      return [bytes.readUInt16LE(at), at + 2]
    case 5:
      return [bytes.readInt32LE(at), at + 4]
    case 6:
      return [bytes.readUInt32LE(at), at + 4]
    case 7:
      return [numberOrText(bytes.readBigInt64LE(at)), at + 8]
    case 8:
      return [numberOrText(bytes.readBigUInt64LE(at)), at + 8]
    case 9:
      return [bytes.readFloatLE(at), at + 4]
    case 10:
      return [bytes.readDoubleLE(at), at + 8]
    case 11:
    case 12:
    case 13:
    case 14: {
      const end = at + 4 + bytes.readUInt32LE(at)
      return [type === 14 ? null : bytes.toString('utf8', at + 4, end), end]
    }
    default:
      throw new RangeError(`Unknown column type ${type}.`)
  }
}

/** An integer as a number if that is exact, otherwise as text. */
export function numberOrText(value: bigint): number | string {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : String(value)
}
