import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { hostAbortError } from './host-abort.ts'

const maxActivePerHost = 8
/** Bun's fetch runs 256 requests at once per process and queues the rest internally, where they cannot be observed. */
const maxActive = 200
const maxWaitingPerHost = 1_024

/**
 * Limits concurrent calls per host and in total, so that a slow host does not delay the others. When all slots of a
 * host are taken and the host has not responded for some time, waiting calls fail with `source_suspended`: a caller
 * that waits blocks resources elsewhere. /
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

/** `lastResponseAt_ms`: when the host last responded (errors included), or when its queue was created. */
type HostQueue = {
  active: number
  waiting: Set<Waiter>
  lastResponseAt_ms: number
  silenceTimer: ReturnType<typeof setInterval> | null
}
type Waiter = { admit: () => void; reject: (error: Error) => void }

/** How often waiting calls are checked for a silent host. */
const silenceCheckInterval_ms = 250

/**
 * `concurrencyLimit`: the slots of a host, if lower than the default. `maxSilence_ms`: how long a host may stay silent
 * while all its slots are taken. /
 */
export type BulkheadOptions = {
  concurrencyLimit: (host: string) => number
  maxSilence_ms: (host: string) => number
  monotonic_ms: () => number
}

/** Creates a bulkhead with 8 slots per host and 200 in total. */
export function createBulkhead({ concurrencyLimit, maxSilence_ms, monotonic_ms }: BulkheadOptions): Bulkhead {
  const queues = new Map<string, HostQueue>()
  let active = 0
  return {
    async run(host, work, budget) {
      const queue = queues.get(host) ?? createQueue()
      queues.set(host, queue)
      try {
        if (hasFreeSlot(host, queue) && queue.waiting.size === 0) takeSlot(queue)
        else await waitForSlot(host, queue, budget)
        return await runAndRelease(queue, work)
      } finally {
        if (queue.active === 0 && queue.waiting.size === 0) removeQueue(host, queue)
      }
    },
    isFree(host) {
      const queue = queues.get(host) ?? createQueue()
      return hasFreeSlot(host, queue) && queue.waiting.size === 0
    },
  }

  async function runAndRelease<T>(queue: HostQueue, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work()
      queue.lastResponseAt_ms = monotonic_ms()
      return answer
    } catch (error) {
      if (showsHostResponds(error)) queue.lastResponseAt_ms = monotonic_ms()
      throw error
    } finally {
      active--
      queue.active--
      startNext()
    }
  }

  function hasFreeSlot(host: string, queue: HostQueue): boolean {
    return active < maxActive && queue.active < Math.min(maxActivePerHost, concurrencyLimit(host))
  }

  function takeSlot(queue: HostQueue): void {
    active++
    queue.active++
  }

  function waitForSlot(host: string, queue: HostQueue, { signal }: Budget): Promise<void> {
    const { waiting } = queue
    if (signal.aborted) throw hostAbortError(signal, host)
    if (isSilent(host, queue)) throw silentHostError(host)
    if (waiting.size >= maxWaitingPerHost)
      throw new UpstreamError(
        'fetch_busy',
        `The queue for ${host} is full (${maxWaitingPerHost} waiting calls). Retry in a moment.`,
      )
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        waiting.delete(waiter)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = () => {
        leaveQueue()
        reject(hostAbortError(signal, host))
      }
      const waiter: Waiter = {
        admit: () => {
          leaveQueue()
          resolve()
        },
        reject: (error) => {
          leaveQueue()
          reject(error)
        },
      }
      waiting.add(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
      queue.silenceTimer ??= setInterval(() => failIfSilent(host, queue), silenceCheckInterval_ms)
      queue.silenceTimer.unref()
    })
  }

  function failIfSilent(host: string, queue: HostQueue): void {
    if (queue.waiting.size === 0) stopSilenceTimer(queue)
    else if (isSilent(host, queue)) for (const { reject } of queue.waiting) reject(silentHostError(host))
  }

  function isSilent(host: string, queue: HostQueue): boolean {
    return (
      queue.active > 0 && !hasFreeSlot(host, queue) && monotonic_ms() - queue.lastResponseAt_ms > maxSilence_ms(host)
    )
  }

  function createQueue(): HostQueue {
    return { active: 0, waiting: new Set(), lastResponseAt_ms: monotonic_ms(), silenceTimer: null }
  }

  function removeQueue(host: string, queue: HostQueue): void {
    stopSilenceTimer(queue)
    if (queues.get(host) === queue) queues.delete(host)
  }

  /**
   * Starts waiting calls while slots are free: first in, first out per host. A host that was served moves behind the
   * others.
   */
  function startNext(): void {
    const startedQueues = [...queues].filter(([host, queue]) => startWaiters(host, queue))
    for (const [host, queue] of startedQueues) {
      queues.delete(host)
      queues.set(host, queue)
    }
  }

  function startWaiters(host: string, queue: HostQueue): boolean {
    const waitingBefore = queue.waiting.size
    for (const { admit } of queue.waiting) {
      if (!hasFreeSlot(host, queue)) break
      takeSlot(queue)
      admit()
    }
    return queue.waiting.size < waitingBefore
  }
}

/** Whether an error shows that the host is not silent: it rejected the call, or the connection failed. */
function showsHostResponds(error: unknown): boolean {
  return error instanceof UpstreamError && error.code !== 'timeout'
}

function stopSilenceTimer(queue: HostQueue): void {
  if (queue.silenceTimer) clearInterval(queue.silenceTimer)
  queue.silenceTimer = null
}

function silentHostError(host: string): UpstreamError {
  return new UpstreamError(
    'source_suspended',
    `All connections to ${host} are busy and none responds. Retry in a moment.`,
  )
}
