import { ApiError } from '../model/error.ts'
import type { Log } from '../log.ts'
import type { LocationAnswerer } from './location-answerer.ts'
import { storageErrorFor, storageFullError } from '../store/sqlite-errors.ts'
import { workerLossesMax } from './finish.ts'
import type {
  RunWorkerOutput,
  RunCommand,
  RunCommandResults,
  LocationQuestion,
  RunState,
  RunWorkerInput,
} from './worker-messages.ts'

/**
 * The run worker, as seen from the main thread. A worker that dies or hangs is replaced, and its pending commands
 * reject with `worker_lost`. Only a cancel is sent to the next worker, because it is idempotent.
 */
export type RunWorker = {
  execute<Name extends RunCommand['type']>(
    command: Extract<RunCommand, { type: Name }>,
  ): Promise<RunCommandResults[Name]>
  /** Starts the worker if it is not running. */
  start(): void
  isRunning(): boolean
  /** The number of workers lost in the last ten minutes. */
  recentLosses(): number
  close(): void
}

export type RunWorkerDeps = {
  startWorker: () => Worker
  folder: string
  answerLocation: LocationAnswerer
  onChange(state: RunState): void
  log: Log
  heartbeat_ms?: number
}

const maxPendingCommands = 256
const retryAfter_s = 1
/** If two workers in a row die sooner than this, the next one starts after a pause. */
const minLifetime_ms = 1000
/**
 * A worker is lost after this many missed heartbeats. It may block for ten seconds while it waits for the database
 * lock.
 */
const defaultHeartbeat_ms = 1000
const maxMissedHeartbeats = 20
const recent_ms = 600_000

/** A command without a reply. `cancel` is the command to repeat after a worker loss; null for other commands. */
type PendingCommand = {
  cancel: RunCommand | null
  losses: number
  resolve: (result: never) => void
  reject: (error: Error) => void
}

/** Opens the run worker. It starts on the first command. */
export function openRunWorker({
  startWorker,
  folder,
  answerLocation,
  onChange,
  log,
  heartbeat_ms: interval_ms = defaultHeartbeat_ms,
}: RunWorkerDeps): RunWorker {
  const pendingCommands = new Map<number, PendingCommand>()
  const questions = new Map<number, AbortController>()
  let worker: Worker | null = null
  let pause: ReturnType<typeof setTimeout> | undefined
  let started_ms = 0
  let earlyDeaths = 0
  let missedHeartbeats = 0
  const heartbeatTimer = setInterval(sendHeartbeat, interval_ms).unref()
  let isFirstWorker = true
  let lastId = 0
  let lossTimes_ms: number[] = []

  return {
    execute(command) {
      if (pendingCommands.size >= maxPendingCommands)
        throw new ApiError('worker_lost', `More than ${maxPendingCommands} commands are waiting for the run worker.`, {
          retry_after_s: retryAfter_s,
        })
      const id = ++lastId
      const target = ensureWorker()
      const result = new Promise<never>((resolve, reject) =>
        pendingCommands.set(id, { cancel: command.type === 'cancel' ? command : null, losses: 0, resolve, reject }),
      )
      post(target, { commandId: id, command })
      return result
    },
    start: () => void ensureWorker(),
    isRunning: () => worker !== null,
    recentLosses: () => lossesAfter(performance.now() - recent_ms).length,
    close() {
      clearInterval(heartbeatTimer)
      clearTimeout(pause)
      end('closed')
      for (const id of pendingCommands.keys()) reject(id)
    },
  }

  function ensureWorker(): Worker {
    if (worker) return worker
    const started = startWorker()
    worker = started
    started_ms = performance.now()
    missedHeartbeats = 0
    started.onmessage = ({ data }: MessageEvent<RunWorkerOutput>) => handleMessage(started, data)
    started.onerror = (event) => {
      event.preventDefault()
      if (started === worker) replace(`error: ${event.message}`)
    }
    started.addEventListener('close', () => {
      if (started === worker) replace('ended')
    })
    post(started, { open: { folder, isFirstWorker } })
    isFirstWorker = false
    for (const [commandId, { cancel }] of pendingCommands) if (cancel) post(started, { commandId, command: cancel })
    return started
  }

  /**
   * Counts heartbeats instead of time, so that a sleeping machine or a blocked main thread does not count as a worker
   * loss.
   */
  function sendHeartbeat(): void {
    if (!worker) return
    if (missedHeartbeats++ >= maxMissedHeartbeats) replace('no heartbeat')
    else post(worker, { heartbeat: true })
  }

  function handleMessage(from: Worker, output: RunWorkerOutput): void {
    if (from !== worker) return
    missedHeartbeats = 0
    if ('alive' in output) return
    if ('changedRun' in output) onChange(output.changedRun)
    else if ('questionId' in output) void answerQuestion(from, output.questionId, output.question)
    else if ('abortedQuestionId' in output) questions.get(output.abortedQuestionId)?.abort()
    else if ('failing' in output) log.error('runs', { activity: output.failing, message: output.message })
    else if ('recovered' in output)
      log.info('runs', {
        activity: output.recovered,
        message: 'It works again.',
        failed: output.incident.failures,
        seconds: output.incident.seconds,
      })
    else {
      const pending = pendingCommands.get(output.commandId)
      pendingCommands.delete(output.commandId)
      if ('rejected' in output)
        pending?.reject(
          output.rejected.code === 'storage_full'
            ? storageFullError()
            : storageErrorFor(Object.assign(new Error(), { code: 'SQLITE_READONLY' })),
        )
      else pending?.resolve(output.result as never)
    }
  }

  async function answerQuestion(fromWorker: Worker, id: number, question: LocationQuestion): Promise<void> {
    const controller = new AbortController()
    questions.set(id, controller)
    const answer = await answerLocation(question, controller.signal)
    if (questions.get(id) === controller) questions.delete(id)
    if (fromWorker === worker && !controller.signal.aborted) post(fromWorker, { questionId: id, answer })
  }

  function replace(why: string): void {
    log.error('run_worker_lost', { why })
    const now_ms = performance.now()
    lossTimes_ms = [...lossesAfter(now_ms - recent_ms), now_ms]
    earlyDeaths = now_ms - started_ms < minLifetime_ms ? earlyDeaths + 1 : 0
    end(why)
    for (const [id, pending] of pendingCommands) if (!pending.cancel || ++pending.losses > workerLossesMax) reject(id)
    if (earlyDeaths > 1) pause = setTimeout(() => void ensureWorker(), minLifetime_ms)
    else ensureWorker()
  }

  function end(why: string): void {
    const ended = worker
    worker = null
    ended?.terminate()
    for (const controller of questions.values()) controller.abort(new Error(why))
    questions.clear()
  }

  function reject(id: number): void {
    const pending = pendingCommands.get(id)
    pendingCommands.delete(id)
    pending?.reject(
      new ApiError(
        'worker_lost',
        'The run worker stopped before it answered this request. Send the request again. With the same Idempotency-Key, it is never executed twice.',
        { retry_after_s: retryAfter_s },
      ),
    )
  }

  function lossesAfter(time_ms: number): number[] {
    return lossTimes_ms.filter((at_ms) => at_ms > time_ms)
  }

  function post(to: Worker, message: RunWorkerInput): void {
    to.postMessage(message, [])
  }
}
