import { invalidWorkbook, workbookMax_bytes } from './workbook-rows.ts'
import type { ConvertWorkbook } from './workbook.ts'

const piece_bytes = 65_536
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
  convert: ConvertWorkbook,
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
  const csv = await convert(await collect(withHead(head, iterator)), sheet)
  return { chunks: piecesOf(csv), isSpreadsheet: true }
}

async function* withHead(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size_bytes = 0
  for await (const chunk of chunks) {
    size_bytes += chunk.length
    if (size_bytes > workbookMax_bytes)
      throw invalidWorkbook(`The workbook has more than ${workbookMax_bytes / 2 ** 20} MB. Save its sheet as CSV`)
    // The caller frees the chunk.
    parts.push(Uint8Array.from(chunk))
  }
  return Bun.concatArrayBuffers(parts, Infinity, true)
}

// oxlint-disable-next-line typescript/require-await -- The CSV reader takes chunks as they arrive.
async function* piecesOf(csv: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < csv.length; at += piece_bytes) yield csv.subarray(at, at + piece_bytes)
}
