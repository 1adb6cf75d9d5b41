import { artifactColumnsOf, type ArtifactShape } from '../runs/artifacts/artifact-columns.ts'
import { csvHeaderOf, csvPartsOf } from '../runs/artifacts/artifact-csv.ts'
import { geojsonEnd, geojsonPartsOf, geojsonSeparator, geojsonStart } from '../runs/artifacts/artifact-geojson.ts'
import { jsonMemberParts, type RowPart } from '../runs/artifacts/row-layout.ts'

/** The formats of a result. A Parquet file is written as JSON lines first. */
export type ResultFormat = 'csv' | 'geojson' | 'ndjson' | 'parquet'

/** The texts of a result file. `separator` is between two rows, `end` after the last one. */
export type ResultText = {
  start: string
  separator: string
  end: string
  /** The parts of the text of a row. */
  row: readonly RowPart[]
}

/** Returns the texts of a result in a format. */
export function resultTextOf(format: ResultFormat, shape: ArtifactShape): ResultText {
  const columns = artifactColumnsOf(shape)
  switch (format) {
    case 'csv':
      return { start: csvHeaderOf(columns), separator: '', end: '', row: csvPartsOf(columns) }
    case 'geojson':
      return {
        start: geojsonStart,
        separator: geojsonSeparator,
        end: geojsonEnd,
        row: geojsonPartsOf(columns),
      }
    case 'ndjson':
    case 'parquet':
      return { start: '', separator: '', end: '', row: ['{', ...jsonMemberParts(columns), '}\n'] }
  }
}
