import { openWorkbook, readSheetRows } from '../../files/workbook/open-workbook.ts'
import {
  sheetRowAsCsv,
  invalidWorkbook,
  largeSheetError,
  unreadableWorkbook,
  workbookMax_bytes,
} from './workbook-rows.ts'

const piece_bytes = 65_536
/** Parsing a sheet creates garbage of thirty times its CSV. */
const bytesBetweenCollections = 1_048_576

/**
 * Returns the sheet of a workbook (.xlsx) as CSV. The workbook is given in pieces. With several sheets, it needs the
 * name of one.
 * @throws {ValidationError} if the workbook or its sheet cannot be read, or is too large.
 */
export type ConvertWorkbook = (workbook: Uint8Array<ArrayBuffer>[], sheet: string | undefined) => Promise<Uint8Array>

/** Converts in the thread of the caller: in the worker, and where nothing else waits for the thread. */
export async function workbookCsv(
  workbook: Uint8Array<ArrayBuffer>[],
  sheet: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const csv = new Uint8Array(workbookMax_bytes)
  let [used, collected] = [0, 0]
  const write = (text: string) => {
    const { read, written } = new TextEncoder().encodeInto(text, csv.subarray(used))
    if (read < text.length) throw largeSheetError()
    used += written
    if (used - collected < bytesBetweenCollections) return
    collected = used
    Bun.gc(true)
  }
  let lines = ''
  try {
    for (const row of await rowsOf(workbook, sheet)) {
      lines += `${sheetRowAsCsv(row)}\r\n`
      if (lines.length < piece_bytes) continue
      write(lines)
      lines = ''
    }
  } catch (cause) {
    throw unreadableWorkbook(cause)
  }
  write(lines)
  return new Uint8Array(csv.buffer.transfer(used))
}

async function rowsOf(pieces: Uint8Array<ArrayBuffer>[], name: string | undefined): Promise<Generator<string[]>> {
  const workbook = await openWorkbook(new Blob(pieces))
  const names = workbook.sheets.map((it) => it.name)
  const list = names.join(', ')
  if (name !== undefined && !names.includes(name))
    throw invalidWorkbook(`The workbook has no sheet ${JSON.stringify(name)}. Its sheets are ${list}`)
  if (name === undefined && names.length > 1)
    throw invalidWorkbook(`The workbook has ${names.length} sheets: ${list}. Name one of them with \`sheet\``)
  const sheet = workbook.sheets.find((it) => name === undefined || it.name === name)
  if (!sheet) throw invalidWorkbook('The workbook has no sheet')
  return readSheetRows(workbook, sheet)
}
