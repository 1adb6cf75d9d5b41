import type { ArtifactColumn } from './artifact-columns.ts'
import type { ArtifactRow } from './artifact-row.ts'

/** A part of the text of each row: the same text in all rows, or the value of a column as `textOf` writes it. */
export type RowPart = string | { column: ArtifactColumn; textOf(value: unknown): string }

/** Returns the text of a row. */
export function textOfRow(parts: readonly RowPart[], row: ArtifactRow): string {
  let text = ''
  for (const part of parts) text += typeof part === 'string' ? part : part.textOf(part.column.valueOf(row))
  return text
}

/** Returns the parts of a JSON object with a member for each column, in order. */
export function jsonMemberParts(columns: readonly ArtifactColumn[]): RowPart[] {
  // An object would move members whose names are numbers, such as "2020", to its front.
  return columns.flatMap((column, i): RowPart[] => [
    `${i === 0 ? '' : ','}${JSON.stringify(column.name)}:`,
    { column, textOf: jsonTextOf },
  ])
}

/** Returns the parts of a row as a JSON object in a line. */
export function ndjsonPartsOf(columns: readonly ArtifactColumn[]): RowPart[] {
  return ['{', ...jsonMemberParts(columns), '}\n']
}

/** Returns a value as JSON; a missing value is null. */
export function jsonTextOf(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return JSON.stringify(value ?? null)
}

/** Returns a value as a table has it. Lists are joined with semicolons, as in CSV. */
export function storedValueOf(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return Array.isArray(value) ? value.join(';') : JSON.stringify(value)
}
