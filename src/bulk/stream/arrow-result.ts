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
import { columnTypes, resultValueOf } from '../../runs/artifacts/artifact-parquet.ts'
import { typedColumnOf } from '../../runs/artifacts/row-file.ts'

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

/** Writes a result as a stream of Arrow record batches: the columns of the input, unchanged, then those of a result. */
export class ArrowResult {
  /** The length of the schema, which is written once, at the start of the stream. */
  #schema_bytes = 0

  /** Returns the bytes of a batch. `lines`: its answers as JSON, without the columns of the input. */
  bytesOf(lines: Uint8Array, batch: RecordBatch, { shape, fieldTypes }: Pick<BulkJob, 'shape' | 'fieldTypes'>) {
    const { fields } = batch.schema
    const rows = rowsOf(lines)
    const inputColumns = fields.map(({ name }) => name)
    const columns = artifactColumnsOf({ ...shape, inputColumns, isInputFirst: true })
    const inputs = fields.map(({ type, nullable, metadata }, i) => ({
      field: new Field(columns[i]!.name, type, nullable, metadata),
      data: batch.data.children[i]!,
    }))
    // Without the columns of the input, no name of ours is taken.
    const members = artifactColumnsOf({ ...shape, inputColumns: [] })
    const own = columns.slice(fields.length).map((column, i) => {
      const { name, field, type } = typedColumnOf(column, fieldTypes)
      return columnOf({ name, field, type: columnTypes[type], member: members[i]!.name }, rows)
    })
    return this.#write([...inputs, ...own], rows.length)
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

/** `member`: the name of the column in the answers. */
type OwnColumn = { name: string; field: string; type: keyof typeof arrowTypes; member: string }

function columnOf(column: OwnColumn, rows: Row[]): Column {
  const type = arrowTypes[column.type]()
  const values = rows.map((row) => resultValueOf(row[column.member], column))
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
