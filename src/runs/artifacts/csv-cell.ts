/** Quotes a cell if it must be, or if it has a vertical bar, which some programs take as the delimiter. */
export function quotedCellOf(value: unknown): string {
  if (typeof value === 'string' && !/^[=+\-@\t]|["\r\n,|\0]/.test(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return quoted(csvCellOf(value))
}

/** Returns the cell of an input column as the file had it. Its owner knows what it is. */
export function copiedCellOf(value: unknown): string {
  return quoted(String(value))
}

function quoted(cell: string): string {
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

/** Returns a value as a table has it. Lists are joined with semicolons, as in CSV. */
export function storedValueOf(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return Array.isArray(value) ? value.join(';') : JSON.stringify(value)
}

function cellText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
