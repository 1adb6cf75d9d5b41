import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Properties, Value } from '../../model/source.ts'
import { FileError } from '../file-error.ts'
import {
  fieldTypes,
  parseGeodatabaseSchema,
  type GeodatabaseField,
  type GeodatabaseSchema,
} from './geodatabase-fields.ts'
import { partsOfGeodatabaseGeometry } from './geodatabase-geometry.ts'
import { createPackedNumberReader, type PackedNumbers } from './geodatabase-numbers.ts'
import { listRowOffsets } from './geodatabase-rows.ts'
import type { InputFeature, ReadFeature } from '../input-file.ts'

/** An open table of a file geodatabase. `id`: the number of a row, from 1. */
export type GeodatabaseTable = {
  schema: GeodatabaseSchema
  rows(): Generator<ReadFeature & { id: number }>
  close(): void
}

const header_bytes = 40
const supportedVersion = 3
/** No row and no description of columns is this large. */
const maxPiece_bytes = 64 * 1024 * 1024
const window_bytes = 1024 * 1024

/**
 * Opens a table: rows in `.gdbtable`, their offsets in `.gdbtablx`. `name` stands for it in errors.
 * @throws FileError if it is corrupt or has an unknown version.
 */
export function openGeodatabaseTable(path: string, name: string): GeodatabaseTable {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const read = createWindowReader(file, size, name)
    const header = read(0, header_bytes)
    if (header.readUInt32LE(0) !== supportedVersion)
      throw new FileError(
        `${name} has the table version ${header.readUInt32LE(0)}. Expected ${supportedVersion}, as ArcGIS 9 and 10 write it. Convert it with: ogr2ogr -f GPKG out.gpkg <the .gdb folder> <layer>`,
      )
    const rowCount = header.readUInt32LE(4)
    const fieldsAt = Number(header.readBigUInt64LE(32))
    const schema = translateRangeErrors(name, () =>
      parseGeodatabaseSchema(read(fieldsAt + 4, read(fieldsAt, 4).readUInt32LE(0)), name),
    )
    return {
      schema,
      rows: () => rowsOf({ path, size, read, schema, rowCount, name }),
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

type ReadPiece = (offset: number, length: number) => Buffer

/** Reads pieces of a file. Rows follow each other, so a piece is usually in the window that was read last. */
function createWindowReader(file: number, size: number, name: string): ReadPiece {
  let window: Buffer = Buffer.alloc(0)
  let start = 0
  return (offset, length) => {
    if (length > maxPiece_bytes || offset + length > size)
      throw new FileError(
        `${name} is truncated or corrupt: it declares ${length} bytes at byte ${offset}, but it has ${size} bytes.`,
      )
    if (offset < start || offset + length > start + window.length) {
      window = Buffer.allocUnsafe(Math.min(Math.max(length, window_bytes), size - offset))
      start = offset
      const found = readSync(file, window, 0, window.length, offset)
      if (found < window.length) throw new FileError(`${name} was truncated while it was being read.`)
    }
    return window.subarray(offset - start, offset - start + length)
  }
}

type OpenTable = {
  path: string
  size: number
  read: ReadPiece
  schema: GeodatabaseSchema
  rowCount: number
  name: string
}

function* rowsOf({ path, size, read, schema, rowCount, name }: OpenTable): ReturnType<GeodatabaseTable['rows']> {
  let rows = 0
  let bytes = 0
  for (const { id, offset } of listRowOffsets(path.replace(/table$/i, 'tablx'), name)) {
    const length = read(offset, 4).readUInt32LE(0)
    bytes += 4 + length
    // Offsets of a corrupt file can lead to the same row again and again.
    if (++rows > rowCount || bytes > size) throw rowCountError(name, rowCount)
    const row = read(offset + 4, length)
    yield { id, ...translateRangeErrors(name, () => parseRow(row, schema, name)), progress: rows / rowCount }
  }
  if (rows < rowCount) throw rowCountError(name, rowCount)
}

function rowCountError(name: string, rowCount: number): FileError {
  return new FileError(
    `${name} is a corrupt geodatabase table: it declares ${rowCount} rows but has a different number.`,
  )
}

/** A row starts with one bit for each column that can be null. */
function parseRow(row: Buffer, { fields, geometry, hasUtf8Texts }: GeodatabaseSchema, name: string): InputFeature {
  const reader = createPackedNumberReader(row)
  const nullable = fields.filter(({ isNullable }) => isNullable)
  const nullBits = reader.bytes(Math.ceil(nullable.length / 8))
  const properties: Properties = {}
  let parts: InputFeature['parts'] = []
  let bit = 0
  for (const field of fields) {
    const isNull = field.isNullable && ((nullBits[bit >> 3]! >> (bit++ & 7)) & 1) === 1
    if (field.type === fieldTypes.objectId) continue
    if (field.type === fieldTypes.geometry) {
      if (!isNull) parts = partsOfGeodatabaseGeometry(reader.bytes(reader.varuint()), geometry!.grid, name)
    } else properties[field.name] = isNull ? null : readValue(reader, field, hasUtf8Texts)
  }
  return { parts, properties }
}

function readValue(reader: PackedNumbers, { type }: GeodatabaseField, hasUtf8Texts: boolean): Value {
  switch (type) {
    case fieldTypes.int16:
      return reader.bytes(2).readInt16LE()
    case fieldTypes.int32:
      return reader.bytes(4).readInt32LE()
    case fieldTypes.float32:
      return shortestNumberOf(reader.bytes(4).readFloatLE())
    case fieldTypes.float64:
      return reader.float64()
    case fieldTypes.date:
      return timeOf(reader.float64())
    case fieldTypes.guid:
    case fieldTypes.globalId:
      return guidOf(reader.bytes(16))
    case fieldTypes.binary:
      reader.skip(reader.varuint())
      return null
    default: {
      const bytes = reader.bytes(reader.varuint())
      return bytes.toString(hasUtf8Texts || type === fieldTypes.xml ? 'utf8' : 'utf16le')
    }
  }
}

/** The number with the fewest digits that is stored as this 32-bit number: 0.1 for 0.10000000149. */
function shortestNumberOf(stored: number): number {
  for (let digits = float32Digits.exact; digits < float32Digits.max; digits++) {
    const number = Number(stored.toPrecision(digits))
    if (Math.fround(number) === stored) return number
  }
  return Number(stored.toPrecision(float32Digits.max))
}

/** Up to six digits every number survives 32 bits, and nine digits tell all of them apart. */
const float32Digits = { exact: 6, max: 9 }

/** Times are stored in days since the end of 1899. */
function timeOf(days: number): string | null {
  const time = new Date(Math.round((days - 25_569) * 86_400_000))
  return Number.isNaN(time.getTime()) ? null : time.toISOString().replace('.000Z', 'Z')
}

/** The first three groups are stored as little-endian numbers. */
function guidOf(bytes: Buffer): string {
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
  const digits = order.map((i) => bytes[i]!.toString(16).padStart(2, '0')).join('')
  return `{${digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}}`.toUpperCase()
}

function translateRangeErrors<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new FileError(`${name} is a corrupt geodatabase table: ${cause.message}.`, { cause })
  }
}
