import { cellText } from './cell-text.ts'
import type { ResultColumn, ResultRow } from './result.ts'

/** By which column the rows stand in order; null: as they were sent. */
export type ColumnOrder = { column: string; isDescending: boolean } | null

/** The rows in an order; those without a value are last, either way. */
export function sortRows(
  rows: readonly ResultRow[],
  columns: readonly ResultColumn[],
  order: ColumnOrder,
): ResultRow[] {
  const column = columns.find(({ name }) => name === order?.column)
  if (!order || !column) return [...rows]
  const { at, kind } = column
  const sign = order.isDescending ? -1 : 1
  const [withValue, withoutValue] = [
    rows.filter(({ cells }) => (cells[at] ?? '') !== ''),
    rows.filter(({ cells }) => (cells[at] ?? '') === ''),
  ]
  const collator = new Intl.Collator(undefined, { numeric: true })
  withValue.sort(
    (a, b) =>
      sign *
      (kind === 'number' ? Number(a.cells[at]) - Number(b.cells[at]) : collator.compare(a.cells[at]!, b.cells[at]!)),
  )
  return [...withValue, ...withoutValue]
}

/** Finds the rows in which every word stands somewhere, as the table shows them or as the file has them. */
export function createRowSearch(
  rows: readonly ResultRow[],
  columns: readonly ResultColumn[],
): (text: string) => readonly ResultRow[] {
  let texts: string[] | null = null
  return (text) => {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    if (words.length === 0) return rows
    texts ??= rows.map((row) =>
      `${row.error} ${columns.map((column) => cellText(row, column)).join(' ')} ${row.cells.join(' ')}`.toLowerCase(),
    )
    return rows.filter((_, i) => words.every((word) => texts![i]!.includes(word)))
  }
}
