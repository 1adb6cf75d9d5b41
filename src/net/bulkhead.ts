import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { hostAbortError } from './host-abort.ts'

const workingPerHostMax = 8
/** Bun's fetch does 256 at once in one process; what is over waits inside it, unseen. */
const workingMax = 200
const waitingPerHostMax = 1_024

/**
 * Places for calls, so many per host and in all, so that a slow host holds up no other. Who would wait for a host that has all its places
 * taken and has answered none of them for long is turned away at once (`source_suspended`): waiting there would hold a place elsewhere.
 */
export type Bulkhead = {
  /** Does the work in a place of the host. Throws `fetch_busy` at once when the host's queue is full; who gives up waiting leaves it. */
  through<T>(host: string, work: () => Promise<T>, budget: Budget): Promise<T>
  /** Whether work for the host would begin at once. */
  isFree(host: string): boolean
}

/** `heard_ms`: when the host last answered, be it with a fault, or was first asked since it stood empty. */
type Hall = { working: number; waiting: Set<Waiting>; heard_ms: number; watch: ReturnType<typeof setInterval> | null }
type Waiting = { begin: () => void; refuse: (error: Error) => void }

/** How often those who wait are told that their host has fallen silent. */
const watchEvery_ms = 250

/** What the bulkhead is told: how many places a host may have (fewer than by rule, when it is in doubt), and for how long it may say nothing while all of them are taken. */
export type Manners = { roomFor: (host: string) => number; silence_ms: (host: string) => number; monotonic_ms: () => number }

/** Eight places for a host, and two hundred in all. */
export function openBulkhead({ roomFor, silence_ms, monotonic_ms }: Manners): Bulkhead {
  const halls = new Map<string, Hall>()
  let working = 0
  return {
    async through(host, work, budget) {
      const hall = halls.get(host) ?? emptyHall()
      halls.set(host, hall)
      try {
        if (mayEnter(host, hall) && hall.waiting.size === 0) enter(hall)
        else await turn(host, hall, budget)
        return await worked(hall, work)
      } finally {
        if (hall.working === 0 && hall.waiting.size === 0) close(host, hall)
      }
    },
    isFree(host) {
      const hall = halls.get(host) ?? emptyHall()
      return mayEnter(host, hall) && hall.waiting.size === 0
    },
  }

  async function worked<T>(hall: Hall, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work()
      hall.heard_ms = monotonic_ms()
      return answer
    } catch (error) {
      if (isWord(error)) hall.heard_ms = monotonic_ms()
      throw error
    } finally {
      working--
      hall.working--
      callNext()
    }
  }

  function mayEnter(host: string, hall: Hall): boolean {
    return working < workingMax && hall.working < Math.min(workingPerHostMax, roomFor(host))
  }

  function enter(hall: Hall): void {
    working++
    hall.working++
  }

  function turn(host: string, hall: Hall, { signal }: Budget): Promise<void> {
    const { waiting } = hall
    if (signal.aborted) throw hostAbortError(signal, host)
    if (isSilent(host, hall)) throw silent(host)
    if (waiting.size >= waitingPerHostMax) throw new UpstreamError('fetch_busy', `So many questions wait for ${host} that no more are taken: ask again in a moment.`)
    return new Promise((resolve, reject) => {
      const done = () => {
        waiting.delete(it)
        signal.removeEventListener('abort', leave)
      }
      const leave = () => {
        done()
        reject(hostAbortError(signal, host))
      }
      const it: Waiting = {
        begin: () => {
          done()
          resolve()
        },
        refuse: (error) => {
          done()
          reject(error)
        },
      }
      waiting.add(it)
      signal.addEventListener('abort', leave, { once: true })
      hall.watch ??= setInterval(() => watched(host, hall), watchEvery_ms)
      hall.watch.unref()
    })
  }

  function watched(host: string, hall: Hall): void {
    if (hall.waiting.size === 0) stopWatch(hall)
    else if (isSilent(host, hall)) for (const { refuse } of hall.waiting) refuse(silent(host))
  }

  function isSilent(host: string, hall: Hall): boolean {
    return hall.working > 0 && !mayEnter(host, hall) && monotonic_ms() - hall.heard_ms > silence_ms(host)
  }

  function emptyHall(): Hall {
    return { working: 0, waiting: new Set(), heard_ms: monotonic_ms(), watch: null }
  }

  function close(host: string, hall: Hall): void {
    stopWatch(hall)
    if (halls.get(host) === hall) halls.delete(host)
  }

  /** Lets in who may come in: each host's in the order they came, and a host that was served goes behind the others. */
  function callNext(): void {
    const served = [...halls].filter(([host, hall]) => calledIn(host, hall))
    for (const [host, hall] of served) {
      halls.delete(host)
      halls.set(host, hall)
    }
  }

  function calledIn(host: string, hall: Hall): boolean {
    const before = hall.waiting.size
    for (const { begin } of hall.waiting) {
      if (!mayEnter(host, hall)) break
      enter(hall)
      begin()
    }
    return hall.waiting.size < before
  }
}

/** Whether a fault shows that the host does not keep silent: it refused, or there was no way to it. */
function isWord(error: unknown): boolean {
  return error instanceof UpstreamError && error.code !== 'timeout'
}

function stopWatch(hall: Hall): void {
  if (hall.watch) clearInterval(hall.watch)
  hall.watch = null
}

function silent(host: string): UpstreamError {
  return new UpstreamError('source_suspended', `${host} has as many questions as it may have and answers none of them: ask again in a moment.`)
}
