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
 * The worker of the runs, as the main thread sees it. One that dies, or works without end, is replaced at once; whoever waited for it is told
 * `worker_lost`. Only a cancel is sent again to the next worker: it has the same effect however often it is carried out.
 */
export type RunWorker = {
  execute<Name extends RunCommand['type']>(
    command: Extract<RunCommand, { type: Name }>,
  ): Promise<RunCommandResults[Name]>
  /** Starts it when it is not there. */
  start(): void
  isRunning(): boolean
  /** How many workers were lost in the last ten minutes. */
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
/** One that dies sooner than this after its start, as the one before it did, is replaced only after a pause. */
const minLifetime_ms = 1000
/** It is looked after this often, and lost when it has said nothing for so many looks: it may itself wait ten seconds for its turn to write. */
const defaultHeartbeat_ms = 1000
const maxMissedHeartbeats = 20
const recent_ms = 600_000

/** `cancel`: what is sent again to the next worker. Anything else would only be held here for longer. */
type PendingCommand = {
  cancel: RunCommand | null
  losses: number
  resolve: (result: never) => void
  reject: (error: Error) => void
}

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
        throw new ApiError('worker_lost', `${maxPendingCommands} orders wait for the worker of the runs.`, {
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
      end('was closed')
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
      if (started === worker) replace(`failed: ${event.message}`)
    }
    started.addEventListener('close', () => {
      if (started === worker) replace('ended')
    })
    post(started, { open: { folder, isFirstWorker } })
    isFirstWorker = false
    for (const [commandId, { cancel }] of pendingCommands) if (cancel) post(started, { commandId, command: cancel })
    return started
  }

  /** Counts looks, not time: a machine that slept, or a thread that stood still, is no fault of the worker. */
  function sendHeartbeat(): void {
    if (!worker) return
    if (missedHeartbeats++ >= maxMissedHeartbeats) replace('gave no sign of life')
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
        'The worker of the runs stopped before it answered this request. Send the request again: with the same Idempotency-Key it is never carried out twice.',
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
