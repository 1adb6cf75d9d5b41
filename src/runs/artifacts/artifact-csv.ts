import { copiedCellOf, quotedCellOf } from './csv-cell.ts'
import type { ArtifactColumn } from './artifact-columns.ts'
import type { RowSegment } from './row-layout.ts'

/** Returns the first record of a CSV file (RFC 4180): the names of the columns, with the line break. */
export function csvHeaderOf(columns: ArtifactColumn[]): string {
  const names = columns.map(({ name, header }) => (header === undefined ? quotedCellOf(name) : copiedCellOf(header)))
  return `${names.join(',')}${lineBreak}`
}

/** Returns the segments of a row as a record of a CSV file, with the line break. */
export function csvSegmentsOf(columns: ArtifactColumn[]): RowSegment[] {
  const cells = columns.flatMap((column): RowSegment[] => [
    ',',
    { column, textOf: column.header === undefined ? quotedCellOf : copiedCellOf },
  ])
  return [...cells.slice(1), lineBreak]
}

const lineBreak = '\r\n'
