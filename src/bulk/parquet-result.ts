import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { ParquetWriter, schemaFromColumnData, type BasicType } from 'hyparquet-writer'
import { fileWriter } from 'hyparquet-writer/src/node.js'
import type { Field } from '../catalog/records.ts'
import { artifactColumnsOf, type ArtifactShape } from '../runs/artifact-columns.ts'

/** The types of the fields of a result, by name. */
export type FieldTypes = Readonly<Record<string, Field['type']>>

/** A row group is in memory as a whole. */
const groupRows = 32_768
const wkbPoint_bytes = 21

type Column = { name: string; type: BasicType }

/**
 * Writes a result of JSON lines as GeoParquet, with the points that were used as geometry. The same lines make the same
 * bytes.
 */
export async function writeParquetFile(lines: string, target: string, shape: ArtifactShape, types: FieldTypes) {
  const columns: Column[] = artifactColumnsOf(shape).map(({ name }) => ({ name, type: typeOf(name, shape, types) }))
  const geometry = freeNameOf('geometry', columns)
  const schema = schemaFromColumnData({
    columnData: [...columns, { name: geometry, type: 'BYTE_ARRAY' as const }].map((it) => ({ ...it, data: [] })),
  })
  const writer = fileWriter(target)
  const parquet = new ParquetWriter({ writer, schema, kvMetadata: [{ key: 'geo', value: geoMetadata(geometry) }] })
  let rows: Record<string, unknown>[] = []
  const writeGroup = () => {
    if (rows.length === 0) return
    const columnData = columns.map(({ name, type }) => ({ name, data: rows.map((row) => valueOf(row[name], type)) }))
    const points = { name: geometry, data: rows.map(pointOf) }
    void parquet.write({ columnData: [...columnData, points], rowGroupSize: groupRows })
    rows = []
  }
  for await (const line of createInterface({ input: createReadStream(lines), crlfDelay: Infinity })) {
    rows.push(JSON.parse(line) as Record<string, unknown>)
    if (rows.length >= groupRows) writeGroup()
  }
  writeGroup()
  void parquet.finish()
}

/** The types of the columns do not depend on the values, so that all shards have the same ones. */
function typeOf(name: string, { fields, marginFields }: ArtifactShape, types: FieldTypes): BasicType {
  if (name === 'index') return 'INT64'
  if (name === 'ok') return 'BOOLEAN'
  if (name === 'lat' || name === 'lng' || name === 'geocode_accuracy_score') return 'DOUBLE'
  if (marginFields.some((field) => name === `${field}_moe`)) return 'DOUBLE'
  if (!fields.includes(name)) return 'STRING'
  const byFieldType = {
    float: 'DOUBLE',
    integer: 'INT64',
    boolean: 'BOOLEAN',
    string: 'STRING',
    list: 'STRING',
  } as const
  return byFieldType[types[name] ?? 'string']
}

function valueOf(value: unknown, type: BasicType): unknown {
  if (value === null || value === undefined) return null
  if (type === 'INT64') return BigInt(value as number)
  if (type !== 'STRING' || typeof value === 'string') return value
  return Array.isArray(value) ? value.join(';') : JSON.stringify(value)
}

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
