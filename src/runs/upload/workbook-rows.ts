import { UpstreamError, validationErrorAt, type ValidationError } from '../../model/error.ts'
import { FileError } from '../../files/file-error.ts'

/**
 * The limit of a workbook, and of its sheet as CSV: cells can share one long text, so a small workbook could become a
 * much larger CSV.
 */
export const workbookMax_bytes = 32 * 2 ** 20
/** The limit of the format. */
const cellMax_characters = 32_767

/** Returns the error of a workbook that cannot be used. `msg` is a sentence without its full stop. */
export function invalidWorkbook(msg: string): ValidationError {
  return validationErrorAt(['body'], msg)
}

/** Returns the error of a sheet with more than `workbookMax_bytes` as CSV. */
export function largeSheetError(): ValidationError {
  return invalidWorkbook(`The sheet has more than ${workbookMax_bytes / 2 ** 20} MB as CSV. Remove rows or columns`)
}

/** Returns the error of a workbook that the reader of workbooks or archives rejects. */
export function unreadableWorkbook(cause: unknown): unknown {
  if (!(cause instanceof UpstreamError || cause instanceof FileError)) return cause
  const reason = cause.message.replace(/ Try again later\.$/, '').replace(/\.$/, '')
  return invalidWorkbook(`The workbook cannot be read: ${reason}`)
}

/**
 * Returns a row as a line of CSV, without its line break. A row without text is an empty line, so that the line numbers
 * are the row numbers of the sheet.
 */
export function sheetRowAsCsv(row: string[]): string {
  if (row.every((cell) => cell === '')) return ''
  if (row.some((cell) => cell.length > cellMax_characters))
    throw invalidWorkbook(`A cell has more than ${cellMax_characters} characters, which the format does not allow`)
  return row.map((cell) => `"${decimalText(cell).replaceAll('"', '""')}"`).join()
}

/** Spreadsheets store 39.7392 as 39.739199999999997. Returns the shortest number with the same value. */
function decimalText(cell: string): string {
  return /^-?\d{1,3}\.\d{12,17}$/.test(cell) ? String(Number(cell)) : cell
}
