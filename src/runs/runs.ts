import { ProgressClock, RunListeners } from './run-listeners.ts'
import { createRoundRobin } from '../async/round-robin.ts'
import type { Account } from '../auth/accounts.ts'
import { ApiError } from '../model/error.ts'
import { isFinalStatus, type FailingRun, type RunReader, type StoredRun } from '../store/runs/runs.ts'
import type { Store } from '../store/store.ts'
import { StorageError } from '../store/storage-error.ts'
import {
  artifactNamesOf,
  finishedFamilyOf,
  type ArtifactFormat,
  type ArtifactVariant,
} from './artifacts/artifact-writer.ts'
import type { RunArtifacts } from './artifacts/artifact-files.ts'
import { isBeforeExpiry, oldestValidKeyTime, isRunId } from './run-id.ts'
import { fieldTypesOf } from './artifacts/field-types.ts'
import { hasRunResult } from './report/run-document.ts'
import { RunSubmitter, type MissingLocations, type RunSubmitterDeps, type Submission } from './run-submitter.ts'
import { type RunWorkerDeps, RunWorker } from './run-worker.ts'
import { createUploadQueue } from './upload/upload-queue.ts'
import { createWorkbookConverter } from './upload/workbook-converter.ts'
import type { ConvertWorkbook } from './upload/workbook.ts'
import type { RunState } from './worker-messages.ts'

/**
 * Worker losses in the last ten minutes, failures in the last day, and the runs that failed or lost several workers.
 * `stalled_s`: for how long no run has made progress; 0 if all runs are finished.
 */
type RunsHealth = { recent_losses: number; failed: number; failing_runs: FailingRun[]; stalled_s: number }

/** The dependencies of the runs. */
type RunsDeps = Omit<RunWorkerDeps, 'onChange'> &
  Pick<RunSubmitterDeps, 'answerable' | 'catalog' | 'now' | 'randomBytes'> & {
    store: Pick<Store, 'isReadOnly' | 'runs'>
    artifacts: RunArtifacts
    startWorkbookWorker: () => Worker
    /** Whether other processes use the same runs. */
    isShared?: boolean
  }

/** Clients that read results get this much time in each turn of the event loop. */
const readers_ms = 4
/** The pieces are 32 MB of garbage then. A collection takes about 20 ms; one of the young generation frees little. */
const piecesBetweenCollections = 1024
const recentFailure_ms = 86_400_000
const failingLossesMin = 2
const failingMax = 10

/** The runs. Runs of other accounts and expired runs count as unknown. */
export class Runs {
  readonly reader: RunReader
  readonly artifacts: RunArtifacts
  /** The turns in which documents, pages and files are read for clients. */
  readonly readerTurns = createRoundRobin(readers_ms, collectAfterPieces())
  /** The queue that limits concurrent submissions. */
  readonly uploadQueue = createUploadQueue()
  readonly #workbooks: ReturnType<typeof createWorkbookConverter>
  readonly #deps: RunsDeps
  readonly #isReadOnly: boolean
  readonly #worker: RunWorker
  readonly #submitter: RunSubmitter
  readonly #listeners: RunListeners
  readonly #stopping = new AbortController()
  readonly #isShared: boolean
  readonly #progress: ProgressClock

  constructor(deps: RunsDeps) {
    this.#deps = deps
    this.#isReadOnly = deps.store.isReadOnly
    this.reader = deps.store.runs
    this.artifacts = deps.artifacts
    this.#isShared = deps.isShared ?? false
    this.#listeners = new RunListeners(this.reader, this.#isShared)
    this.#progress = new ProgressClock(this.reader, this.#isShared)
    this.#workbooks = createWorkbookConverter(deps.startWorkbookWorker)
    this.#worker = new RunWorker({
      ...deps,
      onChange: (state) => {
        this.#progress.restart()
        this.#listeners.notify(state)
      },
    })
    this.#submitter = new RunSubmitter({
      ...deps,
      isReadOnly: this.#isReadOnly,
      reader: this.reader,
      worker: this.#worker,
      stopping: this.#stopping.signal,
    })
  }

  /** Reads a workbook outside the main thread. */
  get convertWorkbook(): ConvertWorkbook {
    return this.#workbooks.convert
  }

  /** Aborted when the server stops: streams end, and submissions are rejected. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Submits a run. It is durable when this resolves. */
  async submit(account: Account, submission: Submission): Promise<{ run_id: string; replayed: boolean }> {
    await this.#progress.restartBeforeFirst()
    return this.#submitter.submit(account, submission)
  }

  /** Whether a submission with this idempotency key would repeat an earlier one. */
  async isKeyUsed({ id }: Account, key: string): Promise<boolean> {
    return (await this.reader.findByKey(id, key, oldestValidKeyTime(this.#deps.now().getTime()))) !== null
  }

  async retry(account: Account, id: string): Promise<{ run_id: string }> {
    await this.#progress.restartBeforeFirst()
    return this.#submitter.retry(account, () => this.find(account, id))
  }

  /** Finds what a retry of everything that is missing would repeat. @throws {ApiError} `run_not_retryable` */
  async findMissing(account: Account, id: string): Promise<MissingLocations> {
    return this.#submitter.findMissing(await this.find(account, id))
  }

  /** Submits a run with the given locations of a finished run. `inputs`: new inputs as JSON, by index. */
  retryLocations: RunSubmitter['retryLocations'] = (...retry) => this.#submitter.retryLocations(...retry)

  /** Finds the run of an idempotency key that is still valid; null if there is none. */
  async findByKey({ id }: Account, key: string): Promise<StoredRun | null> {
    const now_ms = this.#deps.now().getTime()
    const found = await this.reader.findByKey(id, key, oldestValidKeyTime(now_ms))
    const run = found && (await this.reader.find(found.run_id, id))
    return run && isBeforeExpiry(run.expires_at, now_ms) ? run : null
  }

  async cancel(account: Account, id: string): Promise<StoredRun> {
    const run = await this.find(account, id)
    if (run.finished_at === null && this.#isReadOnly) throw new StorageError('read_only')
    if (run.finished_at === null) await this.#worker.execute({ type: 'cancel', number: run.number })
    // Another server may be cancelling it.
    const after = await this.waitUntilFinished(account, id, this.stopping)
    if (run.finished_at !== null || after.status !== 'cancelled')
      throw new ApiError(
        'run_not_cancellable',
        `This run is ${after.status}. Only a queued or running run can be cancelled.`,
        { status: after.status },
      )
    return after
  }

  /** @throws {ApiError} `run_not_found`, with the same message for unknown, foreign and expired runs. */
  async find(account: Account, id: string): Promise<StoredRun> {
    const run = isRunId(id) ? await this.reader.find(id, account.id) : null
    if (!run || !isBeforeExpiry(run.expires_at, this.#deps.now().getTime())) throw runNotFoundError()
    return run
  }

  /**
   * Returns the name of a stored result file of the run, and writes the file first if it is missing.
   * @throws {ApiError} `run_not_ready` or `run_failed`
   */
  async prepareArtifact(run: StoredRun, format: ArtifactFormat, variant: ArtifactVariant): Promise<string> {
    if (!hasRunResult(run)) throw noArtifactsError(run)
    const names = artifactNamesOf(variant, variant.retries ? await finishedFamilyOf(run, this.reader) : [run])
    if (await this.artifacts.find(run.number, names[format])) return names[format]
    if (this.#isReadOnly) throw new StorageError('read_only')
    const { id, account_id } = run
    const isRequested = format !== 'csv' && format !== 'geojson' && format !== 'report'
    const file = isRequested ? { format, fieldTypes: fieldTypesOf(run, this.#deps.catalog()) } : null
    const command = { type: 'writeArtifacts', id, account_id, variant, file } as const
    const written = await this.#worker.execute(command)
    if (!written) throw runNotFoundError()
    return written[format]
  }

  /** Calls `onChange` for every change from now on. Returns the function that unsubscribes. */
  subscribe({ id }: Pick<Account, 'id'>, run_id: string, onChange: (state: RunState) => void): () => void {
    return this.#listeners.add(id, run_id, onChange)
  }

  /** Resolves when the run is finished or the signal aborts. */
  async waitUntilFinished(account: Account, id: string, signal: AbortSignal): Promise<StoredRun> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopSignal = AbortSignal.any([signal, this.stopping])
    stopSignal.addEventListener('abort', () => resolve(), { once: true })
    const unsubscribe = this.subscribe(account, id, ({ status }) => {
      if (isFinalStatus(status)) resolve()
    })
    try {
      if (!stopSignal.aborted && (await this.find(account, id)).finished_at === null) await promise
    } finally {
      unsubscribe()
    }
    return this.find(account, id)
  }

  /** Deletes expired runs. */
  async sweep(): Promise<void> {
    const at = this.#deps.now().getTime()
    const keysBefore = oldestValidKeyTime(at)
    if (!this.#isReadOnly && (this.#worker.isRunning() || (await this.reader.hasExpired(at, keysBefore))))
      await this.#worker.execute({ type: 'sweep', before: at, keysBefore })
  }

  async health(): Promise<RunsHealth> {
    const failedAfter = this.#deps.now().getTime() - recentFailure_ms
    return {
      recent_losses: this.#worker.recentLosses(),
      failed: await this.reader.failedAfter(failedAfter),
      failing_runs: await this.reader.listFailing(failingLossesMin, failedAfter, failingMax),
      stalled_s: await this.#progress.stalled_s(),
    }
  }

  /** Starts the worker if there are unfinished runs. A submission also starts it. */
  async resume(): Promise<void> {
    this.#progress.restart()
    // On a shared database, the worker also looks for the runs of servers that have ended.
    if (!this.#isReadOnly && (this.#isShared || (await this.reader.hasUnfinished()))) this.#worker.start()
  }

  /**
   * Stops the worker. Locations that have begun have `grace_ms` to finish, or until the signal aborts; the next start
   * continues the others.
   */
  async stop(grace_ms: number, signal?: AbortSignal): Promise<void> {
    this.#stopping.abort(new Error('The server is stopping.'))
    const stopWithin = (limit_ms: number) =>
      this.#worker
        .execute({ type: 'stop', grace_ms: limit_ms })
        .catch((error: unknown) => this.#deps.log.error('runs', { activity: 'stopping', error }))
    const stopNow = () => void stopWithin(0)
    if (this.#worker.isRunning()) {
      const stopped = stopWithin(grace_ms)
      this.#worker.withdrawWaiting()
      signal?.addEventListener('abort', stopNow, { once: true })
      await stopped
      signal?.removeEventListener('abort', stopNow)
    }
    this.close()
  }

  close(): void {
    this.#workbooks.close()
    this.#worker.close()
  }
}

function runNotFoundError(): ApiError {
  return new ApiError('run_not_found', 'Run not found. A run is visible to its own account for 30 days.')
}

function noArtifactsError({ status }: StoredRun): ApiError {
  return status === 'failed'
    ? new ApiError('run_failed', 'This run failed, so it has no artifacts. Submit its locations again.', { status })
    : new ApiError('run_not_ready', `This run is ${status}. Its artifacts are available when it has ended.`, {
        status,
      })
}

/** Returns a function that counts pieces and collects their garbage, which otherwise grows to hundreds of megabytes. */
function collectAfterPieces(): (pieces: number) => void {
  let uncollected = 0
  return (pieces) => {
    uncollected += pieces
    if (uncollected < piecesBetweenCollections) return
    uncollected = 0
    Bun.gc(true)
  }
}
