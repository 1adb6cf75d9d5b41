import type { PendingLocation } from '../store/runs/run-queue.ts'
import type { LeasedRun } from '../store/runs/run-slices.ts'
import { isTemporaryStorageError } from '../store/storage-error.ts'
import { openOrFail, type ActiveRun } from './active-run.ts'
import { failAfterLosses, failUnreadable, finishRun, workerLossesMax } from './finish.ts'
import type { RunLoopDeps } from './run-loop-deps.ts'

/** How many locations of one run are in progress at the same time. */
export const maxLocationsInFlight = 4
/** How many locations are in progress, and written in one commit, in a run whose fields the worker answers itself. */
const localBlock = 256
/** How many runs are active at the same time, regardless of their accounts. */
const maxRuns = 4
/** Further runs are active only if their account has no other active run, so that no account waits for another. */
const maxAccounts = 16

/**
 * The first worker of a process must run this long before the last attempt of a location, and before it adopts a run
 * that would fail with one more loss. If the process is killed sooner, again and again, then no location and no run is
 * the cause.
 */
const steady_ms = 5000

const diskPause_ms = 1000
/**
 * Much shorter than a lease lasts. Runs that other workers lost or that other processes submitted are found then, too.
 */
const leaseRenewal_ms = 5000

/**
 * Answers the locations of the runs, four at a time per run. Answers that arrive during a commit are written together
 * in the next commit.
 */
export class RunLoop {
  readonly #deps: RunLoopDeps
  readonly #activeRuns = new Map<number, ActiveRun>()
  /** The run that has, or waits for, exclusive use of the worker: no other run starts work. */
  #exclusiveRun: ActiveRun | null = null
  #hasSettledAttempts: boolean
  #isSteady: boolean
  /**
   * An adopted run that is not active yet. Activation may fail on a full disk, and no other worker would adopt the run.
   */
  #adopted: LeasedRun | null = null
  #isScheduled = false
  /** The work that changes the active runs. One piece follows the other. */
  #work: Promise<unknown> = Promise.resolve()
  #isStopping = false
  #onSettled: (() => void) | null = null
  readonly #leaseTimer: ReturnType<typeof setInterval>
  #renewal = Promise.resolve()

  constructor(deps: RunLoopDeps) {
    this.#deps = deps
    this.#hasSettledAttempts = !deps.isFirstWorker
    this.#isSteady = !deps.isFirstWorker
    const renewal_ms = deps.leaseRenewal_ms ?? leaseRenewal_ms
    this.#leaseTimer = setInterval(() => {
      this.#renewal = this.#renewLeases()
    }, renewal_ms).unref()
  }

  /** Schedules a turn of the loop, which looks for work. */
  wake(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => void this.#enqueue(() => this.#runTurn()))
  }

  /**
   * Cancels a run. Resolves with true when its result is written, or with false if it was finished before or another
   * worker is cancelling it.
   */
  async cancel(run: number): Promise<boolean> {
    const active = await this.#enqueue(() => this.#requestCancel(run))
    if (!active) return false
    this.wake()
    await active.ended.promise
    return true
  }

  /**
   * Starts no more work, waits for locations in progress, at most until the end of the grace, and releases the leases.
   */
  async stop(graceEnd: Promise<void>): Promise<void> {
    this.#isStopping = true
    const settled = new Promise<void>((resolve) => (this.#onSettled = resolve))
    this.wake()
    await Promise.race([settled, graceEnd])
    clearInterval(this.#leaseTimer)
    await this.#renewal
    await this.#enqueue(async () => {
      for (const active of this.#activeRuns.values()) {
        active.abortLocations()
        await this.#deps.writer.releaseLease(active.run.number, active.unanswered)
      }
    })
  }

  /** Does not wait for the queue of work: writing the result files of a long run takes longer than a lease lasts. */
  async #renewLeases(): Promise<void> {
    try {
      await this.#deps.writer.renewLeases([...this.#activeRuns.keys()])
    } catch (error) {
      if (!isTemporaryStorageError(error)) throw error
      this.#deps.reportFailure('the disk', error)
    }
    this.wake()
  }

  /** Executes work that changes the active runs, after the work before it. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work)
    this.#work = result.catch(() => {})
    return result
  }

  async #runTurn(): Promise<void> {
    this.#isScheduled = false
    try {
      if (!this.#isStopping) {
        await this.#settleAttempts()
        await this.#adoptRuns()
      }
      for (const active of this.#unfinishedRuns()) await this.#advance(active)
      this.#deps.reportRecovery('the disk')
    } catch (error) {
      if (!isTemporaryStorageError(error)) throw error
      this.#deps.reportFailure('the disk', error)
      for (const active of this.#unfinishedRuns()) await active.waitOutsideTransition()
      setTimeout(() => void this.#renewLeases(), diskPause_ms)
    }
    if (this.#isStopping && this.#activeRuns.values().every(({ isSettled }) => isSettled)) this.#onSettled?.()
  }

  #unfinishedRuns(): Iterable<ActiveRun> {
    return this.#activeRuns.values().filter(({ state }) => state !== 'finishing')
  }

  async #settleAttempts(): Promise<void> {
    if (this.#hasSettledAttempts) return
    await this.#deps.writer.settleAttempts()
    this.#hasSettledAttempts = true
    setTimeout(() => {
      this.#isSteady = true
      this.wake()
    }, this.#deps.steady_ms ?? steady_ms).unref()
  }

  async #adoptRuns(): Promise<void> {
    while (this.#activeRuns.size < maxAccounts && this.#exclusiveRun === null) {
      const maxPerAccount = this.#activeRuns.size < maxRuns ? maxRuns : 1
      const skippedLosses = this.#isSteady ? Infinity : workerLossesMax - 1
      this.#adopted ??= await this.#deps.writer.adopt(this.#deps.now().getTime(), maxPerAccount, skippedLosses)
      if (!this.#adopted) return
      // One at a time: if the worker crashes here, only one run is in transition, so the loss counts for this run only.
      const active = this.#activeRuns.has(this.#adopted.number) ? null : await this.#activate(this.#adopted)
      this.#adopted = null
      if (active) await this.#advance(active)
    }
  }

  /** Records a cancel request and returns the run, which this worker then holds; null if it need not do anything. */
  async #requestCancel(number: number): Promise<ActiveRun | null> {
    const { writer, now } = this.#deps
    const now_ms = now().getTime()
    if (!(await writer.requestCancel(number, now_ms))) return null
    for (const slice of this.#activeRuns.values()) if (slice.run.slice_of === number) this.#deactivate(slice)
    const taken = this.#activeRuns.has(number) ? null : await writer.takeOver(number, now_ms)
    const active = taken ? await this.#activate(taken) : (this.#activeRuns.get(number) ?? null)
    if (active?.state === 'answering') {
      this.#releaseExclusive(active)
      active.cancel()
    }
    return active
  }

  /** Activates a run. Returns null if the run fails: it has lost too many workers, or it cannot be read. */
  async #activate(run: LeasedRun): Promise<ActiveRun | null> {
    if (run.worker_losses >= workerLossesMax) return failAfterLosses(run, this.#deps)
    const active = await openOrFail(run, this.#deps)
    if (!active) return null
    this.#activeRuns.set(run.number, active)
    this.#deps.reportChange(run)
    return active
  }

  /** Writes the results and claims the next locations in one commit, then starts these locations. */
  async #advance(active: ActiveRun): Promise<void> {
    const next = await this.#takeNext(active).catch((error: unknown) => failUnreadable(active.run, error, this.#deps))
    if (!next) return this.#deactivate(active)
    const { hasResults } = active
    if (hasResults || next.length > 0) {
      if (!(await active.saveProgress(next))) return this.#deactivate(active)
      if (hasResults) this.#deps.reportChange(active.run)
      this.#begin(active, next)
    }
    if (this.#isStopping || !active.isSettled) return
    if (active.readLostAgain()) {
      const { id, done, total } = active.run
      const error = new Error(`${total - done} of ${total} locations were lost. They are read again.`)
      this.#deps.reportFailure(`reading the locations of ${id}`, error)
      return this.wake()
    }
    if (active.isExhausted && this.#mayFinish(active)) void this.#finish(active)
    else await active.waitOutsideTransition()
  }

  async #takeNext(active: ActiveRun): Promise<PendingLocation[]> {
    if (this.#isStopping || active.state === 'cancelling' || !this.#mayStart(active)) return []
    return active.takeNext(
      this.#concurrencyOf(active),
      this.#deps.now(),
      () => this.#isSteady && this.#acquireExclusive(active),
    )
  }

  /** If several accounts have active runs, the runs of one account share the concurrency of a single run. */
  #concurrencyOf(active: ActiveRun): number {
    if (this.#deps.answersItself?.(active.fields)) return localBlock
    const { account_id } = active.run
    const runsOfAccount = [...this.#activeRuns.values()].filter(({ run }) => run.account_id === account_id).length
    return runsOfAccount === this.#activeRuns.size
      ? maxLocationsInFlight
      : Math.max(1, Math.floor(maxLocationsInFlight / runsOfAccount))
  }

  /** Answers locations: all at once, if the worker answers them itself. */
  #begin(active: ActiveRun, locations: PendingLocation[]): void {
    const { run, fields } = active
    const isLocal = locations.length > 0 && this.#deps.answersItself?.(fields)
    const answers = isLocal ? this.#deps.answerBlock?.({ run, fields, locations }) : undefined
    const now = this.#deps.now()
    for (const [i, location] of locations.entries()) {
      const answer = answers?.[i]
      if (answer) active.settle(location, answer, now)
      else void this.#answer(active, location)
    }
    if (!answers) return
    this.#releaseExclusive(active)
    this.wake()
  }

  async #answer(active: ActiveRun, location: PendingLocation): Promise<void> {
    const signal = active.start(location)
    const { run, fields } = active
    const answer = await this.#deps.answerLocation({ run, fields, location }, signal)
    if (signal.aborted) return
    active.settle(location, answer, this.#deps.now())
    this.#releaseExclusive(active)
    this.wake()
  }

  /**
   * One run at a time writes its result files: several at a time would take as long, and more memory. A run that lost a
   * worker finishes alone, so that nothing else can be the cause if the next worker crashes too. A slice has no files.
   */
  #mayFinish(active: ActiveRun): boolean {
    if (active.run.slice_of !== null) return true
    if (this.#activeRuns.values().some(({ state }) => state === 'finishing')) return false
    const { worker_losses } = active.run
    if (worker_losses === 0) return this.#mayStart(active)
    return (this.#isSteady || worker_losses < workerLossesMax - 1) && this.#acquireExclusive(active)
  }

  async #finish(active: ActiveRun): Promise<void> {
    const status = active.state === 'cancelling' ? 'cancelled' : 'done'
    active.state = 'finishing'
    const run = await finishRun(active.run, status, this.#deps, () => this.#isStopping)
    if (run === 'stopping') return
    if (run) this.#deps.reportChange(run)
    this.#deactivate(active)
  }

  /** Drops a run that is finished, deleted, or held by another epoch. */
  #deactivate(active: ActiveRun): void {
    active.abortLocations()
    this.#activeRuns.delete(active.run.number)
    this.#releaseExclusive(active)
    active.ended.resolve()
    this.wake()
  }

  /** Requests exclusive use of the worker. Returns true once all other work has ended. */
  #acquireExclusive(active: ActiveRun): boolean {
    this.#exclusiveRun ??= active
    return this.#exclusiveRun === active && this.#activeRuns.values().every(({ isIdle }) => isIdle)
  }

  #mayStart(active: ActiveRun): boolean {
    return this.#exclusiveRun === null || this.#exclusiveRun === active
  }

  #releaseExclusive(active: ActiveRun): void {
    if (this.#exclusiveRun === active) this.#exclusiveRun = null
  }
}
