import { waitInQueue, type WaitQueue } from '../async/wait-queue.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { hostAbortError } from './host-abort.ts'

/** The maximum number of calls to one host at the same time. */
export const slotsPerHost = 8
/** Bun's fetch runs 256 requests at once per process and queues the rest internally, where they cannot be observed. */
const maxActive = 200
const maxWaitingPerHost = 1_024

/**
 * Limits concurrent calls per host and in total, so that a slow host does not delay the others. When all slots of a
 * host are taken and the host has not responded for some time, waiting calls fail with `source_suspended`: a caller
 * that waits blocks resources elsewhere.
 */
export type Bulkhead = {
  /**
   * Runs the work in a slot of the host. Throws `fetch_busy` immediately if the queue of the host is full. An abort
   * leaves the queue.
   */
  run<T>(host: string, work: () => Promise<T>, budget: Budget): Promise<T>
  /** Whether work for the host would start immediately. */
  isFree(host: string): boolean
}

/** How often the queue of a host checks whether the host is silent. */
const silenceCheckInterval_ms = 50

/** Returns the slots per host of one of several processes. Together, they have as many as a single process. */
export function slotsOfProcess({ number, count }: { number: number; count: number }): number {
  return Math.floor(slotsPerHost / count) + (number <= slotsPerHost % count ? 1 : 0)
}

/**
 * `slots`: the slots of each host (default: 8). `concurrencyLimit`: the slots of a host, if lower than the default.
 * `maxSilence_ms`: how long a host may stay silent while all its slots are taken.
 */
export type BulkheadOptions = {
  slots?: number | undefined
  concurrencyLimit: (host: string) => number
  maxSilence_ms: (host: string) => number
  monotonic_ms: () => number
}

/** Creates a bulkhead with at most 8 slots per host and 200 in total. */
export function createBulkhead(options: BulkheadOptions): Bulkhead {
  const queues = new Map<string, HostQueue>()
  const total = { active: 0 }
  const createQueue = (host: string) => new HostQueue(host, total, options)
  return {
    async run(host, work, { signal }) {
      const queue = queues.get(host) ?? createQueue(host)
      queues.set(host, queue)
      try {
        if (queue.isFree()) queue.takeSlot()
        else await queue.waitForSlot(signal)
        return await runAndRelease(queue, work)
      } finally {
        if (queue.isIdle()) {
          queue.close()
          if (queues.get(host) === queue) queues.delete(host)
        }
      }
    },
    isFree: (host) => (queues.get(host) ?? createQueue(host)).isFree(),
  }

  async function runAndRelease<T>(queue: HostQueue, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work()
      queue.recordResponse()
      return answer
    } catch (error) {
      if (showsHostResponds(error)) queue.recordResponse()
      throw error
    } finally {
      queue.releaseSlot()
      startNext()
    }
  }

  /** Starts waiting calls while slots are free: first in, first out per host. A served host moves behind the others. */
  function startNext(): void {
    const startedQueues = [...queues].filter(([, queue]) => queue.startWaiters())
    for (const [host, queue] of startedQueues) {
      queues.delete(host)
      queues.set(host, queue)
    }
  }
}

/** The active and the waiting calls of one host. Every slot of a host is also a slot of the total. */
class HostQueue {
  readonly #host: string
  readonly #total: { active: number }
  readonly #options: BulkheadOptions
  readonly #waiting: WaitQueue = new Set()
  #active = 0
  /** When the host last responded (errors included), or when the queue was created. */
  #lastResponseAt_ms: number
  #silenceTimer: ReturnType<typeof setInterval> | null = null

  constructor(host: string, total: { active: number }, options: BulkheadOptions) {
    this.#host = host
    this.#total = total
    this.#options = options
    this.#lastResponseAt_ms = options.monotonic_ms()
  }

  isFree(): boolean {
    return this.#hasFreeSlot() && this.#waiting.size === 0
  }

  isIdle(): boolean {
    return this.#active === 0 && this.#waiting.size === 0
  }

  takeSlot(): void {
    this.#total.active++
    this.#active++
  }

  releaseSlot(): void {
    this.#total.active--
    this.#active--
  }

  recordResponse(): void {
    this.#lastResponseAt_ms = this.#options.monotonic_ms()
  }

  waitForSlot(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw hostAbortError(signal, this.#host)
    if (this.#isSilent()) throw silentHostError(this.#host)
    if (this.#waiting.size >= maxWaitingPerHost)
      throw new UpstreamError(
        'fetch_busy',
        `The queue for ${this.#host} is full (${maxWaitingPerHost} waiting calls). Retry in a moment.`,
      )
    const slot = waitInQueue(
      this.#waiting,
      { signal },
      { onAbort: (abortedSignal) => hostAbortError(abortedSignal, this.#host) },
    )
    this.#silenceTimer ??= setInterval(() => this.#failIfSilent(), silenceCheckInterval_ms)
    this.#silenceTimer.unref()
    return slot
  }

  /** Gives free slots to waiting calls. Returns whether any call started. */
  startWaiters(): boolean {
    const waitingBefore = this.#waiting.size
    for (const waiter of this.#waiting) {
      if (!this.#hasFreeSlot()) break
      this.takeSlot()
      waiter.admit()
    }
    return this.#waiting.size < waitingBefore
  }

  close(): void {
    if (this.#silenceTimer) clearInterval(this.#silenceTimer)
    this.#silenceTimer = null
  }

  #hasFreeSlot(): boolean {
    const limit = Math.min(this.#options.slots ?? slotsPerHost, this.#options.concurrencyLimit(this.#host))
    return this.#total.active < maxActive && this.#active < limit
  }

  #failIfSilent(): void {
    if (this.#waiting.size === 0) this.close()
    else if (this.#isSilent()) for (const waiter of this.#waiting) waiter.reject(silentHostError(this.#host))
  }

  #isSilent(): boolean {
    const silence_ms = this.#options.monotonic_ms() - this.#lastResponseAt_ms
    return this.#active > 0 && !this.#hasFreeSlot() && silence_ms > this.#options.maxSilence_ms(this.#host)
  }
}

/** Whether an error shows that the host is not silent: it rejected the call, or the connection failed. */
function showsHostResponds(error: unknown): boolean {
  return error instanceof UpstreamError && error.code !== 'timeout'
}

function silentHostError(host: string): UpstreamError {
  return new UpstreamError(
    'source_suspended',
    `All connections to ${host} are busy and none responds. Retry in a moment.`,
  )
}
