import type { ArtifactColumn } from './artifact-columns.ts'
import type { RowPart } from './row-layout.ts'

/** Returns the first record of a CSV file (RFC 4180): the names of the columns, with the line break. */
export function csvHeaderOf(columns: ArtifactColumn[]): string {
  return `${columns.map(({ name }) => quotedCellOf(name)).join(',')}${lineBreak}`
}

/** Returns the parts of a row as a record of a CSV file, with the line break. */
export function csvPartsOf(columns: ArtifactColumn[]): RowPart[] {
  const cells = columns.flatMap((column): RowPart[] => [',', { column, textOf: quotedCellOf }])
  return [...cells.slice(1), lineBreak]
}

const lineBreak = '\r\n'

/** Quotes a cell if it must be, or if it has a vertical bar, which some programs take as the delimiter. */
function quotedCellOf(value: unknown): string {
  if (typeof value === 'string' && !/^[=+\-@\t]|["\r\n,|\0]/.test(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const cell = csvCellOf(value)
  // A cell cannot have the character NUL.
  if (!/["\r\n,|\0]/.test(cell)) return cell
  const text = cell.replaceAll('\0', '')
  return /["\r\n,|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A number, also with a decimal comma, is not a formula even if it begins with a sign. */
const numberPattern = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i

/** Formats a value as a cell. A text that a spreadsheet would execute as a formula gets a leading apostrophe. */
export function csvCellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value) ? value.map(cellText).join(';') : cellText(value)
  const mayBeFormula = typeof value === 'string' || Array.isArray(value)
  return mayBeFormula && /^[=+\-@\t\r]/.test(text) && !numberPattern.test(text) ? `'${text}` : text
}

function cellText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
