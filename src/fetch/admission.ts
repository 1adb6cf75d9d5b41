import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { waitInQueue, type WaitQueue } from '../async/wait-queue.ts'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'

const retryAfter_s = 1

/** The patient (the runs) hold no more than this part of the places. */
const backgroundShare = 1 / 4

/** This part of the places is kept from each account while others are about, so that one whose sources hang does not hold them all. */
const reservedShare = 1 / 4
/** So long after its last request an account is about. */
const activeFor_ms = 10_000

/** So much work is begun before the loop turns: what has come meanwhile is read then. */
const slice_ms = 15

/** One account's way through the gate. */
export type Admission = {
  /**
   * Runs the work inside the gate. Throws `fetch_busy` at once when the queue is full; a caller who goes away gives up the place.
   * The patient are never turned away: they wait behind everybody else, in a queue of their own that has no end.
   */
  run<T>(work: () => Promise<T>, budget: Budget, options?: { isBackground: true }): Promise<T>
}

/**
 * The admission gate: so many locations in work, so many waiting; whoever comes after that is turned away at once. An account that is alone
 * has all of it. Where several wait, the next place goes to the one that holds the fewest, and when the queue is full, the account with the
 * most in it gives up its newest to one that has fewer. The gate's own `through` is the entrance of the house itself.
 */
export type AdmissionQueue = Admission & {
  forAccount(account: string): Admission
  occupancy(): { working: number; waiting: number }
  /** How many were turned away, at once or when their time was up. */
  rejectedCount(): number
  /** For how long nobody but the patient has come. */
  foregroundIdle_ms(): number
}

/** `served`: which entry of all was its last; 0 before the first. */
type AccountQueue = { working: number; waiting: WaitQueue; lastServed: number; lastRequest_ms: number }

/** `passed` is told of each piece of work that is done. */
export function createAdmissionQueue(
  concurrency: number,
  queueMax: number,
  onDone: () => void = () => {},
): AdmissionQueue {
  let working = 0
  let admittedCount = 0
  let rejectedCount = 0
  let backgroundWorking = 0
  let lastRequest_ms = -Infinity
  const backgroundMax = Math.max(1, Math.floor(concurrency * backgroundShare))
  const accountMax = concurrency - Math.floor(concurrency * reservedShare)
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const backgroundQueue: WaitQueue = []
  const accountQueues = new Map<string, AccountQueue>()
  return {
    ...admissionFor(''),
    forAccount: admissionFor,
    occupancy: () => ({ working, waiting: waiting() }),
    rejectedCount: () => rejectedCount,
    foregroundIdle_ms: () => performance.now() - lastRequest_ms,
  }

  function admissionFor(account: string): Admission {
    return {
      async run(work, budget, options) {
        const accountQueue = options ? null : accountQueueOf(account)
        const wait = accountQueue ? waitForTurn(accountQueue, budget) : waitForBackgroundTurn(budget)
        if (wait) await wait
        try {
          for (let turnEnd = yieldToEventLoop(); turnEnd; turnEnd = yieldToEventLoop()) await turnEnd
          budget.signal.throwIfAborted()
          return await work()
        } finally {
          working--
          if (accountQueue) accountQueue.working--
          else backgroundWorking--
          admitNext()
          onDone()
        }
      },
    }
  }

  function accountQueueOf(account: string): AccountQueue {
    lastRequest_ms = performance.now()
    const known = accountQueues.get(account)
    if (known) {
      known.lastRequest_ms = lastRequest_ms
      return known
    }
    for (const [name, accountQueue] of accountQueues)
      if (accountQueue.working === 0 && accountQueue.waiting.length === 0 && !isActive(accountQueue))
        accountQueues.delete(name)
    const accountQueue = { working: 0, waiting: [], lastServed: 0, lastRequest_ms }
    accountQueues.set(account, accountQueue)
    return accountQueue
  }

  /** Null when there is a place at once. */
  function waitForTurn(accountQueue: AccountQueue, budget: Budget): Promise<void> | null {
    if (accountQueue.waiting.length === 0 && canAdmit(accountQueue)) {
      admit(accountQueue)
      return null
    }
    budget.signal.throwIfAborted()
    if (waiting() >= queueMax) displaceNewest(accountQueue)
    return waitInQueue(accountQueue.waiting, budget, timeoutError)
  }

  function waitForBackgroundTurn(budget: Budget): Promise<void> | null {
    budget.signal.throwIfAborted()
    if (!canAdmitBackground()) return waitInQueue(backgroundQueue, budget, timeoutError)
    admitBackground()
    return null
  }

  /** The newest of the account that has the most waiting goes, where one more of this guest's would still be fewer. */
  function displaceNewest(accountQueue: AccountQueue): void {
    rejectedCount++
    const longestQueue = accountQueues
      .values()
      .reduce((most, it) => (it.waiting.length > most.waiting.length ? it : most), accountQueue)
    const queueFull = busyError('All places are taken and the queue is full: try again in a moment.')
    if (longestQueue.waiting.length <= accountQueue.waiting.length + 1) throw queueFull
    longestQueue.waiting.at(-1)!.reject(queueFull)
  }

  function admitNext(): void {
    for (let next = nextAccount(); next; next = nextAccount()) {
      admit(next)
      next.waiting[0]!.admit()
    }
    if (backgroundQueue.length === 0 || !canAdmitBackground()) return
    admitBackground()
    backgroundQueue[0]!.admit()
  }

  /** Of those who may come in the one that holds the fewest places; of several the one that was not served for longest. */
  function nextAccount(): AccountQueue | null {
    let best: AccountQueue | null = null
    for (const accountQueue of accountQueues.values()) {
      if (accountQueue.waiting.length > 0 && canAdmit(accountQueue) && (!best || precedes(accountQueue, best)))
        best = accountQueue
    }
    return best
  }

  function waiting(): number {
    return accountQueues.values().reduce((sum, accountQueue) => sum + accountQueue.waiting.length, 0)
  }

  function canAdmit(accountQueue: AccountQueue): boolean {
    return (
      working < concurrency &&
      (accountQueue.working < accountMax ||
        !accountQueues.values().some((other) => other !== accountQueue && isActive(other)))
    )
  }

  function isActive(accountQueue: AccountQueue): boolean {
    return performance.now() - accountQueue.lastRequest_ms < activeFor_ms
  }

  function admit(accountQueue: AccountQueue): void {
    working++
    accountQueue.working++
    accountQueue.lastServed = ++admittedCount
  }

  function timeoutError(): ApiError {
    rejectedCount++
    return busyError('No place became free in time: try again in a moment.')
  }

  function canAdmitBackground(): boolean {
    return waiting() === 0 && working < concurrency && backgroundWorking < backgroundMax
  }

  function admitBackground(): void {
    working++
    backgroundWorking++
  }
}

function busyError(message: string): ApiError {
  return new ApiError('fetch_busy', message, { retry_after_s: retryAfter_s })
}

function precedes(one: AccountQueue, other: AccountQueue): boolean {
  return one.working === other.working ? one.lastServed < other.lastServed : one.working < other.working
}
