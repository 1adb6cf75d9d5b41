import { availableParallelism } from 'node:os'
import type { AppOptions } from '../../app.ts'
import type { AppSources } from '../../app-sources.ts'
import type { AnswerBlock } from '../../bulk/block-answerer.ts'
import { openBlockWorkers } from '../../bulk/block-workers.ts'
import type { BulkJob } from '../../bulk/bulk-job.ts'
import type { BlockAnswers } from '../../bulk/bulk-run.ts'
import { createLocalAnswers } from '../../bulk/local-answers.ts'
import type { SourceStatus } from '../../catalog/meta-documents.ts'
import type { Environment } from '../../config.ts'
import type { CatalogSnapshot } from '../../fetch/catalog/catalog-state.ts'
import { answerableFieldsOf } from '../../fetch/sources/providers.ts'
import { sourceStatusesOf } from '../../fetch/sources/source-statuses.ts'
import type { Answerable } from '../../runs/report/missing-values.ts'

/** Rows of a block that the threads of this process answer. Larger blocks leave more garbage at a time. */
export const rowsPerBlock = 1024
/** Inputs up to this size are answered faster than a thread starts. */
const singleThreadRows = 32_768
/** The blocks that wait for a thread: enough for the time that the main thread takes to sync the result. */
const blocksPerWorker = 12
/** The blocks for each thread that are begun and not written, because a thread is still at an earlier one. */
const blocksPerThread = 2 * blocksPerWorker

/** What answers rows in this process. */
export type LocalAnswers = {
  snapshot(): CatalogSnapshot
  /** What there is a source for now. */
  answerable(): Answerable
  sources(): SourceStatus[]
  /** Opens the answers. When the signal aborts, no more rows are begun. */
  open(job: BulkJob, stopping: AbortSignal): Promise<BlockAnswers>
  close(): Promise<void>
}

/** How many threads answer the rows, with this one: `workers`, or as many as are useful. */
export type ThreadOptions = { environment: Environment; rows: number; workers: number | null }

/** Answers rows from local data alone. */
export function answersOfSources(
  sources: AppSources & { close(): void },
  { config, contents, log, embedded, version, workers: factories }: AppOptions,
  { environment, rows, workers }: ThreadOptions,
): LocalAnswers {
  const count = workers ?? (rows <= singleThreadRows ? 0 : threadsFor(rows))
  return {
    snapshot: sources.snapshot,
    answerable: () => ({ fields: answerableFieldsOf(sources.snapshot()), hasGeocoder: false }),
    sources: () => sourceStatusesOf({ ...sources.snapshot(), config, net: sources.net }),
    // oxlint-disable-next-line typescript/require-await -- The app is opened asynchronously.
    async open(job) {
      const now = () => new Date(job.now_ms)
      const answerHere = createLocalAnswers(job, { ...sources, ...sources.snapshot(), log, now })
      if (count <= 1) return { answer: answerHere, rowsPerBlock, blocksAtATime: 1, close() {} }
      // The contents may be a module, which cannot be sent to a thread.
      const options = { job, environment, contents: { ...contents }, embedded, version, geocoding: null }
      const threads = openBlockWorkers(factories.bulk, count - 1, options)
      const answer: AnswerBlock = (block) =>
        threads.leastPending() < blocksPerWorker ? threads.answer(block) : answerHere(block)
      return { answer, rowsPerBlock, blocksAtATime: count * blocksPerThread, close: threads.close }
    },
    close: async () => sources.close(),
  }
}

/** One thread for each processor, but none without a block. */
export function threadsFor(rows: number): number {
  return Math.min(availableParallelism(), Math.ceil(rows / rowsPerBlock))
}
