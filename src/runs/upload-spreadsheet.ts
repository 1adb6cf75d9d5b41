import { readSheet, sheetNamesOf } from '../drivers/xlsx.ts'
import { UpstreamError, ValidationError } from '../model/error.ts'
import { PackError } from '../packs/pack-error.ts'

/** A workbook is read as a whole, so it has a lower limit than CSV. */
const workbookMax_bytes = 32 * 2 ** 20
/** The unpacked sheet is parsed in one step. */
const partMax_bytes = 64 * 2 ** 20
const rowsPerChunk = 500
/** The signature of a ZIP archive, which a workbook is. */
const zipSignature = [0x50, 0x4b, 0x03, 0x04]

/**
 * Returns the chunks of an upload; if it is a workbook (.xlsx), as CSV of its sheet. A workbook with several sheets
 * needs the name of one.
 * @throws {ValidationError} if the workbook or its sheet cannot be read.
 */
export async function spreadsheetAsCsv(
  bytes: AsyncIterable<Uint8Array>,
  sheet: string | undefined,
): Promise<{ chunks: AsyncIterable<Uint8Array>; isSpreadsheet: boolean }> {
  const iterator = bytes[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < zipSignature.length) {
    const { value, done } = await iterator.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  if (!zipSignature.every((byte, i) => head[i] === byte))
    return { chunks: withHead(head, iterator), isSpreadsheet: false }
  const workbook = await collect(withHead(head, iterator))
  return { chunks: csvChunks(rowsOf(workbook, sheet)), isSpreadsheet: true }
}

async function* withHead(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size_bytes = 0
  for await (const chunk of chunks) {
    size_bytes += chunk.length
    if (size_bytes > workbookMax_bytes)
      throw invalid(`The workbook has more than ${workbookMax_bytes / 2 ** 20} MB. Save its sheet as CSV`)
    parts.push(Uint8Array.from(chunk))
  }
  return Buffer.concat(parts)
}

function rowsOf(workbook: Uint8Array, sheet: string | undefined): string[][] {
  try {
    const names = sheetNamesOf(workbook)
    const list = names.join(', ')
    if (sheet !== undefined && !names.includes(sheet))
      throw invalid(`The workbook has no sheet ${JSON.stringify(sheet)}. Its sheets are ${list}`)
    if (sheet === undefined && names.length > 1)
      throw invalid(`The workbook has ${names.length} sheets: ${list}. Name one of them with sheet`)
    return readSheet(workbook, sheet, partMax_bytes)
  } catch (cause) {
    if (!(cause instanceof UpstreamError || cause instanceof PackError)) throw cause
    throw invalid(`The workbook cannot be read: ${cause.message.replace(/ Try again later\.$/, '').replace(/\.$/, '')}`)
  }
}

// oxlint-disable-next-line typescript/require-await -- The CSV reader takes chunks as they arrive.
async function* csvChunks(rows: string[][]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (let at = 0; at < rows.length; at += rowsPerChunk)
    yield encoder.encode(
      `${rows
        .slice(at, at + rowsPerChunk)
        .map(csvLineOf)
        .join('\r\n')}\r\n`,
    )
}

/** A row without text is an empty line, so that the line numbers are the row numbers of the sheet. */
function csvLineOf(row: string[]): string {
  if (row.every((cell) => cell === '')) return ''
  return row.map((cell) => `"${decimalText(cell).replaceAll('"', '""')}"`).join()
}

/** Spreadsheets store 39.7392 as 39.739199999999997. Returns the shortest number with the same value. */
function decimalText(cell: string): string {
  return /^-?\d{1,3}\.\d{12,17}$/.test(cell) ? String(Number(cell)) : cell
}

function invalid(msg: string): ValidationError {
  return new ValidationError([{ type: 'value_error', loc: ['body'], msg, input: null }])
}
