import { artifactColumnsOf, type ArtifactColumn, type ArtifactShape } from '../runs/artifact-columns.ts'
import { csvHeaderOf, csvLineOf } from '../runs/artifact-csv.ts'
import { geojsonEnd, geojsonFeatureOf, geojsonSeparator, geojsonStart } from '../runs/artifact-geojson.ts'
import type { ArtifactRow } from '../runs/artifact-row.ts'

/** The formats of a result. A Parquet file is written as JSON lines first. */
export type ResultFormat = 'csv' | 'geojson' | 'ndjson' | 'parquet'

/** The texts of a result file. `separator` is between two rows, `end` after the last one. */
export type ResultText = {
  start: string
  separator: string
  end: string
  rowText(row: ArtifactRow): string
}

/** Returns the texts of a result in a format. */
export function resultTextOf(format: ResultFormat, shape: ArtifactShape): ResultText {
  const columns = artifactColumnsOf(shape)
  switch (format) {
    case 'csv':
      return { start: csvHeaderOf(columns), separator: '', end: '', rowText: (row) => csvLineOf(row, columns) }
    case 'geojson':
      return {
        start: geojsonStart,
        separator: geojsonSeparator,
        end: geojsonEnd,
        rowText: (row) => geojsonFeatureOf(row, columns),
      }
    case 'ndjson':
    case 'parquet':
      return { start: '', separator: '', end: '', rowText: (row) => jsonLineOf(row, columns) }
  }
}

/** Returns a row as a JSON object in one line, with a member for each column in order. */
function jsonLineOf(row: ArtifactRow, columns: ArtifactColumn[]): string {
  // An object would move members whose names are numbers, such as "2020", to its front.
  const members = columns.map(({ name, valueOf }) => `${JSON.stringify(name)}:${JSON.stringify(valueOf(row) ?? null)}`)
  return `{${members.join()}}\n`
}
