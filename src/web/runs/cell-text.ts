import { humanizeName, valueText, fieldLabel } from '../value-text.ts'
import type { ResultColumn, ResultRow } from './result.ts'

/** What stands in a cell of the table. Nothing: there is validly no value; a field that could not be asked says so. */
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

/** The name of a column, as words where it is ours. */
export function columnTitle({ name, unit, isField }: ResultColumn): string {
  return isField ? (name.includes('.') ? humanizeName(name.replace('.', ' ')) : fieldLabel(name, unit)) : name
}
