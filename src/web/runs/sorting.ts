import { cellText } from './cell-text.ts'
import type { Column, Row } from './result.ts'

/** By which column the rows stand in order; null: as they were sent. */
export type Order = { column: string; isDown: boolean } | null

/** The rows in an order; those without a value are last, either way. */
export function sorted(rows: readonly Row[], columns: readonly Column[], order: Order): Row[] {
  const column = columns.find(({ name }) => name === order?.column)
  if (!order || !column) return [...rows]
  const { at, kind } = column
  const turn = order.isDown ? -1 : 1
  const [full, bare] = [
    rows.filter(({ cells }) => (cells[at] ?? '') !== ''),
    rows.filter(({ cells }) => (cells[at] ?? '') === ''),
  ]
  const words = new Intl.Collator(undefined, { numeric: true })
  full.sort(
    (a, b) =>
      turn *
      (kind === 'number' ? Number(a.cells[at]) - Number(b.cells[at]) : words.compare(a.cells[at]!, b.cells[at]!)),
  )
  return [...full, ...bare]
}

/** Finds the rows in which every word stands somewhere, as the table shows them or as the file has them. */
export function finderOf(rows: readonly Row[], columns: readonly Column[]): (text: string) => readonly Row[] {
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
