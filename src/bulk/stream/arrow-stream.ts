import { RecordBatch, RecordBatchReader } from 'apache-arrow'
import { readUploadHeader, uploadError, type UploadTable } from '../../runs/upload/upload-table.ts'
import { csvRecordOf } from '../csv-chunks.ts'
import { locationNamesOf, type StreamBlock, type StreamOptions } from './stream-rows.ts'

/** Rows of a stream with the columns that they arrived in. */
export type ArrowBlock = StreamBlock & { batch: RecordBatch }

/**
 * Reads a stream of Arrow record batches (the IPC streaming format). The table of its blocks has the location columns
 * only.
 * @throws {ValidationError} if the bytes are no such stream, or there is no location column.
 */
export async function* readArrowStream(
  bytes: AsyncIterable<Uint8Array>,
  { kind, format, rowsPerBlock }: StreamOptions,
): AsyncGenerator<ArrowBlock> {
  const reader = await openReader(bytes)
  if (!reader) return
  const columnsOf = async (header: string[]) =>
    readUploadHeader({ line: 1, text: csvRecordOf(header).trimEnd() }, [], { delimiter: ',', kind, format })
  const shared = { kind, delimiter: ',', firstLine: null }
  const all: UploadTable = { ...shared, columns: await columnsOf(reader.schema.fields.map(({ name }) => name)) }
  const names = locationNamesOf(all)
  const table: UploadTable = { ...shared, columns: await columnsOf(names) }
  const positions = names.map((name) => all.columns.header.indexOf(name))
  let first = 0
  yield blockOf(new RecordBatch(reader.schema, undefined))
  for await (const batch of readBatches(reader))
    for (let from = 0; from < batch.numRows; from += rowsPerBlock(table))
      yield blockOf(batch.slice(from, Math.min(batch.numRows, from + rowsPerBlock(table))))

  function blockOf(batch: RecordBatch): ArrowBlock {
    const vectors = positions.map((position) => batch.getChildAt(position)!)
    let text = ''
    for (let row = 0; row < batch.numRows; row++)
      text += csvRecordOf(vectors.map((vector) => plainValueOf(vector.get(row))))
    first += batch.numRows
    return { table, first: first - batch.numRows, rows: batch.numRows, text, line: 1, batch }
  }
}

/** Opens the stream; null if it has no bytes. */
async function openReader(bytes: AsyncIterable<Uint8Array>): Promise<RecordBatchReader | null> {
  try {
    const reader = await RecordBatchReader.from(bytes)
    await reader.open()
    return reader.schema ? reader : null
  } catch (error) {
    throw invalidStreamError(error)
  }
}

async function* readBatches(reader: RecordBatchReader): AsyncGenerator<RecordBatch> {
  const batches = reader[Symbol.asyncIterator]()
  for (;;) {
    const next = await batches.next().catch((error: unknown) => {
      throw invalidStreamError(error)
    })
    if (next.done) return
    yield next.value
  }
}

function invalidStreamError(error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error)
  return uploadError('value_error', `It is not a complete stream of Arrow record batches: ${reason}`)
}

function plainValueOf(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
