import type { MaybePromise } from '../async/maybe-promise.ts'
import { admitFirst, slotsOfFirst, waitInQueue, type WaitQueue } from '../async/wait-queue.ts'
import { createYieldToEventLoop } from '../async/incremental-task.ts'
import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'

const retryAfter_s = 1

/** Background work (runs) uses at most this share of the slots. */
const backgroundShare = 1 / 4

/**
 * While other accounts are active, one account cannot use this share of the slots. Otherwise an account whose sources
 * hang would occupy all of them.
 */
const reservedShare = 1 / 4
/** An account is active for this time after its last request. */
const activeFor_ms = 10_000

/** New work may start for this long; then the event loop reads new requests. */
const slice_ms = 15

/** The access of one account to the admission queue. */
export type Admission = {
  /**
   * Runs the work in a slot, and waits for one if necessary. Rejects with `fetch_busy` at once when the queue is full,
   * and at the deadline of the budget. An aborted signal leaves the queue. Background work is never rejected: it waits
   * behind all other work, in a queue without a limit. Large work takes several `slots`, up to the share of an account.
   */
  run<T>(work: () => MaybePromise<T>, budget: Budget, options?: AdmissionOptions): Promise<T>
  /** Does the same, without a promise if a slot is free and the work does not wait. */
  runDirectly<T>(work: () => MaybePromise<T>, budget: Budget): MaybePromise<T>
}

type AdmissionOptions = { isBackground: true } | { slots: number }

/** `lastServed` is the sequence number of the last admission of the account; 0 before the first. */
type AccountQueue = { working: number; waiting: WaitQueue; lastServed: number; lastRequest_ms: number }

/**
 * Admission control: at most `concurrency` locations are processed and at most `queueMax` wait. A single active account
 * can use all of both. A free slot goes to the waiting account that uses the fewest. When the queue is full, the longest
 * queue of an account loses its newest entry to a shorter one. `run` admits work of the service itself.
 */
export class AdmissionQueue implements Admission {
  readonly #concurrency: number
  readonly #queueMax: number
  readonly #onDone: () => void
  readonly #alwaysReserved: number
  readonly #backgroundMax: number
  readonly #accountMax: number
  readonly #yieldToEventLoop = createYieldToEventLoop(slice_ms)
  readonly #backgroundQueue: WaitQueue = new Set()
  readonly #accountQueues = new Map<string, AccountQueue>()
  readonly #waitErrors = {
    onTimeout: () => {
      this.#rejectedCount++
      return busyError('The service was busy until the deadline of this request. Try again in a moment.')
    },
  }
  #working = 0
  #backgroundWorking = 0
  #admittedCount = 0
  #rejectedCount = 0
  #lastRequest_ms = -Infinity

  /**
   * `onDone` is called after each piece of work and each rejection by a full queue. One account never gets the last
   * `alwaysReserved` slots: for work that lasts so long that no slot would become free in time for another account.
   */
  constructor(concurrency: number, queueMax: number, onDone: () => void = () => {}, alwaysReserved = 0) {
    this.#concurrency = concurrency
    this.#queueMax = queueMax
    this.#onDone = onDone
    this.#alwaysReserved = alwaysReserved
    this.#backgroundMax = Math.max(1, Math.floor(concurrency * backgroundShare))
    this.#accountMax = concurrency - Math.floor(concurrency * reservedShare)
  }

  async run<T>(work: () => MaybePromise<T>, budget: Budget, options?: AdmissionOptions): Promise<T> {
    return this.#run('', work, budget, options)
  }

  runDirectly<T>(work: () => MaybePromise<T>, budget: Budget): MaybePromise<T> {
    return this.#runForAccount('', work, budget)
  }

  /** Returns the access of an account. */
  forAccount(account: string): Admission {
    return {
      run: async (work, budget, options) => this.#run(account, work, budget, options),
      runDirectly: (work, budget) => this.#runForAccount(account, work, budget),
    }
  }

  occupancy(): { working: number; waiting: number } {
    return { working: this.#working, waiting: this.#waiting() }
  }

  /** How many entries were rejected, at once or at their deadline. */
  rejectedCount(): number {
    return this.#rejectedCount
  }

  /** Milliseconds since the last request that was not background work. */
  foregroundIdle_ms(): number {
    return performance.now() - this.#lastRequest_ms
  }

  #run<T>(
    account: string,
    work: () => MaybePromise<T>,
    budget: Budget,
    options: AdmissionOptions = { slots: 1 },
  ): MaybePromise<T> {
    if ('isBackground' in options) return this.#runInBackground(work, budget)
    const most = Math.min(this.#accountMax, this.#concurrency - this.#alwaysReserved)
    return this.#runForAccount(account, work, budget, Math.max(1, Math.min(options.slots, most)))
  }

  #runForAccount<T>(account: string, work: () => MaybePromise<T>, budget: Budget, slots = 1): MaybePromise<T> {
    const accountQueue = this.#accountQueueOf(account)
    const wait = this.#waitForSlots(accountQueue, budget, slots)
    return this.#runInSlot(wait, work, budget, () => {
      accountQueue.working -= slots
      this.#release(slots)
    })
  }

  #runInBackground<T>(work: () => MaybePromise<T>, budget: Budget): MaybePromise<T> {
    const wait = this.#waitForBackgroundSlot(budget)
    return this.#runInSlot(wait, work, budget, () => {
      this.#backgroundWorking--
      this.#release(1)
    })
  }

  /** Runs the work when the slot is taken and the event loop is free: at once, if both are now. */
  #runInSlot<T>(
    wait: Promise<void> | null,
    work: () => MaybePromise<T>,
    { signal }: Budget,
    release: () => void,
  ): MaybePromise<T> {
    const turnEnd = wait ? null : this.#yieldToEventLoop()
    if (wait || turnEnd) return this.#runLater(wait, turnEnd, { work, signal, release })
    let result: MaybePromise<T>
    try {
      signal.throwIfAborted()
      result = work()
    } catch (error) {
      release()
      throw error
    }
    if (result instanceof Promise) return result.finally(release)
    release()
    return result
  }

  async #runLater<T>(
    wait: Promise<void> | null,
    firstTurnEnd: Promise<void> | null,
    { work, signal, release }: { work: () => MaybePromise<T>; signal: AbortSignal; release: () => void },
  ): Promise<T> {
    // A caller that leaves the queue never had a slot.
    if (wait) await wait
    try {
      let turnEnd = firstTurnEnd ?? this.#yieldToEventLoop()
      for (; turnEnd; turnEnd = this.#yieldToEventLoop()) await turnEnd
      signal.throwIfAborted()
      return await work()
    } finally {
      release()
    }
  }

  #release(slots: number): void {
    this.#working -= slots
    this.#admitNext()
    this.#onDone()
  }

  #accountQueueOf(account: string): AccountQueue {
    this.#lastRequest_ms = performance.now()
    const known = this.#accountQueues.get(account)
    if (known) {
      known.lastRequest_ms = this.#lastRequest_ms
      return known
    }
    for (const [name, accountQueue] of this.#accountQueues)
      if (accountQueue.working === 0 && accountQueue.waiting.size === 0 && !isActive(accountQueue))
        this.#accountQueues.delete(name)
    const accountQueue: AccountQueue = {
      working: 0,
      waiting: new Set(),
      lastServed: 0,
      lastRequest_ms: this.#lastRequest_ms,
    }
    this.#accountQueues.set(account, accountQueue)
    return accountQueue
  }

  /** Returns null when it took its slots at once. */
  #waitForSlots(accountQueue: AccountQueue, budget: Budget, slots: number): Promise<void> | null {
    if (accountQueue.waiting.size === 0 && this.#canAdmit(accountQueue, slots)) {
      this.#admit(accountQueue, slots)
      return null
    }
    budget.signal.throwIfAborted()
    if (this.#waiting() >= this.#queueMax) this.#displaceNewest(accountQueue)
    return waitInQueue(accountQueue.waiting, budget, this.#waitErrors, slots)
  }

  /** Returns null when it took a slot at once. */
  #waitForBackgroundSlot(budget: Budget): Promise<void> | null {
    budget.signal.throwIfAborted()
    if (!this.#canAdmitBackground()) return waitInQueue(this.#backgroundQueue, budget, this.#waitErrors)
    this.#admitBackground()
    return null
  }

  /**
   * Rejects the newest entry of the longest queue. If the queue of this account would then be just as long, throws
   * instead.
   */
  #displaceNewest(accountQueue: AccountQueue): void {
    this.#rejectedCount++
    this.#onDone()
    const longestQueue = this.#accountQueues
      .values()
      .reduce((longest, other) => (other.waiting.size > longest.waiting.size ? other : longest), accountQueue)
    const queueFull = busyError('The service is busy and its queue is full. Try again in a moment.')
    if (longestQueue.waiting.size <= accountQueue.waiting.size + 1) throw queueFull
    const newest = [...longestQueue.waiting].at(-1)!
    newest.reject(queueFull)
  }

  #admitNext(): void {
    for (let next = this.#nextAccount(); next; next = this.#nextAccount()) {
      this.#admit(next, slotsOfFirst(next.waiting))
      admitFirst(next.waiting)
    }
    if (this.#backgroundQueue.size === 0 || !this.#canAdmitBackground()) return
    this.#admitBackground()
    admitFirst(this.#backgroundQueue)
  }

  /** Returns the waiting account that uses the fewest slots; among equals the one that was admitted longest ago. */
  #nextAccount(): AccountQueue | null {
    let best: AccountQueue | null = null
    for (const accountQueue of this.#accountQueues.values()) {
      const slots = slotsOfFirst(accountQueue.waiting)
      if (slots > 0 && this.#canAdmit(accountQueue, slots) && (!best || precedes(accountQueue, best)))
        best = accountQueue
    }
    return best
  }

  #waiting(): number {
    return this.#accountQueues.values().reduce((sum, accountQueue) => sum + accountQueue.waiting.size, 0)
  }

  #canAdmit(accountQueue: AccountQueue, slots: number): boolean {
    const working = accountQueue.working + slots
    return (
      this.#working + slots <= this.#concurrency &&
      working <= this.#concurrency - this.#alwaysReserved &&
      (working <= this.#accountMax ||
        !this.#accountQueues.values().some((other) => other !== accountQueue && isActive(other)))
    )
  }

  #admit(accountQueue: AccountQueue, slots: number): void {
    this.#working += slots
    accountQueue.working += slots
    accountQueue.lastServed = ++this.#admittedCount
  }

  #canAdmitBackground(): boolean {
    return this.#waiting() === 0 && this.#working < this.#concurrency && this.#backgroundWorking < this.#backgroundMax
  }

  #admitBackground(): void {
    this.#working++
    this.#backgroundWorking++
  }
}

function isActive({ lastRequest_ms }: AccountQueue): boolean {
  return performance.now() - lastRequest_ms < activeFor_ms
}

function busyError(message: string): ApiError {
  return new ApiError('fetch_busy', message, { retry_after_s: retryAfter_s })
}

function precedes(one: AccountQueue, other: AccountQueue): boolean {
  return one.working === other.working ? one.lastServed < other.lastServed : one.working < other.working
}
