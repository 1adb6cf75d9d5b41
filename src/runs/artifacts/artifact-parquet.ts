import { ByteWriter, ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer'
import type { Field } from '../../catalog/records.ts'
import { artifactColumnsOf, type ArtifactShape } from './artifact-columns.ts'

/** The types of the fields of a result, by name. A field that is not here is text. */
export type FieldTypes = Readonly<Record<string, Field['type']>>

/** What decides about the columns of a file and their types. */
export type TypedShape = ArtifactShape & { fieldTypes: FieldTypes }

/** A file, and how many of its rows are in memory at a time. */
export type ParquetShape = TypedShape & { groupRows: number }

/** A value is not of the type of its field in the catalog. */
export class FieldTypeError extends Error {
  readonly field: string

  constructor(field: string, type: BasicType, value: unknown) {
    super(`The value ${JSON.stringify(value)} of ${field} is not of the type ${type}.`)
    this.field = field
  }
}

type Column = { name: string; type: ColumnType }

/**
 * Writes rows as GeoParquet, with the points that were used as geometry. `write` receives the bytes in order, after
 * each group of rows. The same rows make the same bytes.
 */
export class ParquetRows {
  readonly #columns: Column[]
  readonly #geometry: string
  readonly #groupRows: number
  readonly #bytes = new ByteWriter()
  readonly #parquet: ParquetWriter
  readonly #write: (bytes: Uint8Array) => void
  #rows: Record<string, unknown>[] = []

  constructor({ groupRows, ...shape }: ParquetShape, write: (bytes: Uint8Array) => void) {
    this.#columns = artifactColumnsOf(shape).map(({ name }) => ({ name, type: resultTypeOf(name, shape) }))
    this.#geometry = freeNameOf('geometry', this.#columns)
    this.#groupRows = groupRows
    this.#write = write
    const columns = [...this.#columns, { name: this.#geometry, type: 'BYTE_ARRAY' as const }]
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: columns.map((column) => ({ ...column, data: [] })) }),
      kvMetadata: [{ key: 'geo', value: geoMetadata(this.#geometry) }],
    })
  }

  /** Adds a row, with its values by the names of the columns. @throws {FieldTypeError} at the end of a group */
  add(row: Record<string, unknown>): void {
    this.#rows.push(row)
    if (this.#rows.length >= this.#groupRows) this.#writeGroup()
  }

  finish(): void {
    if (this.#rows.length > 0) this.#writeGroup()
    void this.#parquet.finish()
    this.#flush()
  }

  #writeGroup(): void {
    const rows = this.#rows
    this.#rows = []
    const columnData = this.#columns.map((column) => ({
      name: column.name,
      data: rows.map((row) => resultValueOf(row[column.name], column)),
    }))
    const points = { name: this.#geometry, data: rows.map(pointOf) }
    void this.#parquet.write({ columnData: [...columnData, points], rowGroupSize: this.#groupRows })
    this.#flush()
  }

  #flush(): void {
    this.#write(this.#bytes.getBytes().slice())
    this.#bytes.index = 0
  }
}

type ColumnType = 'INT64' | 'BOOLEAN' | 'DOUBLE' | 'STRING'

/** Returns the type of a column. It does not depend on the values, so that all parts of a result have the same types. */
export function resultTypeOf(name: string, { fields, marginFields, fieldTypes }: TypedShape): ColumnType {
  if (name === 'index' || name === 'original_index') return 'INT64'
  if (name === 'ok') return 'BOOLEAN'
  if (name === 'lat' || name === 'lng' || name === 'geocode_accuracy') return 'DOUBLE'
  if (marginFields.some((field) => name === `${field}_moe`)) return 'DOUBLE'
  if (!fields.includes(name)) return 'STRING'
  const byFieldType = {
    float: 'DOUBLE',
    integer: 'INT64',
    boolean: 'BOOLEAN',
    string: 'STRING',
    list: 'STRING',
  } as const
  return byFieldType[fieldTypes[name] ?? 'string']
}

/** Returns a value in the type of its column. @throws {FieldTypeError} */
export function resultValueOf(value: unknown, { name, type }: Column): unknown {
  if (value === null || value === undefined) return null
  if (type === 'STRING') {
    if (typeof value === 'string') return value
    return Array.isArray(value) ? value.join(';') : JSON.stringify(value)
  }
  if (type === 'INT64' && Number.isSafeInteger(value)) return BigInt(value as number)
  if (typeof value === (type === 'BOOLEAN' ? 'boolean' : 'number') && type !== 'INT64') return value
  throw new FieldTypeError(name, type, value)
}
const wkbPoint_bytes = 21

/** Returns the point of an answered row as WKB, or null. */
function pointOf({ ok, lat, lng }: Record<string, unknown>): Uint8Array | null {
  if (ok !== true || typeof lat !== 'number' || typeof lng !== 'number') return null
  const wkb = new DataView(new ArrayBuffer(wkbPoint_bytes))
  wkb.setUint8(0, 1)
  wkb.setUint32(1, 1, true)
  wkb.setFloat64(5, lng, true)
  wkb.setFloat64(13, lat, true)
  return new Uint8Array(wkb.buffer)
}

/** The metadata of GeoParquet 1.1. Without a coordinate system, it is longitude and latitude on WGS 84. */
function geoMetadata(column: string): string {
  const columns = { [column]: { encoding: 'WKB', geometry_types: ['Point'] } }
  return JSON.stringify({ version: '1.1.0', primary_column: column, columns })
}

function freeNameOf(name: string, columns: Column[]): string {
  return columns.some((column) => column.name === name) ? freeNameOf(`${name}_point`, columns) : name
}
