import { FileError } from '../file-error.ts'
import { createPackedNumberReader, type PackedNumbers } from './geodatabase-numbers.ts'

/** How the numbers of a geometry are stored: whole steps of `1 / scale` from an origin. */
export type CoordinateGrid = { x: number; y: number; scale: number }

/** A stored column of a table of a file geodatabase. Its type has the number of the format. */
export type GeodatabaseField = { name: string; type: number; isNullable: boolean }

/** What a table stores: its columns in order, and the geometry if it has one. */
export type GeodatabaseSchema = {
  fields: GeodatabaseField[]
  hasUtf8Texts: boolean
  /** The coordinate system as well-known text, and the grid. Null for a table without a geometry. */
  geometry: { crs: string | null; grid: CoordinateGrid } | null
}

/** The types of columns by their number in the format. */
export const fieldTypes = {
  int16: 0,
  int32: 1,
  float32: 2,
  float64: 3,
  text: 4,
  date: 5,
  objectId: 6,
  geometry: 7,
  binary: 8,
  raster: 9,
  guid: 10,
  globalId: 11,
  xml: 12,
} as const

const nullableFlag = 1
const defaultFlag = 4
const utf8Flag = 0x100
const zFlag = 0x80_00_00_00
const mFlag = 0x40_00_00_00

/** Parses the description of the columns of a table. @throws FileError if it is corrupt or has a column of rasters. */
export function parseGeodatabaseSchema(bytes: Buffer, name: string): GeodatabaseSchema {
  const reader = createPackedNumberReader(bytes)
  reader.skip(4)
  const flags = reader.uint32()
  const count = reader.uint16()
  const schema: GeodatabaseSchema = { fields: [], hasUtf8Texts: (flags & utf8Flag) !== 0, geometry: null }
  for (let i = 0; i < count; i++) {
    const columnName = reader.utf16(2 * reader.uint8())
    const alias_bytes = 2 * reader.uint8()
    reader.skip(alias_bytes)
    const type = reader.uint8()
    if (type === fieldTypes.geometry) {
      if (schema.geometry) throw new FileError(`${name} is a corrupt geodatabase table: it has two geometry columns.`)
      const { isNullable, ...geometry } = readGeometryColumn(reader, flags)
      schema.geometry = geometry
      schema.fields.push({ name: columnName, type, isNullable })
    } else schema.fields.push({ name: columnName, type, isNullable: readColumn(reader, type, { columnName, name }) })
  }
  return schema
}

/** Reads the rest of a column's description. Returns whether its values can be null. */
function readColumn(reader: PackedNumbers, type: number, where: { columnName: string; name: string }): boolean {
  const { text, objectId, binary, guid, globalId, xml, raster } = fieldTypes
  if (type === raster || type > xml)
    throw new FileError(
      `${where.name} has the column ${where.columnName} of a type that cannot be read (${type}). Convert the layer with: ogr2ogr -f GPKG out.gpkg <the .gdb folder> <layer>`,
    )
  reader.skip(type === text ? 4 : 1)
  const flags = reader.uint8()
  const hasDefault = ![objectId, binary, guid, globalId, xml].some((it) => it === type)
  if (hasDefault) {
    const default_bytes = type === text ? reader.varuint() : reader.uint8()
    if ((flags & defaultFlag) !== 0) reader.skip(default_bytes)
  }
  return (flags & nullableFlag) !== 0
}

function readGeometryColumn(reader: PackedNumbers, layerFlags: number) {
  reader.skip(1)
  const flags = reader.uint8()
  const crs = reader.utf16(reader.uint16()).trim()
  const dimensions = reader.uint8()
  const [hasM, hasZ] = [(dimensions & 2) !== 0, (dimensions & 4) !== 0]
  const grid = { x: reader.float64(), y: reader.float64(), scale: reader.float64() }
  // The grids of M and Z, the three tolerances, and the extent.
  reader.skip((hasM ? 16 : 0) + (hasZ ? 16 : 0) + 8 + (hasM ? 8 : 0) + (hasZ ? 8 : 0) + 32)
  reader.skip(((layerFlags & zFlag) !== 0 ? 16 : 0) + ((layerFlags & mFlag) !== 0 ? 16 : 0) + 1)
  const indexGrid_bytes = 8 * reader.uint32()
  reader.skip(indexGrid_bytes)
  return { isNullable: (flags & nullableFlag) !== 0, crs: crs === '' ? null : crs, grid }
}
