import { roundDegrees } from '../../geo/text/geojson.ts'
import { artifactColumnsOf, type ArtifactColumn, type ArtifactShape } from './artifact-columns.ts'
import type { ArtifactRow } from './artifact-row.ts'
import { copiedCellOf, quotedCellOf } from './csv-cell.ts'
import { rowFileFormats } from './row-file.ts'

/** The formats that are text, so that their rows are written as they are answered. */
const textFormats = ['csv', 'geojson', 'ndjson'] as const
/** The formats of the rows of a result. */
export const resultFormats = [...textFormats, ...rowFileFormats] as const
export type ResultFormat = (typeof resultFormats)[number]

/** Whether a format is text. */
export function isTextFormat(format: ResultFormat): format is (typeof textFormats)[number] {
  return textFormats.some((it) => it === format)
}

/** A segment of the text of each row: the same text in all rows, or the value of a column as `textOf` writes it. */
export type RowSegment = string | { column: ArtifactColumn; textOf(value: unknown): string }

/** The texts of a result file. `separator` is between two rows, `end` after the last one. */
type ResultText = {
  start: string
  separator: string
  end: string
  /** The segments of the text of a row. */
  row: readonly RowSegment[]
}

/** Returns the texts of a result in a format. */
export function resultTextOf(format: ResultFormat, shape: ArtifactShape): ResultText {
  const columns = artifactColumnsOf(shape)
  switch (format) {
    case 'csv':
      return { start: csvHeaderOf(columns), separator: '', end: '', row: csvSegmentsOf(columns) }
    case 'geojson':
      return {
        start: '{"type":"FeatureCollection","features":[\n',
        separator: ',\n',
        end: '\n]}\n',
        row: geojsonSegmentsOf(columns),
      }
    case 'ndjson':
      return { start: '', separator: '', end: '', row: [...objectSegmentsOf(columns), '\n'] }
    case 'parquet':
    case 'xlsx':
    case 'gpkg':
      return { start: '', separator: '', end: '', row: lineSegmentsOf(columns) }
  }
}

/** Returns the text of a row. */
export function textOfRow(segments: readonly RowSegment[], row: ArtifactRow): string {
  let text = ''
  for (const segment of segments)
    text += typeof segment === 'string' ? segment : segment.textOf(segment.column.valueOf(row))
  return text
}

/** Returns the segments of a row as a JSON object with a member for each column, in order. */
export function objectSegmentsOf(columns: readonly ArtifactColumn[]): RowSegment[] {
  // An object would move members whose names are numbers, such as "2020", to its front.
  const members = columns.flatMap((column, i): RowSegment[] => [
    `${i === 0 ? '' : ','}${JSON.stringify(column.name)}:`,
    jsonSegmentOf(column),
  ])
  return ['{', ...members, '}']
}

/** The geometry of a row as GeoJSON: that of an area, or the point of an answer. */
export const geometryColumn: ArtifactColumn = {
  name: 'geometry',
  isProperty: false,
  kind: 'string',
  variesBy: 'row',
  valueOf: ({ ok, geometry, lat, lng }) =>
    ok && geometry
      ? geometry
      : ok && lat !== null && lng !== null
        ? { type: 'Point', coordinates: [roundDegrees(lng), roundDegrees(lat)] }
        : null,
}

const csvLineBreak = '\r\n'

/** The first record of a CSV file (RFC 4180): the names of the columns. */
function csvHeaderOf(columns: ArtifactColumn[]): string {
  const names = columns.map(({ name, header }) => (header === undefined ? quotedCellOf(name) : copiedCellOf(header)))
  return `${names.join(',')}${csvLineBreak}`
}

function csvSegmentsOf(columns: ArtifactColumn[]): RowSegment[] {
  const cells = columns.flatMap((column): RowSegment[] => [
    ',',
    { column, textOf: column.header === undefined ? quotedCellOf : copiedCellOf },
  ])
  return [...cells.slice(1), csvLineBreak]
}

/** A GeoJSON feature (RFC 7946), one on each line. A failed location is a feature without a geometry. */
function geojsonSegmentsOf(columns: ArtifactColumn[]): RowSegment[] {
  const index = columns.find(({ variesBy }) => variesBy === 'index')
  return [
    '{"type":"Feature","id":',
    jsonSegmentOf(index!),
    ',"geometry":',
    jsonSegmentOf(geometryColumn),
    ',"properties":',
    ...objectSegmentsOf(columns.filter(({ isProperty }) => isProperty)),
    '}',
  ]
}

/** A JSON array in a line: the geometry, and the values of all columns. */
function lineSegmentsOf(columns: readonly ArtifactColumn[]): RowSegment[] {
  const values = [geometryColumn, ...columns].flatMap((column): RowSegment[] => [',', jsonSegmentOf(column)])
  return ['[', ...values.slice(1), ']\n']
}

function jsonSegmentOf(column: ArtifactColumn): RowSegment {
  return { column, textOf: jsonTextOf }
}

/** Returns a value as JSON; a missing value is null. */
function jsonTextOf(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return JSON.stringify(value ?? null)
}
