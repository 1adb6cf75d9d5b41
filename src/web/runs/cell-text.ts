import { humanizeName, valueText, fieldLabel } from '../value-text.ts'
import type { ResultColumn, ResultRow } from './result.ts'

/**
 * Returns the text of a table cell: empty when the row failed, `failed` when the field failed, a dash when there is no
 * value.
 */
export function cellText(
  { cells, ok, failedFields }: ResultRow,
  { at, kind, unit, name, isField }: ResultColumn,
): string {
  const cell = cells[at] ?? ''
  if (isField && cell === '') return !ok ? '' : failedFields.has(name) ? 'failed' : '–'
  if (isField && kind === 'number' && cell !== '') return valueText({ value: Number(cell), unit })
  if (isField && (cell === 'true' || cell === 'false')) return cell === 'true' ? 'yes' : 'no'
  return cell
}

/** Returns the title of a column. Columns of the upload keep their names. */
export function columnTitle({ name, unit, isField }: ResultColumn): string {
  return isField ? (name.includes('.') ? humanizeName(name.replace('.', ' ')) : fieldLabel(name, unit)) : name
}
