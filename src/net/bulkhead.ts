import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { hostAbortError } from './host-abort.ts'

const maxActivePerHost = 8
/** Bun's fetch does 256 at once in one process; what is over waits inside it, unseen. */
const maxActive = 200
const maxWaitingPerHost = 1_024

/**
 * Places for calls, so many per host and in all, so that a slow host holds up no other. Who would wait for a host that has all its places
 * taken and has answered none of them for long is turned away at once (`source_suspended`): waiting there would hold a place elsewhere.
 */
export type Bulkhead = {
  /** Does the work in a place of the host. Throws `fetch_busy` at once when the host's queue is full; who gives up waiting leaves it. */
  run<T>(host: string, work: () => Promise<T>, budget: Budget): Promise<T>
  /** Whether work for the host would begin at once. */
  isFree(host: string): boolean
}

/** `heard_ms`: when the host last answered, be it with a fault, or was first asked since it stood empty. */
type HostQueue = {
  active: number
  waiting: Set<Waiter>
  lastResponseAt_ms: number
  silenceTimer: ReturnType<typeof setInterval> | null
}
type Waiter = { admit: () => void; reject: (error: Error) => void }

/** How often those who wait are told that their host has fallen silent. */
const silenceCheckInterval_ms = 250

/** What the bulkhead is told: how many places a host may have (fewer than by rule, when it is in doubt), and for how long it may say nothing while all of them are taken. */
export type BulkheadOptions = {
  concurrencyLimit: (host: string) => number
  maxSilence_ms: (host: string) => number
  monotonic_ms: () => number
}

/** Eight places for a host, and two hundred in all. */
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
        `So many questions wait for ${host} that no more are taken: ask again in a moment.`,
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

  /** Lets in who may come in: each host's in the order they came, and a host that was served goes behind the others. */
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

/** Whether a fault shows that the host does not keep silent: it refused, or there was no way to it. */
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
    `${host} has as many questions as it may have and answers none of them: ask again in a moment.`,
  )
}
