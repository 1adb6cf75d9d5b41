import { type ResultColumn, type ResultRow, cellText } from './result.ts'

/** The sort column and direction; null keeps the order of the upload. */
export type ColumnOrder = { column: string; isDescending: boolean } | null

/** Sorts rows. Rows without a value come last in both directions. */
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

/** Returns a search for the rows that contain every word, as displayed or as in the file. */
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
      `${failureText(row)} ${columns.map((column) => cellText(row, column)).join(' ')} ${row.cells.join(' ')}`.toLowerCase(),
    )
    return rows.filter((_, i) => words.every((word) => texts![i]!.includes(word)))
  }
}

/** The words that find a failed row, or a row with failed fields. */
function failureText({ ok, error, failedFields }: ResultRow): string {
  if (!ok) return `failed: ${error} ${error.replaceAll('_', ' ')}`
  return failedFields.size > 0 ? `failed: ${[...failedFields].join(' ')}` : ''
}
