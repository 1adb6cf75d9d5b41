import type { ArtifactShape } from '../runs/artifacts/artifact-columns.ts'
import type { ResultFormat } from '../runs/artifacts/result-text.ts'
import type { UploadTable } from '../runs/upload/upload-table.ts'
import type { FieldTypes } from '../runs/artifacts/row-file.ts'

/** What a bulk run answers for each row, and how it writes the result. Worker threads receive it as plain data. */
export type BulkJob = {
  table: UploadTable
  /** The columns of the result. */
  shape: ArtifactShape
  format: ResultFormat
  fieldTypes: FieldTypes
  /**
   * The time of the answers, in ms since 1970: fixed, so that a continued run answers like one without interruption.
   */
  now_ms: number
}

/** Consecutive rows of the input. `first` is the index of the first row, `line` the line that the text begins with. */
export type InputBlock = {
  first: number
  rows: number
  text: string
  line: number
  /** The indexes of the rows to answer; undefined: all. */
  only?: number[]
}
