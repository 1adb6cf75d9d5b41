import { readCsvBlocks, recordsOfText, type CsvBlock } from '../files/table/csv-records.ts'
import { sampleRows } from '../files/table/upload-columns.ts'
import {
  createUploadRowReader,
  noUploadRowsError,
  openUploadText,
  readUploadHeader,
  type UploadTable,
} from '../runs/upload/upload-table.ts'
import { type UploadFormat } from '../runs/upload/upload-format.ts'
import type { UploadReading } from '../runs/report/run-summary.ts'
import { uploadReadingOf, type ConvertedFile } from '../runs/upload/upload-reading.ts'
import type { InputBlock } from './bulk-job.ts'

/** The input of a bulk run, after its first reading. */
export type BulkInput = {
  table: UploadTable
  /** The number of rows. */
  rows: number
  sha256: string
  /** Whether a row is answered at an address. */
  hasAddress: boolean
  /** How the input was read. */
  reading: UploadReading
  /** Reads the rows from one index up to another, in blocks. */
  blocks(range: { from: number; to: number }, rowsPerBlock: number): AsyncGenerator<InputBlock>
}

const characters = 1_048_576
const rowsPerCount = 16_384

/**
 * Reads the whole input once, to find its columns and count its rows. It is not kept in memory.
 * @throws {ValidationError} if there is no location column or no row.
 */
export async function openBulkInput(file: Bun.BunFile, job: InputJob): Promise<BulkInput> {
  const hash = new Bun.CryptoHasher('sha256')
  const { table, blocks, first, reading } = await openTable(hashChunks(file.stream(), hash), job)
  const mayHaveAddress = job.kind === 'fetch_batch' && table.columns.address.length > 0
  let rows = 0
  let hasAddress = false
  for (let block = first; !block.done; block = await blocks.next()) {
    rows += block.value.rows
    if (mayHaveAddress) hasAddress ||= await hasAddressIn(block.value, table)
  }
  if (rows === 0) throw noUploadRowsError()
  return {
    table,
    rows,
    sha256: hash.digest('hex'),
    hasAddress,
    reading: reading(),
    async *blocks({ from, to }, rowsPerBlock) {
      const rowsAt = (row: number) => (row < from ? from - row : Math.min(rowsPerBlock, to - row))
      const { blocks } = await openBlocks(file.stream(), job.format, rowsAt)
      await blocks.next()
      let first = 0
      for await (const { text, line, rows } of blocks) {
        if (first >= to) break
        if (first >= from) yield { first, rows, text, line }
        first += rows
      }
    },
  }
}

/** Reads how an input is read, from its beginning. @throws {ValidationError} as `openBulkInput`. */
export async function readUploadReading(file: Bun.BunFile, job: InputJob): Promise<UploadReading> {
  const { blocks, reading } = await openTable(file.stream(), job)
  await blocks.return(undefined)
  return reading()
}

type InputJob = { kind: string; format: UploadFormat; converted: ConvertedFile | null }

/** Finds the columns. `first` is the first block of rows; `reading` is complete after the last block. */
async function openTable(bytes: AsyncIterable<Uint8Array>, { kind, format, converted }: InputJob) {
  const { delimiter, firstLine, blocks, encoding, isSpreadsheet } = await openBlocks(bytes, format)
  const header = await blocks.next()
  const [record] = header.done ? [] : recordsOfText(header.value.text, delimiter, header.value.line)
  const first = await blocks.next()
  const sample = first.done ? [] : [...recordsOfText(first.value.text, delimiter, first.value.line).take(sampleRows)]
  const columns = await readUploadHeader(record, sample, { delimiter, kind, format })
  // The lines of the CSV are not those of the file.
  const table: UploadTable = { kind, columns, delimiter, firstLine: converted ? null : firstLine }
  const reading = () =>
    uploadReadingOf(table, { encoding: isSpreadsheet ? null : encoding(), header_row: firstLine, converted })
  return { table, blocks, first, reading }
}

async function openBlocks(
  bytes: AsyncIterable<Uint8Array>,
  format: UploadFormat,
  rowsAt: (row: number) => number = () => rowsPerCount,
) {
  const { texts, delimiter, ...decoded } = await openUploadText(bytes, format)
  return { ...decoded, delimiter, blocks: readCsvBlocks(texts, delimiter, { rowsAt, characters }) }
}

async function hasAddressIn({ text, line }: CsvBlock, table: UploadTable): Promise<boolean> {
  const readRow = createUploadRowReader(table)
  for (const record of recordsOfText(text, table.delimiter, line)) {
    const row = await readRow(record)
    if ('input' in row && 'address' in row.input) return true
  }
  return false
}

async function* hashChunks(bytes: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}
