import { artifactColumnsOf, type ArtifactColumn, type ArtifactShape } from '../runs/artifacts/artifact-columns.ts'
import { csvHeaderOf, csvSegmentsOf } from '../runs/artifacts/artifact-csv.ts'
import {
  geojsonEnd,
  geojsonSegmentsOf,
  geojsonSeparator,
  geojsonStart,
  geometryColumn,
} from '../runs/artifacts/artifact-geojson.ts'
import { jsonTextOf, ndjsonSegmentsOf, type RowSegment } from '../runs/artifacts/row-layout.ts'
import { rowFileFormats, type RowFileFormat } from '../runs/artifacts/row-file.ts'
import type { resultFormats } from '../runs/artifacts/artifact-writer.ts'

/** The formats of a result. Those that are not text are written as lines first. */
export type ResultFormat = (typeof resultFormats)[number]

/** Whether a format is text, so that its rows are written as they are answered. */
export function isTextFormat(format: ResultFormat): format is Exclude<ResultFormat, RowFileFormat> {
  return !rowFileFormats.some((it) => it === format)
}

/** The texts of a result file. `separator` is between two rows, `end` after the last one. */
export type ResultText = {
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
        start: geojsonStart,
        separator: geojsonSeparator,
        end: geojsonEnd,
        row: geojsonSegmentsOf(columns),
      }
    case 'ndjson':
      return { start: '', separator: '', end: '', row: ndjsonSegmentsOf(columns) }
    case 'parquet':
    case 'xlsx':
    case 'gpkg':
      return { start: '', separator: '', end: '', row: lineSegments(columns) }
  }
}

/** The segments of a JSON array in a line: the geometry, and the values of all columns. */
function lineSegments(columns: readonly ArtifactColumn[]): RowSegment[] {
  const values = [geometryColumn, ...columns].flatMap((column): RowSegment[] => [',', { column, textOf: jsonTextOf }])
  return ['[', ...values.slice(1), ']\n']
}
