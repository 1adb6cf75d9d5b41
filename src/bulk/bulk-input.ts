import { openConvertedInput } from './converted-input.ts'
import { readCsvBlocks, recordsOfText, type CsvBlock } from '../runs/upload/csv-records.ts'
import {
  createUploadRowReader,
  noUploadRowsError,
  openUploadText,
  readUploadHeader,
  type UploadFormat,
  type UploadTable,
} from '../runs/upload/upload-table.ts'
import type { InputBlock } from './bulk-job.ts'

/** The input of a bulk run, after its first reading. */
export type BulkInput = {
  table: UploadTable
  /** The number of rows. */
  rows: number
  sha256: string
  /** Whether a row is answered at an address. */
  hasAddress: boolean
  /** Reads the rows from one index up to another, in blocks. */
  blocks(range: { from: number; to: number }, rowsPerBlock: number): AsyncGenerator<InputBlock>
}

const characters = 1_048_576
const rowsPerCount = 16_384

/**
 * Reads the whole input once, to find its columns and count its rows. It is not kept in memory.
 * @throws {ValidationError} if there is no location column or no row.
 */
export async function openBulkInput(
  file: Bun.BunFile,
  { kind, format }: { kind: string; format: UploadFormat },
): Promise<BulkInput> {
  const hash = new Bun.CryptoHasher('sha256')
  const converted = await openConvertedInput(file)
  const read = () => converted?.() ?? file.stream()
  const { delimiter, firstLine, blocks } = await openText(hashChunks(read(), hash))
  const header = await blocks.next()
  const [record] = header.done ? [] : recordsOfText(header.value.text, delimiter, header.value.line)
  const columns = await readUploadHeader(record, { delimiter, kind, mapping: format.mapping })
  // The lines of the CSV are not those of the file.
  const table = { kind, columns, delimiter, firstLine: converted ? null : firstLine }
  const mayHaveAddress = kind === 'fetch_batch' && columns.address.length > 0
  let rows = 0
  let hasAddress = false
  for await (const block of blocks) {
    rows += block.rows
    if (mayHaveAddress) hasAddress ||= await hasAddressIn(block, table)
  }
  if (rows === 0) throw noUploadRowsError()
  return {
    table,
    rows,
    sha256: hash.digest('hex'),
    hasAddress,
    async *blocks({ from, to }, rowsPerBlock) {
      const rowsAt = (row: number) => (row < from ? from - row : Math.min(rowsPerBlock, to - row))
      const { blocks } = await openText(read(), rowsAt)
      await blocks.next()
      let first = 0
      for await (const { text, line, rows } of blocks) {
        if (first >= to) break
        if (first >= from) yield { first, rows, text, line }
        first += rows
      }
    },
  }

  async function openText(bytes: AsyncIterable<Uint8Array>, rowsAt: (row: number) => number = () => rowsPerCount) {
    const { texts, delimiter, firstLine } = await openUploadText(bytes, format)
    return { delimiter, firstLine, blocks: readCsvBlocks(texts, delimiter, { rowsAt, characters }) }
  }
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
