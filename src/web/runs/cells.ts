/** The cells of a record that was cut from a CSV text: quotes are taken off, and two within them are one. */
export function cellsOf(record: string, delimiter: string): string[] {
  const cells: string[] = []
  let at = 0
  while (at <= record.length) {
    const { cell, end } = nextCell(record, at, delimiter)
    cells.push(cell)
    at = end + 1
  }
  return cells
}

/** `end`: where the separator behind it stands. */
function nextCell(record: string, from: number, delimiter: string): { cell: string; end: number } {
  const quote = firstOf(record, from)
  if (record[quote] !== '"') {
    const end = endOf(record, from, delimiter)
    return { cell: record.slice(from, end), end }
  }
  let close = quote + 1
  while (close < record.length && (record[close] !== '"' || record[close + 1] === '"'))
    close += record[close] === '"' ? 2 : 1
  return { cell: record.slice(quote + 1, close).replaceAll('""', '"'), end: endOf(record, close, delimiter) }
}

/** Blanks may stand before a quote. */
function firstOf(record: string, from: number): number {
  let at = from
  while (record[at] === ' ') at++
  return at
}

function endOf(record: string, from: number, delimiter: string): number {
  const found = record.indexOf(delimiter, from)
  return found < 0 ? record.length : found
}
