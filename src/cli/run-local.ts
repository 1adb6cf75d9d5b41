import { availableParallelism } from 'node:os'
import type { Account } from '../auth/accounts.ts'
import type { App, AppOptions } from '../app.ts'
import { openStandaloneSources, type AppSources } from '../app-sources.ts'
import { allScopes } from '../auth/scope.ts'
import { createBlockAnswerer } from '../bulk/block-answerer.ts'
import { openBlockWorkers, type BlockWorkers } from '../bulk/block-workers.ts'
import type { BulkInput } from '../bulk/bulk-input.ts'
import type { BulkJob } from '../bulk/bulk-job.ts'
import type { BlockAnswers } from '../bulk/bulk-run.ts'
import { createLocalAnswers } from '../bulk/local-answers.ts'
import { areAnsweredLocally } from '../fetch/local-fields.ts'
import { createLocationAnswers } from '../bulk/location-answers.ts'
import { withOpenRows } from '../bulk/open-rows.ts'
import type { SourceStatus } from '../catalog/meta-documents.ts'
import type { Environment } from '../config.ts'
import type { CatalogSnapshot } from '../fetch/catalog-state.ts'
import { answerableFieldsOf } from '../fetch/providers.ts'
import { sourceStatusesOf } from '../http/meta.ts'
import type { LocalGeocode } from '../place/local-geocoder.ts'
import { createLocationAnswerer } from '../runs/location-answerer.ts'
import type { Answerable } from '../runs/missing-values.ts'
import { openCommandApp, waitForPacks } from './command-app.ts'
import type { RunCommandDeps } from './run-backend.ts'
import { unwritableFolderError } from './writable-state.ts'

/** A local run acts as the owner: whoever can write the data folder could also create an owner token. */
const owner: Account = { id: 'owner', name: 'owner', scopes: new Set(allScopes) }

/** Rows of a block that the threads of this process answer. Larger blocks leave more garbage at a time. */
const rowsPerBlock = 1024
/** Inputs up to this size are answered faster than a thread starts. */
const singleThreadRows = 32_768
/** The blocks that wait for a thread: enough for the time that the main thread takes to sync the result. */
const blocksPerWorker = 12
/** Rows with addresses take longer, so fewer blocks wait. */
const addressBlocksPerWorker = 3
/** Rows that are read ahead while earlier ones wait for a source. */
const waitingRows = 64
/** The time that locations in progress have to finish when the run is interrupted. */
const grace_ms = 2000

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

/**
 * Opens what the rows need. Fields of local data at coordinates need the data only. All else needs the app: its
 * sources, geocoders, cache, accounts and audit. With it, address packs and fields of local data are still read in
 * threads.
 * @throws {StoreError} if the app is needed, and its data folder is in use or read-only.
 */
export async function openLocalAnswers(
  deps: RunCommandDeps,
  {
    input,
    fieldsOf,
  }: { input: BulkInput; fieldsOf(snapshot: CatalogSnapshot): Parameters<typeof areAnsweredLocally>[0] },
  workers: number | null,
): Promise<LocalAnswers> {
  const options = { ...deps.appOptions(deps.config), config: deps.config }
  const sources = openStandaloneSources({ ...options, now: () => new Date() })
  await sources.packs.waitUntilChecked()
  const isLocal =
    input.table.kind === 'fetch_batch' && areAnsweredLocally(fieldsOf(sources.snapshot()), sources.snapshot())
  const threadOptions = { environment: deps.environment, rows: input.rows, workers }
  if (isLocal && !input.hasAddress) return answersOfSources(sources, options, threadOptions)
  sources.close()
  return openAppAnswers(options, isLocal ? threadOptions : null)
}

type ThreadOptions = { environment: Environment; rows: number; workers: number | null }

function answersOfSources(
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
      if (count > 0) {
        // The contents may be a module, which cannot be sent to a thread.
        const options = { job, environment, contents: { ...contents }, embedded, version, geocoding: null }
        const threads = openBlockWorkers(factories.bulk, count, options)
        return answersInBlocks(threads.answer, count * blocksPerWorker, threads.close)
      }
      return answersInBlocks(createLocalAnswers(job, { ...sources, ...sources.snapshot(), log, now }), 1, () => {})
    },
    close: async () => sources.close(),
  }
}

/** One thread for each processor, but none without a block. */
function threadsFor(rows: number): number {
  return Math.min(availableParallelism(), Math.ceil(rows / rowsPerBlock))
}

function answersInBlocks(answer: BlockAnswers['answer'], blocksAtATime: number, close: () => void): BlockAnswers {
  return { answer, rowsPerBlock, blocksAtATime, close }
}

async function openAppAnswers(options: AppOptions, threadOptions: ThreadOptions | null): Promise<LocalAnswers> {
  const app = openCommandApp(options)
  if (app.isReadOnly) {
    await app.close()
    throw unwritableFolderError(options.config.data)
  }
  await waitForPacks(app)
  const { catalog, registry, log, now, admission } = app
  const answerLocation = createLocationAnswerer({
    fetchContext: (account) => app.fetchContext(account, '/v1/runs'),
    geocode: app.geocodeFor('/v1/runs'),
    admission,
    now,
    log,
    onAnswered: () => {},
  })
  return {
    snapshot: app.snapshot,
    answerable: () => ({
      fields: answerableFieldsOf({ catalog, registry }),
      hasGeocoder: app.geocoders().length > 0,
    }),
    sources: () => sourceStatusesOf(app),
    // oxlint-disable-next-line typescript/require-await -- Worker threads are opened asynchronously.
    async open(job, stopping) {
      const forced = new AbortController()
      const force = () => setTimeout(() => forced.abort(stopping.reason), grace_ms).unref()
      stopping.addEventListener('abort', force, { once: true })
      const answerRow = createLocationAnswers({ job, account: owner, answerLocation, stopping, signal: forced.signal })
      const close = () => stopping.removeEventListener('abort', force)
      const answerRows = createBlockAnswerer(job, answerRow)
      const threads = threadOptions && openAddressThreads(job, app, options, threadOptions)
      // One row each, so that each is stored as soon as it and those before it are answered.
      if (!threads) return { answer: answerRows, rowsPerBlock: 1, blocksAtATime: waitingRows, close }
      const onGeocodes = (geocodes: readonly LocalGeocode[]) => app.recordGeocodes(geocodes, owner.id)
      return {
        answer: withOpenRows(threads.answer, { answerRows, onGeocodes }),
        rowsPerBlock,
        blocksAtATime: threads.blocksAtATime,
        close() {
          threads.close()
          close()
        },
      }
    },
    close: app.close,
  }
}

/** Opens threads that geocode with the address packs; null without packs, or if the rows are too few. */
function openAddressThreads(
  job: BulkJob,
  { addressPacks, geocoders }: Pick<App, 'addressPacks' | 'geocoders'>,
  { contents, embedded, version, workers: factories }: AppOptions,
  { environment, rows, workers }: ThreadOptions,
): (BlockWorkers & { blocksAtATime: number }) | null {
  const count = workers ?? (rows <= rowsPerBlock ? 0 : threadsFor(rows))
  if (count === 0 || addressPacks.edition() === '') return null
  const geocoding = geocoders().length === 1 ? 'packs' : 'packs_first'
  const options = { job, environment, contents: { ...contents }, embedded, version, geocoding } as const
  return { ...openBlockWorkers(factories.bulk, count, options), blocksAtATime: count * addressBlocksPerWorker }
}
