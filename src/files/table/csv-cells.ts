import { parse } from '@fast-csv/parse'
import type { MaybePromise } from '../../async/maybe-promise.ts'

const row_ms = 2000

type ReadCells = (record: string) => MaybePromise<string[] | null>

/**
 * Creates a function that parses one record at a time with a shared parser. It returns null for a malformed record. A
 * record without quotes needs no parser.
 */
export function createCellsReader(delimiter: string): ReadCells {
  const openParser = () => {
    const parser = parse<string[], string[]>({ headers: false, delimiter, ignoreEmpty: false })
    return { parser, rows: parser[Symbol.asyncIterator]() }
  }
  let open: ReturnType<typeof openParser> | null = null
  return (record) => cellsOfRecord(record, delimiter) ?? parseCells(record)

  async function parseCells(record: string): Promise<string[] | null> {
    const { parser, rows } = (open ??= openParser())
    try {
      parser.write(`${record}\n`)
      const { value, done } = await withRowTimeout(rows.next())
      return done ? [] : (value as string[])
    } catch {
      open = null
      return null // the parser disagrees with readCsvRecords about a quote: the row is malformed
    }
  }
}

/**
 * Returns the cells of a record, or null if the parser is needed: it removes byte order marks, and blanks at quotes.
 */
function cellsOfRecord(record: string, delimiter: string): string[] | null {
  if (record === '' || record.includes('\uFEFF')) return null
  if (!record.includes('"')) return record.split(delimiter)
  const cells: string[] = []
  for (let at = 0; ; at++) {
    const isQuoted = record[at] === '"'
    const end = isQuoted ? closingQuoteOf(record, at) + 1 : record.indexOf(delimiter, at)
    if (isQuoted && (end === 0 || (end < record.length && record[end] !== delimiter))) return null
    const cell = end < 0 ? record.slice(at) : record.slice(at, end)
    if (!isQuoted && cell.includes('"')) return null
    cells.push(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end < 0 || end >= record.length) return cells
    at = end
  }
}

/** Returns the index of the quote that ends a cell, or -1. Two quotes are one character of the cell. */
function closingQuoteOf(record: string, start: number): number {
  for (let at = record.indexOf('"', start + 1); at >= 0; at = record.indexOf('"', at + 2))
    if (record[at + 1] !== '"') return at
  return -1
}

/** Limits the wait for a row: the parser emits a row immediately, or never. */
async function withRowTimeout<T>(row: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The CSV parser returned no row.')), row_ms)
  return Promise.race([row, promise]).finally(() => clearTimeout(timer))
}
