/** Splits a CSV record into cells and removes the quotes. A doubled quote within a quoted cell is one quote. */
export function parseCsvCells(record: string, delimiter: string): string[] {
  const cells: string[] = []
  let at = 0
  while (at <= record.length) {
    const { cell, end } = nextCell(record, at, delimiter)
    cells.push(cell)
    at = end + 1
  }
  return cells
}

/** `end` is the position of the following delimiter. */
function nextCell(record: string, from: number, delimiter: string): { cell: string; end: number } {
  const quoteAt = skipBlanks(record, from)
  if (record[quoteAt] !== '"') {
    const end = delimiterAt(record, from, delimiter)
    return { cell: record.slice(from, end), end }
  }
  let closeAt = quoteAt + 1
  while (closeAt < record.length && (record[closeAt] !== '"' || record[closeAt + 1] === '"'))
    closeAt += record[closeAt] === '"' ? 2 : 1
  return {
    cell: record.slice(quoteAt + 1, closeAt).replaceAll('""', '"'),
    end: delimiterAt(record, closeAt, delimiter),
  }
}

/** Spaces are allowed before a quote. */
function skipBlanks(record: string, from: number): number {
  let at = from
  while (record[at] === ' ') at++
  return at
}

function delimiterAt(record: string, from: number, delimiter: string): number {
  const found = record.indexOf(delimiter, from)
  return found < 0 ? record.length : found
}
