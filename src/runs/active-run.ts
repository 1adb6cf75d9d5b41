import type { LocationAttempt, LocationResult, PendingLocation, RunWriter } from '../store/runs/run-queue.ts'
import { parseRunColumn } from '../store/runs/run-request.ts'
import type { LeasedRun } from '../store/runs/run-slices.ts'
import type { StoredRun } from '../store/runs/runs.ts'
import { endTransition, failUnreadable, type FinishDeps } from './finish.ts'
import { errorEntryOf, triesExhaustedError } from './report/run-entry.ts'
import type { QuestionResult } from './worker-messages.ts'

const maxAttempts = 3
const readAhead_rows = 64

/**
 * A run or a slice that this worker holds: the locations still to answer, those in progress, and the results that are
 * not written yet. Locations that an earlier worker attempted come last and one at a time, because one of them may
 * crash the worker.
 */
export class ActiveRun {
  run: LeasedRun
  state: 'answering' | 'cancelling' | 'finishing'
  /** The fields, and then the unknown names that the request leaves out. */
  readonly fields: string[]
  readonly ended = Promise.withResolvers<void>()
  readonly #writer: RunWriter
  readonly #inFlight = new Map<PendingLocation, AbortController>()
  readonly #attempted: PendingLocation[]
  #attemptedIndexes: ReadonlySet<number>
  /** Locations that were withdrawn because the service stops. */
  readonly #notStarted: PendingLocation[] = []
  /** Locations to take before all others, in this order. */
  #requeued: PendingLocation[] = []
  #readAhead: PendingLocation[] = []
  #nextIndex: number
  #hasReadAgain = false
  #results: LocationResult[] = []

  private constructor(run: LeasedRun, writer: RunWriter, attempted: PendingLocation[]) {
    this.run = run
    this.#nextIndex = run.first_idx
    const { fields_unknown = [] } = parseRunColumn(run, 'selection') as { fields_unknown?: string[] }
    this.fields = [...parseRunColumn(run, 'fields'), ...fields_unknown]
    this.state = run.cancelled_at === null ? 'answering' : 'cancelling'
    this.#writer = writer
    this.#attempted = attempted
    this.#attemptedIndexes = new Set(this.#attempted.map(({ idx }) => idx))
  }

  /** Opens a run that this worker has adopted. */
  static async open(run: LeasedRun, writer: RunWriter): Promise<ActiveRun> {
    return new ActiveRun(run, writer, await writer.retriedLocations(run.number))
  }

  /** The locations without an answer whose attempt may be counted, and how many attempts they have had before. */
  get unanswered(): LocationAttempt[] {
    return [...this.#inFlight.keys(), ...this.#notStarted, ...this.#requeued]
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.state !== 'finishing'
  }

  get hasResults(): boolean {
    return this.#results.length > 0
  }

  /** Whether nothing is in progress and all results are written. */
  get isSettled(): boolean {
    return this.#inFlight.size === 0 && !this.hasResults
  }

  get #endIndex(): number {
    return this.run.first_idx + this.run.total
  }

  /** Whether there are no more locations to start. */
  get isExhausted(): boolean {
    const remaining = this.#attempted.length + this.#requeued.length + this.#readAhead.length
    return this.state === 'cancelling' || (remaining === 0 && this.#nextIndex >= this.#endIndex)
  }

  /**
   * Reads the locations without a result again, once, if there are any although none is left to start. Only an error of
   * our code loses a location. Returns whether there are any.
   */
  readLostAgain(): boolean {
    const { done, total } = this.run
    if (this.#hasReadAgain || this.state !== 'answering' || !this.isExhausted || done >= total) return false
    this.#hasReadAgain = true
    this.#attemptedIndexes = new Set()
    this.#nextIndex = this.run.first_idx
    return true
  }

  /**
   * Takes the next locations, so that at most `maxInFlight` are in progress. A location without attempts left gets an
   * error entry. `mayTryLast` is called before the last attempt of a location; if it returns false, none is taken.
   */
  async takeNext(maxInFlight: number, now: Date, mayTryLast: () => boolean): Promise<PendingLocation[]> {
    const next = await this.#takeFirst(maxInFlight - this.#inFlight.size)
    if (next.length > 0 || this.#inFlight.size > 0) return next
    while (this.#attempted[0] && this.#attempted[0].attempts >= maxAttempts) this.#giveUp(this.#attempted.shift()!, now)
    const isLastTry = this.#attempted[0]?.attempts === maxAttempts - 1
    return isLastTry && !mayTryLast() ? [] : this.#attempted.splice(0, 1)
  }

  /** Takes locations that no earlier worker attempted, at most `limit`. If they cannot be read, none is taken. */
  async #takeFirst(limit: number): Promise<PendingLocation[]> {
    const taken: PendingLocation[] = []
    try {
      while (taken.length < limit) {
        if (this.#requeued.length === 0 && this.#readAhead.length === 0) await this.#readMore()
        const location = this.#requeued.shift() ?? this.#readAhead.shift()
        if (!location) break
        taken.push(location)
      }
      return taken
    } catch (error) {
      this.#requeued.unshift(...taken)
      throw error
    }
  }

  /** Writes the results and counts an attempt for each of `next`, in one commit. Returns false if the lease is lost. */
  async saveProgress(next: PendingLocation[]): Promise<boolean> {
    const results = this.#results
    this.#results = []
    const attempted = next.map(({ idx, attempts }) => ({ idx, attempts }))
    try {
      const run = await this.#writer.saveProgress(this.run.number, results, attempted)
      if (!run) return false
      this.run = run
      return true
    } catch (error) {
      this.#results.unshift(...results)
      this.#requeued.unshift(...next)
      throw error
    }
  }

  /** Marks a location as in progress. Returns the signal that aborts it. */
  start(location: PendingLocation): AbortSignal {
    const controller = new AbortController()
    this.#inFlight.set(location, controller)
    return controller.signal
  }

  /** Adds the answer of a location to the results. After an internal error, queues the location for another attempt. */
  settle(location: PendingLocation, answer: QuestionResult, now: Date): void {
    this.#inFlight.delete(location)
    if (answer === 'not_started') this.#notStarted.push(location)
    else if (answer !== 'internal_error') this.#results.push({ idx: location.idx, ...answer })
    else if (location.attempts + 1 >= maxAttempts) this.#giveUp(location, now)
    else this.#requeued.push({ ...location, attempts: location.attempts + 1 })
  }

  /** Aborts the locations in progress and starts no more. */
  cancel(): void {
    this.state = 'cancelling'
    this.abortLocations()
    this.#inFlight.clear()
  }

  abortLocations(): void {
    for (const controller of this.#inFlight.values()) controller.abort()
  }

  /** Ends the transition while the run waits for its turn to finish. */
  async waitOutsideTransition(): Promise<void> {
    if (this.run.in_transition === 1) await endTransition(this.run, this.#writer)
    this.run = { ...this.run, in_transition: 0 }
  }

  /** Reads the next locations that have no earlier attempts. */
  async #readMore(): Promise<void> {
    while (this.#readAhead.length === 0 && this.#nextIndex < this.#endIndex) {
      const found = await this.#writer.pendingLocations(this.run.number, this.#nextIndex, readAhead_rows)
      this.#nextIndex = found.length < readAhead_rows ? this.#endIndex : found.at(-1)!.idx + 1
      this.#readAhead = found.filter(({ idx }) => !this.#attemptedIndexes.has(idx))
    }
  }

  #giveUp({ idx, original_index }: PendingLocation, now: Date): void {
    this.#results.push({ idx, ...errorEntryOf({ idx, original_index }, triesExhaustedError(maxAttempts), now) })
  }
}

/** Opens a run that this worker has adopted. A run that cannot be read fails, and stops no other: returns null. */
export function openOrFail(run: StoredRun, deps: FinishDeps): Promise<ActiveRun | null> {
  return ActiveRun.open(run, deps.writer).catch((error: unknown) => failUnreadable(run, error, deps))
}
