import { edenGC } from 'bun:jsc'
import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import type { ArtifactRow } from '../runs/artifact-row.ts'
import { artifactRowOfError } from '../runs/artifact-row.ts'
import { recordsOfText } from '../runs/csv-records.ts'
import type { UploadInput } from '../runs/upload-row.ts'
import { createUploadRowReader, type UploadRow } from '../runs/upload-table.ts'
import type { BulkJob, InputBlock } from './bulk-job.ts'
import { resultTextOf } from './result-text.ts'
import { AnswerCounter, type AnswerCounts } from './unanswered-rows.ts'

/** Answers the location of one row. It returns no promise if nothing has to be waited for. Its row has no input cells. */
export type AnswerRow = (row: { index: number; input: UploadInput }) => MaybePromise<ArtifactRow>

/** The answers of a block: the text of its rows with the separators between them, or of each row if `only` was given. */
export type AnsweredBlock = {
  first: number
  rows: number
  text: Uint8Array
  only?: number[]
  rowTexts?: string[]
  counts: AnswerCounts
}

const rowsBetweenCollections = 2048

/** Answers blocks of rows. */
export type AnswerBlock = (block: InputBlock) => Promise<AnsweredBlock>

/** Creates a function that answers the rows of a block, at most `concurrency` at a time. */
export function createBlockAnswerer(
  { table, shape, format }: BulkJob,
  answerRow: AnswerRow,
  concurrency: number,
): AnswerBlock {
  const { fields } = shape
  const readRow = createUploadRowReader(table)
  const { separator, rowText } = resultTextOf(format, shape)
  let uncollectedRows = 0
  return async (block) => {
    const rows: UploadRow[] = []
    for (const record of recordsOfText(block.text, table.delimiter, block.line)) {
      const row = readRow(record)
      rows.push(row instanceof Promise ? await row : row)
    }
    if (rows.length !== block.rows) throw new Error(`A block of ${block.rows} rows was read as ${rows.length} rows.`)
    const positions = block.only?.map((index) => index - block.first) ?? [...rows.keys()]
    const texts: string[] = []
    const counter = new AnswerCounter()
    const answered = await answerAll(positions, (i) => answer(block.first + i, rows[i]!))
    for (const row of answered) {
      counter.add(row, fields)
      texts.push(rowText(row))
    }
    collectGarbage(rows.length)
    return {
      first: block.first,
      rows: block.rows,
      text: encoder.encode(block.only ? '' : texts.join(separator)),
      ...(block.only && { only: block.only, rowTexts: texts }),
      counts: counter.counts(),
    }
  }

  /** Otherwise the garbage of many rows is collected at a time. */
  function collectGarbage(rows: number): void {
    uncollectedRows += rows
    if (uncollectedRows < rowsBetweenCollections) return
    uncollectedRows = 0
    edenGC()
  }

  function answer(index: number, row: UploadRow): MaybePromise<ArtifactRow> {
    if ('error' in row) return withCells(artifactRowOfError(index, row.error, {}, fields), row.cells)
    return andThen(answerRow({ index, input: row.input }), (answered) => withCells(answered, row.cells))
  }

  async function answerAll(positions: number[], answerAt: (position: number) => MaybePromise<ArtifactRow>) {
    const answered: ArtifactRow[] = []
    let next = 0
    const answerNext = async () => {
      while (next < positions.length) {
        const at = next++
        const row = answerAt(positions[at]!)
        answered[at] = row instanceof Promise ? await row : row
      }
    }
    await Promise.all(Array.from({ length: concurrency }, answerNext))
    return answered
  }
}

const encoder = new TextEncoder()

function withCells(row: ArtifactRow, cells: string[]): ArtifactRow {
  row.passthrough = cells
  return row
}
