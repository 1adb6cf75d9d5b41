import { Readable } from 'node:stream'
import { format } from '@fast-csv/format'
import type { Row } from './row.ts'

/** The rows as CSV: RFC 4180, CRLF, one row a location, the columns that came along at the right. */
export async function* csvOf(rows: Iterable<Row>, fields: string[], columns: string[]): AsyncGenerator<Uint8Array> {
  const lines = Readable.from(linesOf(rows, fields, columns), { objectMode: true })
  const formatted = format({ headers: false, rowDelimiter: '\r\n', includeEndRowDelimiter: true })
  lines.on('error', (error) => formatted.destroy(error))
  for await (const piece of lines.pipe(formatted)) yield Buffer.from(piece as Buffer)
}

/** The names of the columns; one that came along under a name that is taken gets `input_` before it. */
export function headerOf(fields: string[], columns: string[]): string[] {
  const names = ['index', 'ok', 'lat', 'lng', 'source', 'error', ...fields, 'failed_fields']
  const taken = new Set(names)
  for (const column of columns) {
    let name = column
    while (taken.has(name)) name = `input_${name}`
    taken.add(name)
    names.push(name)
  }
  return names
}

function* linesOf(rows: Iterable<Row>, fields: string[], columns: string[]): Generator<string[]> {
  yield headerOf(fields, columns).map(cellOf)
  for (const row of rows) {
    yield [row.index, row.ok, row.lat, row.lng, row.source, row.error, ...row.values, row.failed_fields, ...columns.map((_, i) => row.passed[i] ?? '')].map(cellOf)
  }
}

const plainNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** A value as a cell. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value) ? value.map(textOf).join(';') : textOf(value)
  const mayBeFormula = typeof value === 'string' || Array.isArray(value)
  return mayBeFormula && /^[=+\-@\t\r]/.test(text) && !plainNumber.test(text) ? `'${text}` : text
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
