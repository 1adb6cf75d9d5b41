import {
  Bool,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
  type Data,
} from 'apache-arrow'
import type { BulkJob } from '../bulk-job.ts'
import { artifactColumnsOf } from '../../runs/artifacts/artifact-columns.ts'
import { resultTypeOf, resultValueOf } from '../../runs/artifacts/artifact-parquet.ts'

type Row = Record<string, unknown>
type Column = { field: Field; data: Data }

const arrowTypes = {
  DOUBLE: () => new Float64(),
  INT64: () => new Int64(),
  BOOLEAN: () => new Bool(),
  STRING: () => new Utf8(),
}

/** The end of a stream: a message of length 0. */
const endOfStream = new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0])

/** Writes a result as a stream of Arrow record batches: the columns of a result, then those of the input, unchanged. */
export class ArrowResult {
  /** The length of the schema, which is written once, at the start of the stream. */
  #schema_bytes = 0

  /** Returns the bytes of a batch. `lines`: its answers as JSON, without the columns of the input. */
  bytesOf(lines: Uint8Array, batch: RecordBatch, { shape, fieldTypes }: Pick<BulkJob, 'shape' | 'fieldTypes'>) {
    const { fields } = batch.schema
    const names = artifactColumnsOf({ ...shape, inputColumns: fields.map(({ name }) => name) }).map(({ name }) => name)
    const rows = rowsOf(lines)
    const own = names
      .slice(0, names.length - fields.length)
      .map((name) => columnOf({ name, type: resultTypeOf(name, { ...shape, fieldTypes }) }, rows))
    const inputs = fields.map(({ type, nullable, metadata }, i) => ({
      field: new Field(names[own.length + i]!, type, nullable, metadata),
      data: batch.data.children[i]!,
    }))
    return this.#write([...own, ...inputs], rows.length)
  }

  /** Returns the last bytes of the stream. */
  end(): Uint8Array {
    return this.#schema_bytes === 0 ? new Uint8Array() : endOfStream
  }

  #write(columns: Column[], length: number): Uint8Array {
    const schema = new Schema(columns.map(({ field }) => field))
    const type = new Struct(schema.fields)
    const data = makeData({ type, length, nullCount: 0, children: columns.map((it) => it.data) })
    const bytes = streamOf(length === 0 ? [] : [new RecordBatch(schema, data)], schema)
    if (this.#schema_bytes > 0) return bytes.subarray(this.#schema_bytes, -endOfStream.length)
    this.#schema_bytes = streamOf([], schema).length - endOfStream.length
    return bytes.subarray(0, -endOfStream.length)
  }
}

function columnOf(column: { name: string; type: keyof typeof arrowTypes }, rows: Row[]): Column {
  const type = arrowTypes[column.type]()
  const values = rows.map((row) => resultValueOf(row[column.name], column))
  return { field: new Field(column.name, type, true), data: vectorFromArray(values, type).data[0]! }
}

function rowsOf(lines: Uint8Array): Row[] {
  const texts = new TextDecoder().decode(lines).split('\n').slice(0, -1)
  return texts.map((line) => JSON.parse(line) as Row)
}

/** Returns a complete stream with these batches. */
function streamOf(batches: RecordBatch[], schema: Schema): Uint8Array {
  const writer = new RecordBatchStreamWriter()
  writer.reset(undefined, schema)
  for (const batch of batches) writer.write(batch)
  writer.finish()
  return writer.toUint8Array(true)
}
