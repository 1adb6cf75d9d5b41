import { readSheet, sheetNamesOf } from '../drivers/xlsx.ts'
import { UpstreamError, ValidationError } from '../model/error.ts'
import { PackError } from '../packs/pack-error.ts'

/** The unpacked sheet is parsed in one step. */
const partMax_bytes = 64 * 2 ** 20
/**
 * The limit of a workbook, and of its sheet as CSV: cells can share one long text, so a small workbook could become a
 * much larger CSV.
 */
export const workbookMax_bytes = 32 * 2 ** 20
/** The limit of the format. */
const cellMax_characters = 32_767
const piece_bytes = 65_536

/**
 * Returns the sheet of a workbook (.xlsx) as CSV. A workbook with several sheets needs the name of one.
 * @throws {ValidationError} if the workbook or its sheet cannot be read, or is too large.
 */
export type ConvertWorkbook = (workbook: Uint8Array<ArrayBuffer>, sheet: string | undefined) => Promise<Uint8Array>

/** Converts in the thread of the caller: in the worker, and where nothing else waits for the thread. */
export function workbookCsv(workbook: Uint8Array, sheet: string | undefined): Uint8Array<ArrayBuffer> {
  const csv = new Uint8Array(workbookMax_bytes)
  let used = 0
  const write = (text: string) => {
    const { read, written } = new TextEncoder().encodeInto(text, csv.subarray(used))
    if (read < text.length)
      throw invalidWorkbook(`The sheet has more than ${workbookMax_bytes / 2 ** 20} MB as CSV. Remove rows or columns`)
    used += written
  }
  let lines = ''
  for (const row of rowsOf(workbook, sheet)) {
    lines += `${csvLineOf(row)}\r\n`
    if (lines.length < piece_bytes) continue
    write(lines)
    lines = ''
  }
  write(lines)
  return csv.slice(0, used)
}

/** Returns the error of a workbook that cannot be used. `msg` is a sentence without its full stop. */
export function invalidWorkbook(msg: string): ValidationError {
  return new ValidationError([{ type: 'value_error', loc: ['body'], msg, input: null }])
}

function rowsOf(workbook: Uint8Array, sheet: string | undefined): string[][] {
  try {
    const names = sheetNamesOf(workbook)
    const list = names.join(', ')
    if (sheet !== undefined && !names.includes(sheet))
      throw invalidWorkbook(`The workbook has no sheet ${JSON.stringify(sheet)}. Its sheets are ${list}`)
    if (sheet === undefined && names.length > 1)
      throw invalidWorkbook(`The workbook has ${names.length} sheets: ${list}. Name one of them with sheet`)
    return readSheet(workbook, sheet, partMax_bytes)
  } catch (cause) {
    if (!(cause instanceof UpstreamError || cause instanceof PackError)) throw cause
    const reason = cause.message.replace(/ Try again later\.$/, '').replace(/\.$/, '')
    throw invalidWorkbook(`The workbook cannot be read: ${reason}`)
  }
}

/** A row without text is an empty line, so that the line numbers are the row numbers of the sheet. */
function csvLineOf(row: string[]): string {
  if (row.every((cell) => cell === '')) return ''
  if (row.some((cell) => cell.length > cellMax_characters))
    throw invalidWorkbook(`A cell has more than ${cellMax_characters} characters, which the format does not allow`)
  return row.map((cell) => `"${decimalText(cell).replaceAll('"', '""')}"`).join()
}

/** Spreadsheets store 39.7392 as 39.739199999999997. Returns the shortest number with the same value. */
function decimalText(cell: string): string {
  return /^-?\d{1,3}\.\d{12,17}$/.test(cell) ? String(Number(cell)) : cell
}
