import { statfsSync } from 'node:fs'
import type { Account } from '../auth/accounts.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { hasMarginOfError } from '../catalog/read-spec.ts'
import { selectKnownFields } from '../fetch/catalog/select.ts'
import { ApiError } from '../model/error.ts'
import type { DatabaseLocation } from '../store/postgres/database-location.ts'
import { requireIntactRequest } from '../store/runs/run-request.ts'
import type { RunReader, StoredRun } from '../store/runs/runs.ts'
import type { PackedLocations } from '../store/runs/packed-locations.ts'
import type { NewRun, SubmissionKey, SubmissionResult } from '../store/runs/submissions.ts'
import { StorageError } from '../store/storage-error.ts'
import { oldestValidKeyTime, runExpiryOf, createRunId } from './run-id.ts'
import { hasFields, parcelColumns, runKinds } from './run-kind.ts'
import type { Answerable } from './report/missing-values.ts'
import type { RunKind, UploadReading } from './report/run-summary.ts'
import type { RunWorker } from './run-worker.ts'

/** A submission: the kind, the selected fields, the passthrough columns, the name, and the locations. */
export type Submission = {
  kind: RunKind
  selection: {
    fields?: string[]
    preset?: string
    on_unknown?: 'skip'
    include_parcel?: boolean
    /** How the file of the locations was read. */
    read?: UploadReading
  }
  columns: string[]
  /** The name that the user sees, such as that of the uploaded file. */
  name: string | null
  locations: PackedLocations
  /**
   * The idempotency key of the caller, and the hash of the body. With `isFresh`, an earlier run with the key is not
   * returned, and the key belongs to the new run from now on.
   */
  key: { key: string; body_hash: string; isFresh?: boolean } | null
}

/** What a retry of everything that is missing would repeat, or the retry that is already in progress. */
export type MissingLocations = { inProgress: StoredRun } | { original: StoredRun; indexes: number[] }

/** The dependencies of run submission. */
export type RunSubmitterDeps = {
  folder: string
  /** The PostgreSQL database of the runs; null: they are in the folder. */
  database: DatabaseLocation | null
  isReadOnly: boolean
  reader: RunReader
  worker: RunWorker
  stopping: AbortSignal
  catalog: () => Catalog
  /** What this server has a source for now. */
  answerable: () => Answerable
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

/** Submits runs and retries. Rejects them while the server stops, and on a read-only or full disk. */
export class RunSubmitter {
  readonly #deps: RunSubmitterDeps

  constructor(deps: RunSubmitterDeps) {
    this.#deps = deps
  }

  /** Submits a run, or returns the earlier run with the same idempotency key and body. */
  async submit(
    account: Account,
    { kind, selection, columns, name, locations, key }: Submission,
  ): Promise<{ run_id: string; replayed: boolean }> {
    this.#requireAccepting()
    const replay = key && !key.isFresh && (await this.#replayOf(account, key))
    if (replay) return replay
    const { fields: selected, unknown } = hasFields(kind)
      ? selectKnownFields(selection, 'explicit', this.#deps.catalog())
      : { fields: [], unknown: [] }
    const fields_unknown = unknown.map(({ field }) => field)
    const fields = hasFields(kind)
      ? selected.map(({ name }) => name)
      : [...runKinds[kind].columns, ...(selection.include_parcel ? parcelColumns : [])]
    this.#requireFreeSpace(locations, fields.length)
    const run = this.#newRun(account, {
      kind,
      selection: JSON.stringify({
        ...withoutRepeats(selection),
        ...(fields_unknown.length > 0 && { fields_unknown }),
      }),
      fields: JSON.stringify(fields),
      margin_fields: JSON.stringify(
        selected.filter(({ read }) => kind === 'fetch_batch' && hasMarginOfError(read)).map(({ name }) => name),
      ),
      columns: JSON.stringify(columns),
      name,
    })
    const submissionKey: SubmissionKey | null = key && {
      key: key.key,
      body_hash: key.body_hash,
      after: key.isFresh ? run.created_at : oldestValidKeyTime(run.created_at),
    }
    const result = await this.#deps.worker.execute({ type: 'submit', run, locations, key: submissionKey })
    return acceptedSubmission(result)
  }

  /** Submits a run with the retryable locations of a finished run. `find` returns that run. */
  async retry(account: Account, find: () => Promise<StoredRun>): Promise<{ run_id: string }> {
    this.#requireAccepting()
    const original = await find()
    if (original.finished_at === null) throw notFinishedError(original)
    if (original.retryable_locations === 0) throw notRetryableError(original)
    return this.retryLocations(account, original, null)
  }

  /**
   * Finds what is missing in the merged result of a finished run and its retries, and may be answered now.
   * @throws {ApiError} `run_not_ready`, or `run_not_retryable` if there is nothing.
   */
  async findMissing(run: StoredRun): Promise<MissingLocations> {
    this.#requireAccepting()
    const { reader, worker, answerable } = this.#deps
    const family = await reader.listFamily(run)
    const original = family[0] ?? run
    if (original.finished_at === null) throw notFinishedError(original)
    const inProgress = family.find(({ finished_at }) => finished_at === null)
    if (inProgress) return { inProgress }
    const { id, account_id } = original
    const indexes = await worker.execute({ type: 'findMissing', id, account_id, answerable: answerable() })
    if (indexes.length === 0) throw notRetryableError(original)
    return { original, indexes }
  }

  /**
   * Submits a run with the given locations of a finished run; null for its retryable locations. `inputs` are new inputs
   * as JSON, by index.
   */
  async retryLocations(
    account: Account,
    run: StoredRun,
    indexes: number[] | null,
    inputs: ReadonlyMap<number, string> = new Map(),
  ): Promise<{ run_id: string }> {
    this.#requireAccepting()
    this.#requireFreeSpace({ size_bytes: 0, length: 0 }, 0)
    requireIntactRequest(run)
    const { number, id, kind, selection, fields, margin_fields, columns, name } = run
    const retry = this.#newRun(account, { kind, selection, fields, margin_fields, columns, name })
    const original = { number, id }
    return acceptedSubmission(await this.#deps.worker.execute({ type: 'retry', run: retry, original, indexes, inputs }))
  }

  #newRun(
    account: Account,
    request: Pick<NewRun, 'kind' | 'selection' | 'fields' | 'margin_fields' | 'columns' | 'name'>,
  ): NewRun {
    const { now, randomBytes, catalog } = this.#deps
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

  async #replayOf(
    account: Account,
    { key, body_hash }: { key: string; body_hash: string },
  ): Promise<{ run_id: string; replayed: boolean } | null> {
    const { reader, now } = this.#deps
    const existing = await reader.findByKey(account.id, key, oldestValidKeyTime(now().getTime()))
    return (
      existing &&
      acceptedSubmission(
        existing.body_hash === body_hash ? { run_id: existing.run_id, replayed: true } : { keyReused: true },
      )
    )
  }

  #requireAccepting(): void {
    if (this.#deps.isReadOnly) throw new StorageError('read_only')
    if (this.#deps.stopping.aborted)
      throw new ApiError('shutting_down', 'The server is stopping. Try again later.', { retry_after_s: drainRetry_s })
  }

  #requireFreeSpace({ size_bytes, length }: Pick<PackedLocations, 'size_bytes' | 'length'>, fields: number): void {
    if (this.#deps.database !== null) return
    const { bavail, bsize } = statfsSync(this.#deps.folder)
    const needed = 2 * size_bytes + length * (perLocation_bytes + fields * perField_bytes)
    if (bavail * bsize < reserve_bytes + needed) throw new StorageError('full')
  }
}

/**
 * Removes duplicate fields: a list with a million duplicates would be stored, and read with every change of the run.
 */
function withoutRepeats({ fields, ...rest }: Submission['selection']): Submission['selection'] {
  return fields ? { fields: [...new Set(fields)], ...rest } : rest
}

function notFinishedError({ status }: StoredRun): ApiError {
  return new ApiError('run_not_ready', `This run is ${status}. Only a finished run can be retried.`, { status })
}

function notRetryableError({ status }: StoredRun): ApiError {
  return new ApiError(
    'run_not_retryable',
    'This run has no retryable errors, so a retry would not change the result.',
    {
      status,
    },
  )
}

function acceptedSubmission(result: SubmissionResult): { run_id: string; replayed: boolean } {
  if ('keyReused' in result)
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used in the last 24 hours with another body. Send a new key with a new body.',
    )
  return result
}
