import { edenGC } from 'bun:jsc'
import { statfsSync } from 'node:fs'
import type { Database } from 'bun:sqlite'
import type { Account } from '../auth/accounts.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { selectFields } from '../fetch/select.ts'
import { ApiError } from '../model/error.ts'
import { createArtifactStore, type ArtifactStore } from '../store/artifacts.ts'
import { createRunReader, type RunReader, type StoredRun, type TroubledRun } from '../store/run-reader.ts'
import type { NewLocation, NewRun, SubmissionKey, SubmissionResult } from '../store/submissions.ts'
import { storageReadOnlyError, storageFullError } from '../store/sqlite-errors.ts'
import { isReadOnlyDatabase } from '../store/read-only.ts'
import { runExpiryOf, isBeforeExpiry, oldestValidKeyTime } from './run-expiry.ts'
import { createUploadQueue, type UploadQueue } from './upload-queue.ts'
import { runKinds } from './run-kind.ts'
import type { RunKind } from './run-summary.ts'
import type { RunState } from './worker-messages.ts'
import { openRunWorker, type RunWorkerDeps } from './run-worker.ts'
import { isRunId, createRunId } from './run-id.ts'

/** A submission: the kind, the selected fields, the passthrough columns, and the locations. */
export type Submission = {
  kind: RunKind
  selection: { fields?: string[]; preset?: string }
  columns: string[]
  locations: NewLocation[]
  /** The idempotency key of the caller, and the hash of the body. */
  key: { key: string; body_hash: string } | null
}

/** The runs. Runs of other accounts and expired runs count as unknown. */
export type Runs = {
  reader: RunReader
  artifacts: ArtifactStore
  /** The queue that limits concurrent submissions. */
  uploadQueue: UploadQueue
  /** Submits a run. It is durable when this resolves. */
  submit(account: Account, submission: Submission): Promise<{ run_id: string; replayed: boolean }>
  retry(account: Account, id: string): Promise<{ run_id: string }>
  cancel(account: Account, id: string): Promise<StoredRun>
  /** @throws {ApiError} `run_not_found`, with the same message for unknown, foreign and expired runs. */
  find(account: Account, id: string): StoredRun
  /** Calls `onChange` for every change from now on. Returns the function that unsubscribes. */
  subscribe(run_id: string, onChange: (state: RunState) => void): () => void
  /** Resolves when the run is finished or the signal aborts. */
  waitUntilFinished(account: Account, id: string, signal: AbortSignal): Promise<StoredRun>
  /** Deletes expired runs. */
  sweep(): Promise<void>
  health(): RunsHealth
  /** Starts the worker if there are unfinished runs. A submission also starts it. */
  resume(): void
  /** Aborted when the server stops: streams end, and submissions are rejected. */
  readonly stopping: AbortSignal
  /** Stops the worker. Locations in progress have `grace_ms` to finish; the next start continues the others. */
  stop(grace_ms: number): Promise<void>
  close(): void
}

/**
 * Worker losses in the last ten minutes, failures in the last day, and the runs that failed or lost several workers.
 */
type RunsHealth = { recent_losses: number; failed: number; troubled: TroubledRun[] }

export type RunsDeps = Omit<RunWorkerDeps, 'onChange'> & {
  db: Database
  catalog: () => Catalog
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

/** A submission must leave this much free space for the existing runs. */
const reserve_bytes = 16 * 1_048_576
/** The estimated size of a result without its fields. */
const perLocation_bytes = 512
/** The estimated size of a field with its provenance. */
const perField_bytes = 240
const drainRetry_s = 10
const collectFrom_locations = 1000
const recentFailure_ms = 86_400_000
const troubledLossesMin = 2
const troubledMax = 10

/** Opens the runs of a data folder. */
export function openRuns({ db, catalog, now, randomBytes, ...deps }: RunsDeps): Runs {
  const isReadOnly = isReadOnlyDatabase(db)
  const reader = createRunReader(db)
  const listeners = new Map<string, Set<(state: RunState) => void>>()
  const stopping = new AbortController()
  const worker = openRunWorker({
    ...deps,
    onChange: (state) => listeners.get(state.run_id)?.forEach((notify) => notify(state)),
  })
  let expiredCandidates: number[] = []

  return {
    reader,
    artifacts: createArtifactStore(db),
    uploadQueue: createUploadQueue(),
    submit,
    retry,
    cancel,
    find,
    subscribe,
    waitUntilFinished,
    sweep,
    health,
    resume,
    stopping: stopping.signal,
    stop,
    close: worker.close,
  }

  async function submit(
    account: Account,
    { kind, selection, columns, locations, key }: Submission,
  ): Promise<{ run_id: string; replayed: boolean }> {
    requireAccepting()
    const replay = key && replayOf(account, key)
    if (replay) return replay
    const fields =
      kind === 'fetch_batch'
        ? selectFields(selection, 'explicit', catalog()).map(({ name }) => name)
        : [...runKinds[kind].columns]
    requireFreeSpace(locations, fields.length)
    const run = newRun(account, {
      kind,
      selection: JSON.stringify(withoutRepeats(selection)),
      fields: JSON.stringify(fields),
      columns: JSON.stringify(columns),
    })
    const submissionKey: SubmissionKey | null = key && { ...key, after: oldestValidKeyTime(run.created_at) }
    const result = await worker.execute({ type: 'submit', run, locations, key: submissionKey })
    // The parsed body is garbage now, and would otherwise stay in memory for a long time.
    if (locations.length >= collectFrom_locations) setImmediate(edenGC)
    return acceptedSubmission(result)
  }

  async function retry(account: Account, id: string): Promise<{ run_id: string }> {
    requireAccepting()
    const original = find(account, id)
    if (original.finished_at === null)
      throw new ApiError('run_not_finished', `This run is ${original.status}. Only a finished run can be retried.`, {
        status: original.status,
      })
    if (original.retryable_locations === 0)
      throw new ApiError(
        'run_not_retryable',
        'This run has no retryable errors, so a retry would not change the result.',
        { status: original.status },
      )
    requireFreeSpace([], 0)
    const { kind, selection, fields, columns } = original
    return acceptedSubmission(
      await worker.execute({
        type: 'retry',
        run: newRun(account, { kind, selection, fields, columns }),
        original: { number: original.number, id },
      }),
    )
  }

  async function cancel(account: Account, id: string): Promise<StoredRun> {
    const run = find(account, id)
    if (run.finished_at === null && isReadOnly) throw storageReadOnlyError()
    const isCancelled = run.finished_at === null && (await worker.execute({ type: 'cancel', number: run.number }))
    const after = find(account, id)
    if (!isCancelled || after.status !== 'cancelled')
      throw new ApiError(
        'run_not_cancellable',
        `This run is ${after.status}. Only a queued or running run can be cancelled.`,
        { status: after.status },
      )
    return after
  }

  function find(account: Account, id: string): StoredRun {
    const run = isRunId(id) ? reader.find(id, account.id) : null
    if (!run || !isBeforeExpiry(run.expires_at, now().getTime()))
      throw new ApiError('run_not_found', 'Run not found. A run is visible to its own account for 30 days.')
    return run
  }

  function subscribe(run_id: string, onChange: (state: RunState) => void): () => void {
    const runListeners = listeners.get(run_id) ?? new Set()
    listeners.set(run_id, runListeners.add(onChange))
    return () => {
      runListeners.delete(onChange)
      if (runListeners.size === 0 && listeners.get(run_id) === runListeners) listeners.delete(run_id)
    }
  }

  async function waitUntilFinished(account: Account, id: string, signal: AbortSignal): Promise<StoredRun> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopSignal = AbortSignal.any([signal, stopping.signal])
    stopSignal.addEventListener('abort', () => resolve(), { once: true })
    const unsubscribe = subscribe(id, ({ status }) => {
      if (isFinalStatus(status)) resolve()
    })
    if (!stopSignal.aborted && find(account, id).finished_at === null) await promise
    unsubscribe()
    return find(account, id)
  }

  /**
   * Deletes a run only when two consecutive sweeps find it expired, so that a clock that is wrong for a moment loses
   * nothing.
   */
  async function sweep(): Promise<void> {
    const at = now().getTime()
    if (isReadOnly || (!worker.isRunning() && !reader.hasExpired(at))) return
    expiredCandidates = await worker.execute({
      type: 'sweep',
      before: at,
      keysBefore: oldestValidKeyTime(at),
      numbers: expiredCandidates,
    })
  }

  function health(): RunsHealth {
    const failedAfter = now().getTime() - recentFailure_ms
    return {
      recent_losses: worker.recentLosses(),
      failed: reader.failedAfter(failedAfter),
      troubled: reader.troubled(troubledLossesMin, failedAfter, troubledMax),
    }
  }

  function resume(): void {
    if (!isReadOnly && reader.hasUnfinished()) worker.start()
  }

  async function stop(grace_ms: number): Promise<void> {
    stopping.abort(new Error('The server is stopping.'))
    if (worker.isRunning())
      await worker
        .execute({ type: 'stop', grace_ms })
        .catch((error: unknown) => deps.log.error('runs', { activity: 'stopping', error }))
    worker.close()
  }

  function newRun(account: Account, request: Pick<NewRun, 'kind' | 'selection' | 'fields' | 'columns'>): NewRun {
    const created_at = now().getTime()
    return {
      id: createRunId(now(), randomBytes),
      account_id: account.id,
      scopes: [...account.scopes].join(' '),
      created_at,
      expires_at: runExpiryOf(created_at),
      catalog_version: catalog().version,
      ...request,
    }
  }

  function replayOf(
    account: Account,
    { key, body_hash }: { key: string; body_hash: string },
  ): { run_id: string; replayed: boolean } | null {
    const existing = reader.findByKey(account.id, key, oldestValidKeyTime(now().getTime()))
    return (
      existing &&
      acceptedSubmission(
        existing.body_hash === body_hash ? { run_id: existing.run_id, replayed: true } : { keyReused: true },
      )
    )
  }

  function requireAccepting(): void {
    if (isReadOnly) throw storageReadOnlyError()
    if (stopping.signal.aborted)
      throw new ApiError('shutting_down', 'The server is stopping. Try again later.', {
        retry_after_s: drainRetry_s,
      })
  }

  function requireFreeSpace(locations: NewLocation[], fields: number): void {
    const { bavail, bsize } = statfsSync(deps.folder)
    const needed = locations.reduce(
      (sum, { input, passthrough }) =>
        sum + 2 * (input.length + (passthrough?.length ?? 0)) + perLocation_bytes + fields * perField_bytes,
      0,
    )
    if (bavail * bsize < reserve_bytes + needed) throw storageFullError()
  }
}

/** Whether a run in this status will never change again. */
export function isFinalStatus(status: StoredRun['status']): boolean {
  return status !== 'queued' && status !== 'running'
}

/**
 * Removes duplicate fields: a list with a million duplicates would be stored, and read with every change of the run.
 */
function withoutRepeats({ fields, ...rest }: Submission['selection']): Submission['selection'] {
  return fields ? { fields: [...new Set(fields)], ...rest } : rest
}

function acceptedSubmission(result: SubmissionResult): { run_id: string; replayed: boolean } {
  if ('keyReused' in result)
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used in the last 24 hours with another body. Send a new key with a new body.',
    )
  return result
}
