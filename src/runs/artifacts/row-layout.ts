import type { ArtifactColumn } from './artifact-columns.ts'
import type { ArtifactRow } from './artifact-row.ts'

/** The rows that a sheet can have, with its header (Excel specifications and limits). */
export const sheetRowsMax = 1_048_576

/** A value is not of the type of its field in the catalog. */
export class FieldTypeError extends Error {
  readonly field: string

  constructor(field: string, type: string, value: unknown) {
    super(`The value ${JSON.stringify(value)} of ${field} is not of the type ${type}.`)
    this.field = field
  }
}

/** A segment of the text of each row: the same text in all rows, or the value of a column as `textOf` writes it. */
export type RowSegment = string | { column: ArtifactColumn; textOf(value: unknown): string }

/** Returns the text of a row. */
export function textOfRow(segments: readonly RowSegment[], row: ArtifactRow): string {
  let text = ''
  for (const segment of segments)
    text += typeof segment === 'string' ? segment : segment.textOf(segment.column.valueOf(row))
  return text
}

/** Returns the segments of a JSON object with a member for each column, in order. */
export function jsonMemberSegments(columns: readonly ArtifactColumn[]): RowSegment[] {
  // An object would move members whose names are numbers, such as "2020", to its front.
  return columns.flatMap((column, i): RowSegment[] => [
    `${i === 0 ? '' : ','}${JSON.stringify(column.name)}:`,
    { column, textOf: jsonTextOf },
  ])
}

/** Returns the segments of a row as a JSON object in a line. */
export function ndjsonSegmentsOf(columns: readonly ArtifactColumn[]): RowSegment[] {
  return ['{', ...jsonMemberSegments(columns), '}\n']
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
