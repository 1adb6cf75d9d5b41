import { Readable } from 'node:stream'
import { format } from '@fast-csv/format'
import type { ArtifactColumn } from './artifact-columns.ts'
import type { ArtifactRow } from './artifact-row.ts'

/** Yields the rows as CSV (RFC 4180, CRLF): one row per location. */
export async function* csvArtifact(rows: Iterable<ArtifactRow>, columns: ArtifactColumn[]): AsyncGenerator<Uint8Array> {
  const lines = Readable.from(csvLines(rows, columns), { objectMode: true })
  const formatted = format({ headers: false, rowDelimiter: '\r\n', includeEndRowDelimiter: true })
  lines.on('error', (error) => formatted.destroy(error))
  for await (const chunk of lines.pipe(formatted)) yield Buffer.from(chunk as Buffer)
}

function* csvLines(rows: Iterable<ArtifactRow>, columns: ArtifactColumn[]): Generator<string[]> {
  yield columns.map(({ name }) => csvCellOf(name))
  for (const row of rows) yield columns.map(({ valueOf }) => csvCellOf(valueOf(row)))
}

/** A number, also with a decimal comma, is not a formula even if it begins with a sign. */
const numberPattern = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i

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
