import type { Config } from '../../config.ts'
import type { Log } from '../../log.ts'
import {
  callTimeout_ms,
  type ProcessCall,
  type ProcessMessage,
  type ProcessReply,
  type ProcessResult,
  type StopSignal,
  type SupervisorMessage,
} from '../../server-process.ts'
import { lockFolderForProcesses } from '../../store/sqlite/folder-lock.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Listener } from './listener.ts'
import type { StopSignals } from './stop-signals.ts'

/** A server process that was started. */
type SpawnedProcess = {
  pid: number
  send(message: SupervisorMessage): void
  kill(): void
  /** Resolves with the exit code, or with the signal that ended the process. */
  ended: Promise<number | string>
}

/** Starts a server process of this executable, with the arguments of this one. */
export type SpawnProcess = (onMessage: (message: ProcessMessage) => void) => SpawnedProcess

type SupervisorDeps = {
  config: Pick<Config, 'data' | 'host' | 'processes' | 'drain_s' | 'stop_s'>
  spawnProcess: SpawnProcess
  /** Holds the port until the first process listens. */
  listener: Listener
  stop: StopSignals
  log: Log
  /** How often the processes get a heartbeat, to which they must reply. */
  heartbeat_ms?: number
}

/** A process that ends sooner is restarted after a pause, which doubles each time. */
const stableAfter_ms = 10_000
const shortestPause_ms = 500
const longestPause_ms = 30_000
/** A process that has not ended this long after its time to stop is killed. */
const killAfter_ms = 10_000
/** The time limit of a call to all processes. */
const callAllTimeout_ms = 1000
const heartbeat_ms = 5000
/** A process that has sent nothing since this many heartbeats is killed. On a busy machine, replies can be late. */
const missedHeartbeatsMax = 4

/** The exit codes of failures that a restart cannot fix. */
const finalCodes: ReadonlySet<number | string> = new Set([exitCodes.usage, exitCodes.config])

/**
 * Runs the processes of `serve --processes` until a signal arrives, and resolves with the exit code. A process that
 * ends is replaced. A process that does not respond is killed, because it still accepts connections. The processes join the lock of the data folder, so the folder stays locked as long as one of them
 * runs.
 */
export async function superviseProcesses(deps: SupervisorDeps): Promise<number> {
  const unlock = lockFolderForProcesses(deps.config.data)
  try {
    return await new Supervisor(deps).run()
  } finally {
    unlock()
  }
}

type RunningProcess = SpawnedProcess & {
  number: number
  isListening: boolean
  started_ms: number
  missedHeartbeats: number
}
type PendingCall = { process: number; settle(reply: ProcessReply | null): void }

class Supervisor {
  readonly #deps: SupervisorDeps
  readonly #processes = new Map<number, RunningProcess>()
  readonly #restartPauses_ms = new Map<number, number>()
  readonly #calls = new Map<number, PendingCall>()
  /** The timers of processes that are restarted after a pause. */
  readonly #restartTimers = new Set<ReturnType<typeof setTimeout>>()
  readonly #result = Promise.withResolvers<number>()
  #callCount = 0
  /** Whether a process has listened. Until then, the end of the process is a failed start. */
  #hasListened = false
  #isStopping = false

  constructor(deps: SupervisorDeps) {
    this.#deps = deps
  }

  async run(): Promise<number> {
    const { stop } = this.#deps
    void stop.requested.then((signal) => this.#stop(signal))
    stop.forced.addEventListener('abort', () => this.#sendStop('SIGINT'), { once: true })
    // The others start when the first one listens: it upgrades the state, creates the owner and unpacks the data.
    this.#spawn(1, false)
    const heartbeats = setInterval(() => this.#sendHeartbeats(), this.#deps.heartbeat_ms ?? heartbeat_ms)
    const code = await this.#result.promise
    clearInterval(heartbeats)
    await this.#stopRemaining()
    return code
  }

  /** Starts a process. If the system cannot, tries again after a pause. */
  #start(number: number, isReplacement: boolean): void {
    try {
      this.#spawn(number, isReplacement)
    } catch (error) {
      const pause_ms = this.#nextPause_ms(number)
      this.#deps.log.error('process_not_started', { process: number, error, tried_again_in_ms: pause_ms })
      this.#startAfter(pause_ms, number, isReplacement)
    }
  }

  #spawn(number: number, isReplacement: boolean): void {
    const { config, listener, spawnProcess, log } = this.#deps
    const spawned = spawnProcess((message) => this.#receive(running, message))
    const started_ms = performance.now()
    const running: RunningProcess = { ...spawned, number, isListening: false, started_ms, missedHeartbeats: 0 }
    this.#processes.set(number, running)
    const { port, base_url } = listener.config
    running.send({ assignment: { number, count: config.processes, port, base_url, isReplacement } })
    log.info('process_started', { process: number, pid: running.pid })
    void running.ended.then((exit) => this.#handleEnd(running, exit))
  }

  #receive(from: RunningProcess, message: ProcessMessage): void {
    from.missedHeartbeats = 0
    if ('isListening' in message) this.#recordListening(from)
    else if ('reply' in message) this.#calls.get(message.callId)?.settle(message.reply)
    else void this.#relay(from, message)
  }

  #recordListening(running: RunningProcess): void {
    const { config, listener, log } = this.#deps
    running.isListening = true
    if (!this.#hasListened) {
      this.#hasListened = true
      void listener.server.stop(true)
      if (!this.#isStopping) for (let number = 2; number <= config.processes; number++) this.#start(number, false)
    }
    const listening = this.#processes.values().filter((it) => it.isListening)
    if ([...listening].length === config.processes) log.info('processes_listening', { processes: config.processes })
  }

  /** Forwards a call, and sends the results back. */
  async #relay(from: RunningProcess, { requestId, call, to }: Extract<ProcessMessage, { to: unknown }>): Promise<void> {
    const targets = [...this.#processes.values()].filter(({ number }) => to === 'all' || number === 1)
    const results = targets.map((target) => this.#call(target, call, to === 'all' ? callAllTimeout_ms : undefined))
    const answered = (await Promise.all(results)).filter((it) => it !== null)
    from.send({ requestId, results: answered })
  }

  /** Calls a process. Resolves with null if it ends, or does not answer in time. */
  async #call(
    target: RunningProcess,
    call: ProcessCall,
    timeout_ms: number = callTimeout_ms,
  ): Promise<ProcessResult | null> {
    const callId = ++this.#callCount
    const { promise, resolve } = Promise.withResolvers<ProcessReply | null>()
    const timer = setTimeout(() => resolve(null), timeout_ms)
    this.#calls.set(callId, { process: target.number, settle: resolve })
    target.send({ callId, call, sent_ms: Date.now() })
    const reply = await promise
    clearTimeout(timer)
    this.#calls.delete(callId)
    return reply && { process: target.number, reply }
  }

  #sendHeartbeats(): void {
    for (const running of this.#processes.values()) {
      if (!running.isListening || this.#isStopping) continue
      if (running.missedHeartbeats++ === missedHeartbeatsMax) {
        this.#deps.log.error('process_unresponsive', { process: running.number, pid: running.pid })
        running.kill()
      }
      void this.#call(running, { name: 'heartbeat', argument: null })
    }
  }

  #handleEnd(ended: RunningProcess, exit: number | string): void {
    const { number, isListening, started_ms } = ended
    this.#processes.delete(number)
    for (const call of this.#calls.values()) if (call.process === number) call.settle(null)
    if (this.#isStopping) {
      if (this.#processes.size === 0) this.#result.resolve(exitCodes.ok)
      return
    }
    if (!this.#hasListened || finalCodes.has(exit))
      return this.#result.resolve(typeof exit === 'number' ? exit : exitCodes.internalError)
    const lifetime_ms = isListening ? performance.now() - started_ms : 0
    const pause_ms = lifetime_ms >= stableAfter_ms ? 0 : this.#nextPause_ms(number)
    if (pause_ms === 0) this.#restartPauses_ms.delete(number)
    this.#deps.log.error('process_lost', { process: number, pid: ended.pid, exit, replaced_in_ms: pause_ms })
    this.#startAfter(pause_ms, number, true)
  }

  #startAfter(pause_ms: number, number: number, isReplacement: boolean): void {
    const timer = setTimeout(() => {
      this.#restartTimers.delete(timer)
      this.#start(number, isReplacement)
    }, pause_ms)
    this.#restartTimers.add(timer)
  }

  /** Returns the pause before the next restart of a process: twice as long as the one before, within the limits. */
  #nextPause_ms(number: number): number {
    const pause_ms = Math.min(longestPause_ms, 2 * (this.#restartPauses_ms.get(number) ?? shortestPause_ms / 2))
    this.#restartPauses_ms.set(number, pause_ms)
    return pause_ms
  }

  #stop(signal: StopSignal): void {
    this.#beginStop()
    this.#deps.log.info('stopping')
    if (this.#processes.size === 0) return this.#result.resolve(exitCodes.ok)
    this.#sendStop(signal)
  }

  /** From now on, no process is started. */
  #beginStop(): void {
    this.#isStopping = true
    for (const timer of this.#restartTimers) clearTimeout(timer)
  }

  #sendStop(signal: StopSignal): void {
    for (const running of this.#processes.values()) running.send({ stop: signal })
    const { stop_s, drain_s } = this.#deps.config
    const stop_ms = Math.max(stop_s, drain_s) * 1000 + killAfter_ms
    setTimeout(() => this.#processes.forEach((it) => it.kill()), stop_ms).unref()
  }

  /** Stops the processes that still run after one ended with a final code. */
  async #stopRemaining(): Promise<void> {
    this.#beginStop()
    const running = [...this.#processes.values()]
    if (running.length > 0) this.#sendStop('SIGINT')
    await Promise.all(running.map(({ ended }) => ended))
  }
}
