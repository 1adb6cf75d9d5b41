import { availableParallelism } from 'node:os'
import type { AppOptions } from '../../app.ts'
import { openStandaloneSources, type AppSources } from '../../app-sources.ts'
import { openBlockWorkers, type BlockWorkers, type BulkWorkerOptions } from '../../bulk/block-workers.ts'
import type { BulkJob } from '../../bulk/bulk-job.ts'
import type { AnswerBlock, BlockAnswers } from '../../bulk/answer-blocks.ts'
import { createLocalAnswers } from '../../bulk/local-answers.ts'
import type { SourceStatus } from '../../catalog/meta-documents.ts'
import type { Environment } from '../../config.ts'
import type { CatalogSnapshot } from '../../fetch/catalog/catalog-state.ts'
import { answerableFieldsOf } from '../../fetch/sources/providers.ts'
import { sourceStatusesOf } from '../../fetch/sources/source-statuses.ts'
import type { Answerable } from '../../runs/report/missing-values.ts'
import type { RunCommandDeps } from './run-backend.ts'

/** Rows of a block that the threads of this process answer. Larger blocks leave more garbage at a time. */
export const rowsPerBlock = 1024
/** Rows of a block that may need other data: a block is stored when all of its rows are answered. */
export const openRowsPerBlock = 256
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

/** Opens the data of this machine, after its packs are checked. */
export async function openLocalSources(deps: Pick<RunCommandDeps, 'appOptions' | 'config'>) {
  const options: AppOptions = { ...deps.appOptions(deps.config), config: deps.config }
  const sources = openStandaloneSources({ ...options, now: () => new Date() })
  await sources.packs.waitUntilChecked()
  return { options, sources }
}

/** Answers rows from local data alone. */
export function answersOfSources(
  sources: AppSources & { close(): void },
  options: AppOptions,
  threadOptions: ThreadOptions,
): LocalAnswers {
  const { config } = options
  return {
    snapshot: sources.snapshot,
    answerable: () => ({ fields: answerableFieldsOf(sources.snapshot()), hasGeocoder: false }),
    sources: () => sourceStatusesOf({ ...sources.snapshot(), config, net: sources.net }),
    open: (job) => Promise.resolve(openLocalBlocks(job, sources, options, { ...threadOptions, rowsPerBlock })),
    close: async () => sources.close(),
  }
}

/** Opens what answers rows from the data of this machine: this thread, and others if there are many rows. */
export function openLocalBlocks(
  job: BulkJob,
  { embedded, packs, snapshot }: Pick<AppSources, 'embedded' | 'packs' | 'snapshot'>,
  options: AppOptions,
  { environment, rows, workers, ...sizes }: ThreadOptions & { rowsPerBlock: number },
): BlockAnswers {
  const { log } = options
  const answerHere = createLocalAnswers(job, { embedded, packs, snapshot, log, now: () => new Date(job.now_ms) })
  const count = workers ?? (rows <= singleThreadRows ? 0 : threadsFor(rows))
  if (count <= 1) return { ...sizes, answer: answerHere, blocksAtATime: 1, close() {} }
  const threads = openThreads(job, options, { environment, count: count - 1, geocoding: null })
  const answer: AnswerBlock = (block) =>
    threads.leastPending() < blocksPerWorker ? threads.answer(block) : answerHere(block)
  return { ...sizes, answer, blocksAtATime: count * blocksPerThread, close: threads.close }
}

/** Starts threads that answer blocks. */
export function openThreads(
  job: BulkJob,
  { contents, embedded, version, workers }: AppOptions,
  { count, ...options }: Pick<BulkWorkerOptions, 'environment' | 'geocoding'> & { count: number },
): BlockWorkers {
  // The contents may be a module, which cannot be sent to a thread.
  return openBlockWorkers(workers.bulk, count, { job, contents: { ...contents }, embedded, version, ...options })
}

/** One thread for each processor, but none without a block. */
export function threadsFor(rows: number): number {
  return Math.min(availableParallelism(), Math.ceil(rows / rowsPerBlock))
}
