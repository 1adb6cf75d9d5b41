import { edenGC } from 'bun:jsc'
import { statfsSync } from 'node:fs'
import type { Database } from 'bun:sqlite'
import type { Account } from '../auth/accounts.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { selectFields } from '../fetch/select.ts'
import { ApiError } from '../model/error.ts'
import { openArtifacts, type Artifacts } from '../store/artifacts.ts'
import { openRunReads, type RunReads, type StoredRun, type TroubledRun } from '../store/runs.ts'
import type { NewLocation, NewRun, SubmissionKey, Submitted } from '../store/submissions.ts'
import { notWritable, storageFull } from '../store/disk.ts'
import { isReadOnly } from '../store/read-only.ts'
import { expiryOf, isThere, keysSince } from './expiry.ts'
import { openIntake, type Intake } from './intake.ts'
import { runKinds } from './kind.ts'
import type { RunKind } from './run-summary.ts'
import type { RunState } from './messages.ts'
import { openRunWorker, type RunWorkerMeans } from './run-worker.ts'
import { isRunId, makeRunId } from './run-id.ts'

/** What is submitted: its kind, which fields, the columns that came along, and the locations. */
export type Submission = {
  kind: RunKind
  selection: { fields?: string[]; preset?: string }
  columns: string[]
  locations: NewLocation[]
  /** The caller's own key, and the hash of the body that came with it. */
  key: { key: string; body_hash: string } | null
}

/** The runs, as the doors see them. A run of another account is not there, nor is one past its time. */
export type Runs = {
  reads: RunReads
  artifacts: Artifacts
  /** Where what is submitted waits for its turn. */
  intake: Intake
  /** The run is there to stay when this resolves. */
  submit(account: Account, submission: Submission): Promise<{ run_id: string; replayed: boolean }>
  retry(account: Account, id: string): Promise<{ run_id: string }>
  cancel(account: Account, id: string): Promise<StoredRun>
  /** Throws `run_not_found`, in the same words whatever the reason. */
  find(account: Account, id: string): StoredRun
  /** Tells of every change from now on; gives the way to stop that. */
  watch(run_id: string, changed: (state: RunState) => void): () => void
  /** Resolves when the run is finished, at the latest when the signal says so. */
  untilFinished(account: Account, id: string, signal: AbortSignal): Promise<StoredRun>
  sweep(): Promise<void>
  health(): RunsHealth
  /** Goes on with what an earlier start has left; a submission does so too. */
  resume(): void
  /** Aborted when the house is about to close: streams end, and nothing new is taken in. */
  readonly stopping: AbortSignal
  /** Ends the work in order: what is in work may end within that time, and the next start goes on. */
  stop(grace_ms: number): Promise<void>
  close(): void
}

/** What an operator should know: how many workers were lost in the last ten minutes, the runs that lost several, and those that failed in the last day. */
type RunsHealth = { recent_losses: number; failed: number; troubled: TroubledRun[] }

export type RunsMeans = Omit<RunWorkerMeans, 'changed'> & { db: Database; catalog: () => Catalog; now: () => Date; randomBytes: (size: number) => Uint8Array }

/** So much of the disk stays free for the runs that are there already. */
const reserve_bytes = 16 * 1_048_576
/** What a location may come to take, beside its input. */
const perLocation_bytes = 512
/** What a field of an answer takes, with its provenance. */
const perField_bytes = 240
const drainRetry_s = 10
const collectedFrom = 1000
const recentFailure_ms = 86_400_000
const troubledLossesMin = 2
const troubledMax = 10

export function openRuns({ db, catalog, now, randomBytes, ...means }: RunsMeans): Runs {
  const nothingIsWritten = isReadOnly(db)
  const reads = openRunReads(db)
  const watchers = new Map<string, Set<(state: RunState) => void>>()
  const stopping = new AbortController()
  const worker = openRunWorker({ ...means, changed: (state) => watchers.get(state.run_id)?.forEach((tell) => tell(state)) })
  let condemned: number[] = []

  return { reads, artifacts: openArtifacts(db), intake: openIntake(), submit, retry, cancel, find, watch, untilFinished, sweep, health, resume, stopping: stopping.signal, stop, close: worker.close }

  async function submit(account: Account, { kind, selection, columns, locations, key }: Submission): Promise<{ run_id: string; replayed: boolean }> {
    mustTakeIn()
    const replay = key && replayOf(account, key)
    if (replay) return replay
    const fields = kind === 'fetch_batch' ? selectFields(selection, 'explicit', catalog()).map(({ name }) => name) : [...runKinds[kind].columns]
    mustHaveRoom(locations, fields.length)
    const run = newRun(account, { kind, selection: JSON.stringify(withoutRepeats(selection)), fields: JSON.stringify(fields), columns: JSON.stringify(columns) })
    const stored: SubmissionKey | null = key && { ...key, after: keysSince(run.created_at) }
    const submitted = await worker.order({ do: 'submit', run, locations, key: stored })
    // What it came in as is garbage by then, and would lie about until much else is.
    if (locations.length >= collectedFrom) setImmediate(edenGC)
    return settled(submitted)
  }

  async function retry(account: Account, id: string): Promise<{ run_id: string }> {
    mustTakeIn()
    const of = find(account, id)
    if (of.finished_at === null) throw new ApiError('run_not_finished', `This run is still ${of.status}: only a finished run can be retried.`, { status: of.status })
    if (of.again === 0) throw new ApiError('run_not_retryable', 'Nothing of this run would come out better: what was answered has no failure that may pass.', { status: of.status })
    mustHaveRoom([], 0)
    const { kind, selection, fields, columns } = of
    return settled(await worker.order({ do: 'retry', run: newRun(account, { kind, selection, fields, columns }), of: { number: of.number, id } }))
  }

  async function cancel(account: Account, id: string): Promise<StoredRun> {
    const run = find(account, id)
    if (run.finished_at === null && nothingIsWritten) throw notWritable()
    const isUnderWay = run.finished_at === null && (await worker.order({ do: 'cancel', number: run.number }))
    const after = find(account, id)
    if (!isUnderWay || after.status !== 'cancelled') throw new ApiError('run_not_cancellable', `This run is ${after.status}: only one that is queued or running can be cancelled.`, { status: after.status })
    return after
  }

  function find(account: Account, id: string): StoredRun {
    const run = isRunId(id) ? reads.find(id, account.id) : null
    if (!run || !isThere(run.expires_at, now().getTime())) throw new ApiError('run_not_found', 'There is no such run: a run is seen by its own account only, for 30 days.')
    return run
  }

  function watch(run_id: string, changed: (state: RunState) => void): () => void {
    const those = watchers.get(run_id) ?? new Set()
    watchers.set(run_id, those.add(changed))
    return () => {
      those.delete(changed)
      if (those.size === 0 && watchers.get(run_id) === those) watchers.delete(run_id)
    }
  }

  async function untilFinished(account: Account, id: string, signal: AbortSignal): Promise<StoredRun> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const enough = AbortSignal.any([signal, stopping.signal])
    enough.addEventListener('abort', () => resolve(), { once: true })
    const stopWatching = watch(id, ({ status }) => {
      if (isFinal(status)) resolve()
    })
    if (!enough.aborted && find(account, id).finished_at === null) await promise
    stopWatching()
    return find(account, id)
  }

  /** A run goes when two looks in a row found it past its time: a clock that was wrong for a moment loses nothing. */
  async function sweep(): Promise<void> {
    const at = now().getTime()
    if (nothingIsWritten || (!worker.isThere() && !reads.hasExpired(at))) return
    condemned = await worker.order({ do: 'sweep', before: at, keysBefore: keysSince(at), numbers: condemned })
  }

  function health(): RunsHealth {
    const failedAfter = now().getTime() - recentFailure_ms
    return { recent_losses: worker.recentLosses(), failed: reads.failedAfter(failedAfter), troubled: reads.troubled(troubledLossesMin, failedAfter, troubledMax) }
  }

  function resume(): void {
    if (!nothingIsWritten && reads.hasUnfinished()) worker.start()
  }

  async function stop(grace_ms: number): Promise<void> {
    stopping.abort(new Error('The house closes.'))
    if (worker.isThere()) await worker.order({ do: 'stop', grace_ms }).catch((error: unknown) => means.log.error('runs', { about: 'stopping', error }))
    worker.close()
  }

  function newRun(account: Account, about: Pick<NewRun, 'kind' | 'selection' | 'fields' | 'columns'>): NewRun {
    const created_at = now().getTime()
    return { id: makeRunId(now(), randomBytes), account_id: account.id, scopes: [...account.scopes].join(' '), created_at, expires_at: expiryOf(created_at), catalog_version: catalog().version, ...about }
  }

  function replayOf(account: Account, { key, body_hash }: { key: string; body_hash: string }): { run_id: string; replayed: boolean } | null {
    const known = reads.ofKey(account.id, key, keysSince(now().getTime()))
    return known && settled(known.body_hash === body_hash ? { run_id: known.run_id, replayed: true } : { reused: true })
  }

  function mustTakeIn(): void {
    if (nothingIsWritten) throw notWritable()
    if (stopping.signal.aborted) throw new ApiError('shutting_down', 'The server is about to stop: try again in a moment.', { retry_after_s: drainRetry_s })
  }

  function mustHaveRoom(locations: NewLocation[], fields: number): void {
    const { bavail, bsize } = statfsSync(means.folder)
    const needed = locations.reduce((sum, { input, passed }) => sum + 2 * (input.length + (passed?.length ?? 0)) + perLocation_bytes + fields * perField_bytes, 0)
    if (bavail * bsize < reserve_bytes + needed) throw storageFull()
  }
}

/** Whether a run in this status will never change again. */
export function isFinal(status: StoredRun['status']): boolean {
  return status !== 'queued' && status !== 'running'
}

/** A list of a million times the same field would be stored, and read again with every change of the run. */
function withoutRepeats({ fields, ...rest }: Submission['selection']): Submission['selection'] {
  return fields ? { fields: [...new Set(fields)], ...rest } : rest
}

function settled(submitted: Submitted): { run_id: string; replayed: boolean } {
  if ('reused' in submitted) throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used within the last 24 hours for another body: send a new key with a new body.')
  return submitted
}
