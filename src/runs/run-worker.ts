/**
 * Runs on a server: thousands of locations, answered by a worker and kept in the store. `upload/` reads what is
 * submitted, `artifacts/` writes the result files, `report/` sums a run up.
 */
import { buffersOf } from '../async/job-worker.ts'
import { ApiError } from '../model/error.ts'
import type { Log } from '../log.ts'
import type { LocationAnswerer } from './location-answerer.ts'
import type { DatabaseLocation } from '../store/postgres/database-location.ts'
import { StorageError } from '../store/storage-error.ts'
import { workerLossesMax } from './finish.ts'
import { LocalFieldsSender, type LocalAnswersDeps } from './local-fields-sender.ts'
import type {
  RunWorkerOutput,
  RunCommand,
  RunCommandResults,
  LocationQuestion,
  RunState,
  RunWorkerInput,
} from './worker-messages.ts'

export type RunWorkerDeps = {
  startWorker: () => Worker
  folder: string
  /** The PostgreSQL database of the runs; null: they are in the folder. */
  database: DatabaseLocation | null
  /** The id of this server among the nodes. */
  node?: string
  answerLocation: LocationAnswerer
  onChange(state: RunState): void
  /** The fields that the worker can answer itself; undefined if it answers none. */
  local?: LocalAnswersDeps
  log: Log
  heartbeat_ms?: number
}

const maxPendingCommands = 256
const retryAfter_s = 1
/** If two workers in a row end sooner than this, the next one starts after a pause. */
const minLifetime_ms = 1000
/**
 * A worker is lost after this many missed heartbeats. It may block for ten seconds while it waits for the database
 * lock.
 */
const defaultHeartbeat_ms = 1000
const maxMissedHeartbeats = 20
const recent_ms = 600_000

/**
 * A command without a reply. `isBegun`: the worker has begun to execute it, so it may be the cause of the loss of the worker.
 */
type PendingCommand = {
  command: RunCommand
  isBegun: boolean
  losses: number
  resolve: (result: never) => void
  reject: (error: Error) => void
}

/** A location that is being answered. `isBegun`: it no longer waits for its turn. */
type Question = { controller: AbortController; isBegun: boolean }

/**
 * The run worker, as seen from the main thread. It starts on the first command. A worker that crashes or hangs is replaced. A command that it had begun
 * rejects with `worker_lost`, and so does a submission; the next worker executes the other commands, and a begun
 * cancel, which is idempotent.
 */
export class RunWorker {
  readonly #deps: RunWorkerDeps
  readonly #pendingCommands = new Map<number, PendingCommand>()
  readonly #questions = new Map<number, Question>()
  #isWithdrawing = false
  #fieldsSender: LocalFieldsSender | null = null
  readonly #heartbeatTimer: ReturnType<typeof setInterval>
  #worker: Worker | null = null
  #pause: ReturnType<typeof setTimeout> | undefined
  #started_ms = 0
  #earlyDeaths = 0
  #missedHeartbeats = 0
  #isFirstWorker = true
  #lastId = 0
  #lossTimes_ms: number[] = []

  constructor(deps: RunWorkerDeps) {
    this.#deps = deps
    this.#heartbeatTimer = setInterval(() => this.#sendHeartbeat(), deps.heartbeat_ms ?? defaultHeartbeat_ms).unref()
  }

  execute<Name extends RunCommand['type']>(
    command: Extract<RunCommand, { type: Name }>,
  ): Promise<RunCommandResults[Name]> {
    if (this.#pendingCommands.size >= maxPendingCommands)
      throw new ApiError(
        'worker_lost',
        `More than ${maxPendingCommands} commands are waiting for the run worker. Try again later.`,
        { retry_after_s: retryAfter_s },
      )
    const id = ++this.#lastId
    const worker = this.#ensureWorker()
    const { promise, resolve, reject } = Promise.withResolvers<never>()
    this.#pendingCommands.set(id, { command, isBegun: false, losses: 0, resolve, reject })
    post(worker, { commandId: id, command }, 'locations' in command ? buffersOf(command.locations.pieces) : [])
    return promise
  }

  /** Starts the worker if it is not running. */
  start(): void {
    this.#ensureWorker()
  }

  isRunning(): boolean {
    return this.#worker !== null
  }

  /** Withdraws the locations that wait for their turn, now and from now on, because the service stops. */
  withdrawWaiting(): void {
    this.#isWithdrawing = true
    for (const [id, { isBegun, controller }] of this.#questions) {
      if (isBegun) continue
      this.#questions.delete(id)
      controller.abort(new Error('The server is stopping.'))
      if (this.#worker) post(this.#worker, { questionId: id, answer: 'not_started' })
    }
  }

  /** The number of workers lost in the last ten minutes. */
  recentLosses(): number {
    return this.#lossesAfter(performance.now() - recent_ms).length
  }

  close(): void {
    clearInterval(this.#heartbeatTimer)
    clearTimeout(this.#pause)
    this.#end('closed')
    for (const id of this.#pendingCommands.keys()) this.#reject(id)
  }

  #ensureWorker(): Worker {
    if (this.#worker) return this.#worker
    const worker = this.#deps.startWorker()
    this.#worker = worker
    this.#started_ms = performance.now()
    this.#missedHeartbeats = 0
    const { local } = this.#deps
    this.#fieldsSender = local ? new LocalFieldsSender(local, (message) => post(worker, message)) : null
    worker.onmessage = ({ data }: MessageEvent<RunWorkerOutput>) => this.#handleMessage(worker, data)
    worker.onerror = (event) => {
      event.preventDefault()
      if (worker === this.#worker) this.#replace(`error: ${event.message}`)
    }
    worker.addEventListener('close', () => {
      if (worker === this.#worker) this.#replace('ended')
    })
    const { folder, database, node = null } = this.#deps
    const database_url = database?.url() ?? null
    post(worker, { open: { folder, database_url, node, isFirstWorker: this.#isFirstWorker } })
    this.#isFirstWorker = false
    for (const [commandId, { command }] of this.#pendingCommands) post(worker, { commandId, command })
    return worker
  }

  /**
   * Counts heartbeats instead of time, so that a sleeping machine or a blocked main thread does not count as a worker
   * loss.
   */
  #sendHeartbeat(): void {
    if (!this.#worker) return
    if (this.#missedHeartbeats++ >= maxMissedHeartbeats) this.#replace('no heartbeat')
    else {
      this.#fieldsSender?.takeBackChanged()
      post(this.#worker, { heartbeat: true })
    }
  }

  #handleMessage(from: Worker, output: RunWorkerOutput): void {
    if (from !== this.#worker) return
    this.#missedHeartbeats = 0
    if ('alive' in output) return
    if ('changedRun' in output) this.#deps.onChange(output.changedRun)
    else if ('counted' in output) this.#deps.local?.onCounted(output.counted)
    else if ('questionId' in output) {
      this.#fieldsSender?.offer(output.question, output.unanswered)
      void this.#answerQuestion(from, output.questionId, output.question)
    } else if ('begunCommandId' in output) this.#markBegun(output.begunCommandId)
    else if ('abortedQuestionId' in output) this.#questions.get(output.abortedQuestionId)?.controller.abort()
    else if ('failing' in output || 'recovered' in output) this.#logIncident(output)
    else this.#settleCommand(output)
  }

  #logIncident(output: Extract<RunWorkerOutput, { failing: string } | { recovered: string }>): void {
    const { log } = this.#deps
    if ('failing' in output) {
      log.error('runs', { activity: output.failing, message: output.message })
      return
    }
    const { failures, seconds } = output.incident
    log.info('runs', { activity: output.recovered, message: 'It works again.', failed: failures, seconds })
  }

  #markBegun(commandId: number): void {
    const pending = this.#pendingCommands.get(commandId)
    if (pending) pending.isBegun = true
  }

  #settleCommand(output: Extract<RunWorkerOutput, { commandId: number }>): void {
    const pending = this.#pendingCommands.get(output.commandId)
    this.#pendingCommands.delete(output.commandId)
    if (!('rejected' in output)) pending?.resolve(output.result as never)
    else pending?.reject(new StorageError(output.rejected.reason))
  }

  async #answerQuestion(fromWorker: Worker, id: number, question: LocationQuestion): Promise<void> {
    if (this.#isWithdrawing) return post(fromWorker, { questionId: id, answer: 'not_started' })
    const current: Question = { controller: new AbortController(), isBegun: false }
    const { signal } = current.controller
    this.#questions.set(id, current)
    const answer = await this.#deps.answerLocation(question, signal, () => (current.isBegun = true))
    if (this.#questions.get(id) === current) this.#questions.delete(id)
    if (fromWorker !== this.#worker || signal.aborted) return
    post(fromWorker, { questionId: id, answer })
  }

  #replace(why: string): void {
    this.#deps.log.error('run_worker_lost', { why })
    const now_ms = performance.now()
    this.#lossTimes_ms = [...this.#lossesAfter(now_ms - recent_ms), now_ms]
    this.#earlyDeaths = now_ms - this.#started_ms < minLifetime_ms ? this.#earlyDeaths + 1 : 0
    this.#end(why)
    for (const [id, pending] of this.#pendingCommands)
      if (isLostWith(pending)) this.#reject(id)
      else Object.assign(pending, { isBegun: false, losses: pending.losses + 1 })
    if (this.#earlyDeaths > 1) this.#pause = setTimeout(() => this.start(), minLifetime_ms)
    else this.start()
  }

  #end(why: string): void {
    const ended = this.#worker
    this.#worker = null
    ended?.terminate()
    for (const { controller } of this.#questions.values()) controller.abort(new Error(why))
    this.#questions.clear()
  }

  #reject(id: number): void {
    const pending = this.#pendingCommands.get(id)
    this.#pendingCommands.delete(id)
    pending?.reject(
      new ApiError(
        'worker_lost',
        'The run worker stopped before it answered this request. Send the request again. With the same Idempotency-Key, it is never executed twice.',
        { retry_after_s: retryAfter_s },
      ),
    )
  }

  #lossesAfter(time_ms: number): number[] {
    return this.#lossTimes_ms.filter((at_ms) => at_ms > time_ms)
  }
}

/**
 * Whether a command ends with its worker. The next worker executes a command that was not begun, because something else
 * stopped the worker, and a cancel, because it is idempotent. The locations of a submission were moved to the worker,
 * so they are lost with it.
 */
function isLostWith({ command, isBegun, losses }: PendingCommand): boolean {
  return (isBegun && command.type !== 'cancel') || 'locations' in command || losses >= workerLossesMax
}

/** Sends a message. The buffers are moved to the worker instead of copied. */
function post(to: Worker, message: RunWorkerInput, buffers: ArrayBuffer[] = []): void {
  to.postMessage(message, buffers)
}
