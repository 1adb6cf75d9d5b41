import { allOf, andThen, type MaybePromise } from '../async/maybe-promise.ts'
import type { GeocodedAddress } from '../place/geocode-audit.ts'
import { type ArtifactRow, artifactRowOfError } from '../runs/artifacts/artifact-row.ts'
import { recordsOfText } from '../files/table/csv-records.ts'
import type { UploadInput } from '../runs/upload/upload-row.ts'
import { resultTextOf, textOfRow } from '../runs/artifacts/result-text.ts'
import { createUploadRowReader, type UploadRow } from '../runs/upload/upload-table.ts'
import type { BulkJob, InputBlock } from './bulk-job.ts'
import { AnswerCounter, type AnswerCounts } from './unanswered-rows.ts'

/**
 * Answers the location of one row. It returns no promise if nothing has to be waited for. Its row has no input cells.
 */
export type AnswerRow = (row: { index: number; input: UploadInput }) => MaybePromise<ArtifactRow>

/**
 * The answers of a block: the text of its rows with the separators between them, or of each row if `only` was given.
 */
export type AnsweredBlock = {
  first: number
  rows: number
  text: Uint8Array
  only?: number[]
  rowTexts?: string[]
  counts: AnswerCounts
  /** The rows that a worker thread left open, in order, and where their text belongs. */
  open?: { index: number; at_byte: number }[]
  /** The addresses that were geocoded, for the audit. */
  geocodes?: GeocodedAddress[]
}

/** Answers blocks of rows. */
export type AnswerBlock = (block: InputBlock) => Promise<AnsweredBlock>

/**
 * Creates a function that answers each row of a block by itself. `answerRow` limits how many are answered at a time.
 */
export function createBlockAnswerer({ table, shape, format }: BulkJob, answerRow: AnswerRow): AnswerBlock {
  const { fields } = shape
  const readRow = createUploadRowReader(table)
  const { separator, row: rowParts } = resultTextOf(format, shape)
  return async (block) => {
    const selected = block.only && new Set(block.only)
    const pending: MaybePromise<ArtifactRow>[] = []
    let found = 0
    for (const record of recordsOfText(block.text, table.delimiter, block.line)) {
      const index = block.first + found++
      if (!selected || selected.has(index)) pending.push(andThen(readRow(record), (row) => answer(index, row)))
    }
    const rows = await allOf(pending)
    if (found !== block.rows) throw new Error(`A block of ${block.rows} rows was read as ${found} rows.`)
    const counter = new AnswerCounter()
    for (const row of rows) counter.add(row, fields)
    const texts = rows.map((row) => textOfRow(rowParts, row))
    return {
      first: block.first,
      rows: block.rows,
      text: encoder.encode(block.only ? '' : texts.join(separator)),
      ...(block.only && { only: block.only, rowTexts: texts }),
      counts: counter.counts(),
    }
  }

  function answer(index: number, row: UploadRow): MaybePromise<ArtifactRow> {
    if ('error' in row) return withCells(artifactRowOfError(index, row.error, {}, fields), row.cells)
    return andThen(answerRow({ index, input: row.input }), (answered) => withCells(answered, row.cells))
  }
}

const encoder = new TextEncoder()

function withCells(row: ArtifactRow, cells: string[]): ArtifactRow {
  row.passthrough = cells
  return row
}
