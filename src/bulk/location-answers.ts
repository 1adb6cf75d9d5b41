import type { Account } from '../auth/accounts.ts'
import { AdmissionQueue } from '../fetch/admission.ts'
import { batchConcurrency } from '../fetch/batch.ts'
import { recordsOfText } from '../files/table/csv-records.ts'
import { artifactRowOf, artifactRowOfError, type ArtifactRow } from '../runs/artifacts/artifact-row.ts'
import { resultTextOf, textOfRow } from '../runs/artifacts/result-text.ts'
import type { LocationAnswerer } from '../runs/location-answerer.ts'
import { errorEntryOf, triesExhaustedError } from '../runs/report/run-entry.ts'
import { createUploadRowReader, type UploadRow } from '../runs/upload/upload-table.ts'
import type { AnswerBlock } from './answer-blocks.ts'
import type { BulkJob } from './bulk-job.ts'
import { AnswerCounter } from './unanswered-rows.ts'

const attemptsMax = 3
/** The rows that are read ahead. */
const maxQueued = 1024
const encoder = new TextEncoder()

type Options = {
  job: BulkJob
  account: Account
  answerLocation: LocationAnswerer
  /** Aborted when no more rows may begin. */
  stopping: AbortSignal
  /** Aborted when the rows in progress must end. */
  signal: AbortSignal
}

/**
 * Creates a function that answers each row of a block by itself, as a run of the service does: with its sources, its
 * geocoders and its cache, on behalf of an account, four at a time.
 */
export function createLocationAnswers({ job, account, answerLocation, stopping, signal }: Options): AnswerBlock {
  const { table, format, shape, now_ms } = job
  const { kind } = table
  const { fields } = shape
  const readRow = createUploadRowReader(table)
  const { separator, row: rowParts } = resultTextOf(format, shape)
  const slots = new AdmissionQueue(batchConcurrency, maxQueued)
  const question = { run_id: 'bulk', kind, account_id: account.id, scopes: [...account.scopes].join(' '), fields }
  return async (block) => {
    const selected = block.only && new Set(block.only)
    const pending: { index: number; row: UploadRow }[] = []
    let found = 0
    for (const record of recordsOfText(block.text, table.delimiter, block.line)) {
      const index = block.first + found++
      if (!selected || selected.has(index)) pending.push({ index, row: await readRow(record) })
    }
    const rows = await Promise.all(pending.map(async ({ index, row }) => answerRow(index, row)))
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

  async function answerRow(index: number, row: UploadRow): Promise<ArtifactRow> {
    const answered =
      'error' in row
        ? artifactRowOfError(index, row.error, {}, fields)
        : await slots.run(() => answer(index, JSON.stringify(row.input)), { signal: stopping })
    answered.passthrough = row.cells
    return answered
  }

  async function answer(idx: number, input: string): Promise<ArtifactRow> {
    const position = { idx, original_index: null }
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const found = await answerLocation({ ...question, ...position, input }, signal, () => {})
      signal.throwIfAborted()
      if (found !== 'internal_error') return rowOf(idx, input, found.entry)
    }
    return rowOf(idx, input, errorEntryOf(position, triesExhaustedError(attemptsMax), new Date(now_ms)).entry)
  }

  function rowOf(idx: number, input: string, entry: string): ArtifactRow {
    return artifactRowOf({ idx, entry, input, passthrough: null }, fields, { kind })
  }
}
