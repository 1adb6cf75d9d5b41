import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import type { Field } from '../../catalog/records.ts'
import { writeGeometry } from '../../geo/text/wkb-write.ts'
import { partsOfGeoJson } from '../../files/geojson/geojson-parts.ts'
import { FieldTypeError } from './artifact-columns.ts'
import { storedValueOf } from './csv-cell.ts'

type Column = { name: string; field: string; type: ColumnType }
type ParquetSpec = {
  /** `field`: the field whose values a column has. */
  columns: readonly { name: string; field: string; type: Field['type'] }[]
  hasAreas: boolean
  groupRows: number
}
type Row = { geometry: unknown; values: readonly unknown[] }

/** Writes rows as GeoParquet. `write` receives the bytes in order, after each group of rows. */
export class ParquetRows {
  readonly #columns: Column[]
  readonly #geometry: string
  readonly #groupRows: number
  readonly #bytes = new ByteWriter()
  readonly #parquet: ParquetWriter
  readonly #write: (bytes: Uint8Array) => void
  #rows: Row[] = []

  constructor({ columns, hasAreas, groupRows }: ParquetSpec, write: (bytes: Uint8Array) => void) {
    this.#columns = columns.map(({ type, ...column }) => ({ ...column, type: columnTypes[type] }))
    this.#geometry = freeNameOf('geometry', this.#columns)
    this.#groupRows = groupRows
    this.#write = write
    const all = [...this.#columns, { name: this.#geometry, type: 'BYTE_ARRAY' as const }]
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: all.map(({ name, type }) => ({ name, type, data: [] })) }),
      kvMetadata: [{ key: 'geo', value: geoMetadata(this.#geometry, hasAreas ? [] : ['Point']) }],
    })
  }

  /** Adds a row. @throws {FieldTypeError} at the end of a group */
  add(geometry: unknown, values: readonly unknown[]): void {
    this.#rows.push({ geometry, values })
    if (this.#rows.length >= this.#groupRows) this.#writeGroup()
  }

  finish(): void {
    if (this.#rows.length > 0) this.#writeGroup()
    void this.#parquet.finish()
    this.#flush()
  }

  close(): void {}

  #writeGroup(): void {
    const rows = this.#rows
    this.#rows = []
    const columnData = this.#columns.map((column, i) => ({
      name: column.name,
      data: rows.map(({ values }) => resultValueOf(values[i], column)),
    }))
    const geometries = { name: this.#geometry, data: rows.map(({ geometry }) => wkbOf(geometry)) }
    void this.#parquet.write({ columnData: [...columnData, geometries], rowGroupSize: this.#groupRows })
    this.#flush()
  }

  #flush(): void {
    this.#write(this.#bytes.getBytes().slice())
    this.#bytes.index = 0
  }
}

/** The types of the columns do not depend on the values, so that all parts of a result have the same ones. */
export const columnTypes = {
  float: 'DOUBLE',
  integer: 'INT64',
  boolean: 'BOOLEAN',
  string: 'STRING',
  list: 'STRING',
} as const
type ColumnType = (typeof columnTypes)[Field['type']]

/** Returns a value in the type of its column. @throws {FieldTypeError} */
export function resultValueOf(value: unknown, { field, type }: Pick<Column, 'field' | 'type'>): unknown {
  if (value === null || value === undefined) return null
  if (type === 'STRING') return typeof value === 'string' ? value : String(storedValueOf(value))
  if (type === 'INT64' && Number.isSafeInteger(value)) return BigInt(value as number)
  if (typeof value === (type === 'BOOLEAN' ? 'boolean' : 'number') && type !== 'INT64') return value
  throw new FieldTypeError(field, type, value)
}

/** Before the WKB of a GeoPackage geometry is its envelope. */
const envelope_bytes = 40

function wkbOf(geometry: unknown): Uint8Array | null {
  const parts = partsOfGeoJson(geometry)
  return parts.length === 0 ? null : writeGeometry(parts).blob.slice(envelope_bytes)
}

/** The metadata of GeoParquet 1.1. Without a coordinate system, it is longitude and latitude on WGS 84. */
function geoMetadata(column: string, geometry_types: string[]): string {
  const columns = { [column]: { encoding: 'WKB', geometry_types } }
  return JSON.stringify({ version: '1.1.0', primary_column: column, columns })
}

function freeNameOf(name: string, columns: Column[]): string {
  return columns.some((column) => column.name === name) ? freeNameOf(`${name}_point`, columns) : name
}
