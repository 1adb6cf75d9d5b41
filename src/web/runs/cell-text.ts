import { titleOf, valueText, wordsOf } from '../parts/value.ts'
import type { Column, Row } from './result.ts'

/** What stands in a cell of the table. Nothing: there is validly no value; a field that could not be asked says so. */
export function cellText({ cells, ok, failed }: Row, { at, kind, unit, name, isField }: Column): string {
  const cell = cells[at] ?? ''
  if (isField && cell === '') return !ok ? '' : failed.has(name) ? 'failed' : '–'
  if (isField && kind === 'number' && cell !== '') return valueText({ value: Number(cell), unit })
  if (isField && (cell === 'true' || cell === 'false')) return cell === 'true' ? 'yes' : 'no'
  return cell
}

/** The name of a column, as words where it is ours. */
export function columnTitle({ name, unit, isField }: Column): string {
  return isField ? (name.includes('.') ? titleOf(name.replace('.', ' ')) : wordsOf(name, unit)) : name
}
