import { Readable } from 'node:stream'
import { format } from '@fast-csv/format'
import type { ArtifactRow } from './artifact-row.ts'

/** Yields the rows as CSV (RFC 4180, CRLF): one row per location, with the passthrough columns on the right. */
export async function* csvArtifact(
  rows: Iterable<ArtifactRow>,
  fields: string[],
  columns: string[],
): AsyncGenerator<Uint8Array> {
  const lines = Readable.from(csvLines(rows, fields, columns), { objectMode: true })
  const formatted = format({ headers: false, rowDelimiter: '\r\n', includeEndRowDelimiter: true })
  lines.on('error', (error) => formatted.destroy(error))
  for await (const chunk of lines.pipe(formatted)) yield Buffer.from(chunk as Buffer)
}

/**
 * The unique column names. A passthrough column whose name is taken gets the prefix `input_`, and then a number if
 * necessary.
 */
export function csvHeaderOf(fields: string[], columns: string[]): string[] {
  const names = new Set(['index', 'ok', 'lat', 'lng', 'source', 'error', ...fields, 'failed_fields'])
  const nextNumbers = new Map<string, number>()
  for (const column of columns) names.add(names.has(column) ? freeName(`input_${column}`) : column)
  return [...names]

  function freeName(name: string): string {
    if (!names.has(name)) return name
    let number = nextNumbers.get(name) ?? 2
    while (names.has(`${name}_${number}`)) number++
    nextNumbers.set(name, number + 1)
    return `${name}_${number}`
  }
}

function* csvLines(rows: Iterable<ArtifactRow>, fields: string[], columns: string[]): Generator<string[]> {
  yield csvHeaderOf(fields, columns).map(csvCellOf)
  for (const row of rows) {
    yield [
      row.index,
      row.ok,
      row.lat,
      row.lng,
      row.source,
      row.error,
      ...row.values,
      row.failed_fields,
      ...columns.map((_, i) => row.passthrough[i] ?? ''),
    ].map(csvCellOf)
  }
}

const numberPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Formats a value as a cell. A text that a spreadsheet would execute as a formula gets a leading apostrophe. */
export function csvCellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value) ? value.map(cellText).join(';') : cellText(value)
  const mayBeFormula = typeof value === 'string' || Array.isArray(value)
  return mayBeFormula && /^[=+\-@\t\r]/.test(text) && !numberPattern.test(text) ? `'${text}` : text
}

function cellText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
