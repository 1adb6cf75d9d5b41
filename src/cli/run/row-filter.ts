import type { AppSources } from '../../app-sources.ts'
import type { AppOptions } from '../../app.ts'
import type { BulkJob } from '../../bulk/bulk-job.ts'
import { answerBlocks, type BlockAnswers } from '../../bulk/answer-blocks.ts'
import { localShareOf } from '../../bulk/local-answers.ts'
import { resultTextOf } from '../../runs/artifacts/result-text.ts'
import { readCsvStream, readJsonStream, type StreamBlock, type StreamOptions } from '../../bulk/stream/stream-rows.ts'
import type { ArrowBlock } from '../../bulk/stream/arrow-stream.ts'
import { AnswerCounter, reportOfCounts } from '../../bulk/unanswered-rows.ts'

import type { Field } from '../../catalog/records.ts'
import type { AddedColumns } from '../../runs/artifacts/artifact-columns.ts'
import type { UploadFormat } from '../../runs/upload/upload-format.ts'
import type { UploadTable } from '../../runs/upload/upload-table.ts'
import { exitCodes } from '../exit-codes.ts'
import type { RunCommandDeps, RunJob } from './run-backend.ts'
import { bulkJobOf, fieldsOfJob } from './run-bulk.ts'
import { type LocalAnswers, answersOfSources, openLocalSources, openRowsPerBlock, rowsPerBlock } from './run-local.ts'
import { exitCodeOf } from './run-report-text.ts'

/** The formats of a stream. Its rows and its result have the same one. */
export const streamFormats = ['csv', 'ndjson', 'arrow'] as const

/** What a filter answers for each row. */
export type FilterJob = Pick<RunJob, 'kind' | 'fields' | 'preset'> & {
  format: (typeof streamFormats)[number]
  upload: UploadFormat
  added: readonly AddedColumns[]
  /** Whether failed rows and fields decide about the exit code. */
  isStrict: boolean
}

/** A filter uses one processor. */
const thisThread = { environment: {}, rows: 0, workers: 0 }

type Bytes = AsyncIterable<Uint8Array>
type WriteBytes = (bytes: Uint8Array) => Promise<void>

/** Answers streams of rows, one after the other. */
export class RowFilter {
  readonly #job: FilterJob
  readonly #options: AppOptions
  readonly #fields: Field[]
  readonly #localShare: ReturnType<typeof localShareOf>
  readonly #local: LocalAnswers
  #app: Promise<LocalAnswers> | null = null

  /** @throws {ValidationError} if a field is unknown. */
  constructor(job: FilterJob, sources: AppSources & { close(): void }, options: AppOptions) {
    this.#job = job
    this.#options = options
    this.#fields = fieldsOfJob(job, sources.snapshot())
    this.#localShare = job.kind === 'fetch_batch' ? localShareOf(this.fieldNames, sources.snapshot()) : 'none'
    this.#local = answersOfSources(sources, options, thisThread)
  }

  /** The names of the fields. */
  get fieldNames(): string[] {
    return this.#fields.map(({ name }) => name)
  }

  /**
   * Answers all rows of a stream. If it cannot, or when `stop` aborts, the reading ends.
   * @throws {ValidationError} if the rows cannot be read.
   */
  async answer(bytes: Bytes, write: WriteBytes, stop: AbortController): Promise<{ rows: number; exitCode: number }> {
    const opened = new Map<UploadTable, Promise<BlockAnswers>>()
    const answersFor = ({ table }: StreamBlock): Promise<BlockAnswers> => {
      const answers = opened.get(table) ?? this.#open(table, stop.signal)
      opened.set(table, answers)
      return answers
    }
    const { format, isStrict } = this.#job
    const counter = new AnswerCounter()
    const run = { answersFor, counter, stop: () => stop.abort(), signal: stop.signal }
    await (format === 'arrow' ? this.#answerArrow(bytes, write, run) : this.#answerText(bytes, write, run))
    const report = reportOfCounts(counter.counts())
    return { rows: report.locations.total, exitCode: isStrict ? exitCodeOf(report, true) : exitCodes.ok }
  }

  async close(): Promise<void> {
    await (await this.#app)?.close()
    await this.#local.close()
  }

  async #answerText(bytes: Bytes, write: WriteBytes, run: StreamDeps) {
    const read = this.#job.format === 'csv' ? readCsvStream : readJsonStream
    let hasStarted = false
    await answerBlocks({
      ...run,
      blocks: read(bytes, this.#streamOptions()),
      write: async ({ text, counts }, { table }) => {
        run.counter.merge(counts)
        const { format, shape } = this.#jobOf(table)
        const { start } = resultTextOf(format, shape)
        if (!hasStarted && start !== '') await write(new TextEncoder().encode(start))
        hasStarted = true
        if (text.length > 0) await write(text)
      },
    })
  }

  async #answerArrow(bytes: Bytes, write: WriteBytes, run: StreamDeps) {
    const { readArrowStream } = await import('../../bulk/stream/arrow-stream.ts')
    const { ArrowResult } = await import('../../bulk/stream/arrow-result.ts')
    const result = new ArrowResult()
    await answerBlocks<ArrowBlock>({
      ...run,
      blocks: readArrowStream(bytes, this.#streamOptions()),
      write: async ({ text, counts }, { table, batch }) => {
        run.counter.merge(counts)
        await write(result.bytesOf(text, batch, this.#jobOf(table)))
      },
    })
    await write(result.end())
  }

  #streamOptions(): StreamOptions {
    const { kind, upload } = this.#job
    return { kind, format: upload, rowsPerBlock: (table) => this.#rowsPerBlock(table) }
  }

  async #open(table: UploadTable, signal: AbortSignal): Promise<BlockAnswers> {
    const answers = this.#needsApp(table) ? await (this.#app ??= this.#openApp()) : this.#local
    return answers.open(this.#jobOf(table), signal)
  }

  /** Opens the app, with its sources, geocoders, cache, accounts and audit. */
  async #openApp(): Promise<LocalAnswers> {
    const { openAppAnswers } = await import('./run-app.ts')
    return openAppAnswers(this.#options, this.#localShare === 'none' ? null : thisThread)
  }

  #needsApp({ columns }: UploadTable): boolean {
    return this.#localShare !== 'all' || columns.address.length > 0
  }

  /** A row that waits for a publisher or a geocoder is a block of its own, so that it does not hold up others. */
  #rowsPerBlock(table: UploadTable): number {
    if (!this.#needsApp(table)) return rowsPerBlock
    return this.#localShare === 'none' || table.columns.address.length > 0 ? 1 : openRowsPerBlock
  }

  #jobOf(table: UploadTable): BulkJob {
    const { kind, added, format } = this.#job
    const isArrow = format === 'arrow'
    // The columns of an Arrow stream are copied as they are.
    const inputColumns = isArrow ? [] : table.columns.header
    const input = { table, inputColumns, hasAddress: table.columns.address.length > 0 }
    return bulkJobOf({ kind, added, format: isArrow ? 'ndjson' : format }, input, {
      fields: this.#fields,
      catalog: this.#local.snapshot().catalog,
    })
  }
}

type StreamDeps = Pick<Parameters<typeof answerBlocks<StreamBlock>>[0], 'answersFor' | 'stop' | 'signal'> & {
  counter: AnswerCounter
}

/** Opens a filter. @throws {ValidationError} if a field is unknown. */
export async function openRowFilter(job: FilterJob, deps: RunCommandDeps): Promise<RowFilter> {
  const { options, sources } = await openLocalSources(deps)
  return new RowFilter(job, sources, options)
}
