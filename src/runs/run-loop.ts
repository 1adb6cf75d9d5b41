import type { PendingLocation, LocationResult } from '../store/run-writer.ts'
import type { StoredRun } from '../store/run-reader.ts'
import { isTransientSqliteError } from '../store/sqlite-errors.ts'
import { createExclusiveQueue } from './exclusive.ts'
import { triesExhaustedError, errorEntryOf, type LocationAnswer } from './run-entry.ts'
import { failAfterLosses, finishRun, endTransition, workerLossesMax, type FinishDeps } from './finish.ts'

/** How many locations of one run are in work at once, how many runs, and how often a location is tried that breaks. */
export const maxLocationsInFlight = 4
const maxRuns = 4
const maxAttempts = 3
/**
 * So many runs are in work where those beyond the fourth are the only ones of their accounts: nobody waits for the end
 * of somebody else's.
 */
const maxAccounts = 16

/**
 * So long a process has lived before the last try of a location: one that is killed sooner, again and again, is not
 * killed by a location.
 */
const steady_ms = 5000

const readAhead_rows = 64
const diskPause_ms = 1000

/** A location of a run that is to be answered. */
export type LocationTask = { run: StoredRun; fields: string[]; location: PendingLocation }

/**
 * What the loop works with: its rows, and the ways to ask, to tell of a change, and to write the artifacts of a run.
 */
export type RunLoopDeps = FinishDeps & {
  /** Whether the process itself ended before, rather than a worker of it. */
  isFirstWorker: boolean
  /** `fault`: answering broke in a way that is nobody's word. */
  answerLocation(task: LocationTask, signal: AbortSignal): Promise<LocationAnswer | 'internal_error'>
  steady_ms?: number
}

export type RunLoop = {
  /** Looks for what there is to do. */
  wake(): void
  /** Ends a run; false when it was finished. Resolves when its result is there. */
  cancel(run: number): Promise<boolean>
  /** Begins nothing more, waits so long for what is in work, and gives up the leases. */
  stop(grace_ms: number): Promise<void>
}

type ActiveRun = {
  run: StoredRun
  fields: string[]
  /**
   * Tried before, by somebody who did not live to tell: each is tried when all others of the run are done; the last
   * time, when nothing of any run is in work.
   */
  retriedLocations: PendingLocation[]
  retriedIndexes: ReadonlySet<number>
  /** To be claimed next, in this order. */
  retryQueue: PendingLocation[]
  queue: PendingLocation[]
  nextIndex: number
  inFlight: Map<number, AbortController>
  results: LocationResult[]
  state: 'answering' | 'cancelling' | 'finishing'
  ended: PromiseWithResolvers<void>
}

/**
 * Answers the locations of the runs, four at a time each. What comes in while a commit is under way goes into the next
 * one together.
 */
export function createRunLoop({
  isFirstWorker,
  answerLocation,
  steady_ms: steadyAfter_ms = steady_ms,
  ...deps
}: RunLoopDeps): RunLoop {
  const { writer, reportChange, now, reportFailure, reportRecovery } = deps
  const activeRuns = new Map<number, ActiveRun>()
  const exclusive = createExclusiveQueue<ActiveRun>(() =>
    activeRuns.values().every(({ inFlight, state }) => inFlight.size === 0 && state !== 'finishing'),
  )
  let hasSettledAttempts = !isFirstWorker
  let isSteady = !isFirstWorker
  /** Ours, and not begun yet: on a full disk that may fail, and nobody else would take it. */
  let adopted: StoredRun | null = null
  let scheduled = false
  let stopping = false
  let onIdle: (() => void) | null = null

  return { wake, cancel, stop }

  function wake(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(runTurn)
  }

  function runTurn(): void {
    scheduled = false
    try {
      if (!stopping) {
        settleAttempts()
        adoptRuns()
      }
      for (const active of activeRuns.values()) if (active.state !== 'finishing') advance(active)
      reportRecovery('the disk')
    } catch (error) {
      if (!isTransientSqliteError(error)) throw error
      reportFailure('the disk', error)
      for (const active of activeRuns.values()) if (active.state !== 'finishing') waitOutsideStep(active)
      setTimeout(wake, diskPause_ms)
    }
    if (
      stopping &&
      [...activeRuns.values()].every(({ inFlight, results }) => inFlight.size === 0 && results.length === 0)
    )
      onIdle?.()
  }

  function settleAttempts(): void {
    if (hasSettledAttempts) return
    writer.settleAttempts()
    hasSettledAttempts = true
    setTimeout(() => {
      isSteady = true
      wake()
    }, steadyAfter_ms).unref()
  }

  function adoptRuns(): void {
    while (activeRuns.size < maxAccounts && !exclusive.isTaken()) {
      adopted ??= writer.adopt(now().getTime(), activeRuns.size < maxRuns ? maxRuns : 1)
      if (!adopted) return
      // One after the other: a worker that ends here has one run in this step, and no other run is blamed.
      const active = activeRuns.has(adopted.number) ? null : activate(adopted)
      adopted = null
      if (active) advance(active)
    }
  }

  /** Takes a run into work; null for one that fails, since it lost too many workers. */
  function activate(run: StoredRun): ActiveRun | null {
    if (run.worker_losses >= workerLossesMax) {
      const failed = failAfterLosses(run, deps)
      if (failed) reportChange(failed)
      return null
    }
    const retriedLocations = writer.retriedLocations(run.number)
    const active: ActiveRun = {
      run,
      retriedLocations,
      fields: JSON.parse(run.fields) as string[],
      retriedIndexes: new Set(retriedLocations.map(({ idx }) => idx)),
      retryQueue: [],
      queue: [],
      nextIndex: 0,
      inFlight: new Map(),
      results: [],
      state: run.cancelled_at === null ? 'answering' : 'cancelling',
      ended: Promise.withResolvers(),
    }
    activeRuns.set(run.number, active)
    reportChange(run)
    return active
  }

  /** Writes what was answered and claims what comes next, in one commit; then asks. */
  function advance(active: ActiveRun): void {
    const next = stopping || active.state === 'cancelling' ? [] : nextLocations(active)
    if (active.results.length > 0 || next.length > 0) {
      const run = saveProgress(active, next)
      if (!run) return deactivate(active)
      if (active.results.length > 0) reportChange(run)
      active.run = run
      active.results = []
      for (const location of next) startAnswer(active, location)
    }
    if (stopping || active.inFlight.size > 0 || active.results.length > 0) return
    if (hasNoneLeft(active) && mayFinish(active)) void finish(active)
    else waitOutsideStep(active)
  }

  /**
   * A run that lost a worker is finished when nothing else is in work, so that nothing else can be what ends the next
   * one.
   */
  function mayFinish(active: ActiveRun): boolean {
    const { worker_losses } = active.run
    if (worker_losses === 0) return exclusive.mayStart(active)
    return (isSteady || worker_losses < workerLossesMax - 1) && exclusive.acquire(active)
  }

  function waitOutsideStep(active: ActiveRun): void {
    if (active.run.in_transition === 1) endTransition(active.run, writer)
    active.run = { ...active.run, in_transition: 0 }
  }

  function hasNoneLeft({ state, retriedLocations, retryQueue, queue, nextIndex, run }: ActiveRun): boolean {
    return (
      state === 'cancelling' ||
      (retriedLocations.length === 0 && retryQueue.length === 0 && queue.length === 0 && nextIndex >= run.total)
    )
  }

  function saveProgress(active: ActiveRun, next: PendingLocation[]): StoredRun | null {
    try {
      return writer.saveProgress(
        active.run.number,
        active.results,
        next.map(({ idx }) => idx),
      )
    } catch (error) {
      active.retryQueue.unshift(...next)
      throw error
    }
  }

  function nextLocations(active: ActiveRun): PendingLocation[] {
    if (!exclusive.mayStart(active)) return []
    const next: PendingLocation[] = []
    const maxInFlight = concurrencyOf(active)
    while (active.inFlight.size + next.length < maxInFlight) {
      const location = active.retryQueue.shift() ?? nextQueued(active)
      if (!location) break
      next.push(location)
    }
    if (next.length > 0 || active.inFlight.size > 0) return next
    while (active.retriedLocations[0] && active.retriedLocations[0].attempts >= maxAttempts)
      giveUp(active, active.retriedLocations.shift()!)
    const isLastTry = active.retriedLocations[0]?.attempts === maxAttempts - 1
    return isLastTry && !(isSteady && exclusive.acquire(active)) ? [] : active.retriedLocations.splice(0, 1)
  }

  /** Beside the runs of others, all runs of one account have together what one run has. */
  function concurrencyOf(active: ActiveRun): number {
    const runsOfAccount = activeRuns
      .values()
      .reduce((count, { run }) => count + Number(run.account_id === active.run.account_id), 0)
    return runsOfAccount === activeRuns.size
      ? maxLocationsInFlight
      : Math.max(1, Math.floor(maxLocationsInFlight / runsOfAccount))
  }

  function nextQueued(active: ActiveRun): PendingLocation | undefined {
    if (active.queue.length === 0 && active.nextIndex < active.run.total) {
      const found = writer.pendingLocations(active.run.number, active.nextIndex, readAhead_rows)
      active.nextIndex = found.length < readAhead_rows ? active.run.total : found.at(-1)!.idx + 1
      active.queue = found.filter(({ idx }) => !active.retriedIndexes.has(idx))
      if (active.queue.length === 0) return nextQueued(active)
    }
    return active.queue.shift()
  }

  function startAnswer(active: ActiveRun, location: PendingLocation): void {
    const controller = new AbortController()
    active.inFlight.set(location.idx, controller)
    void awaitAnswer(active, location, controller.signal)
  }

  async function awaitAnswer(active: ActiveRun, location: PendingLocation, signal: AbortSignal): Promise<void> {
    const answer = await answerLocation({ run: active.run, fields: active.fields, location }, signal)
    if (signal.aborted) return
    active.inFlight.delete(location.idx)
    exclusive.release(active)
    if (answer !== 'internal_error') active.results.push({ idx: location.idx, ...answer })
    else if (location.attempts + 1 >= maxAttempts) giveUp(active, location)
    else active.retryQueue.push({ ...location, attempts: location.attempts + 1 })
    wake()
  }

  function giveUp(active: ActiveRun, location: PendingLocation): void {
    active.results.push({ idx: location.idx, ...errorEntryOf(location, triesExhaustedError(maxAttempts), now()) })
  }

  /** Another epoch has it now, or it is past its time and swept. */
  function deactivate(active: ActiveRun): void {
    for (const controller of active.inFlight.values()) controller.abort()
    activeRuns.delete(active.run.number)
    exclusive.release(active)
    active.ended.resolve()
    wake()
  }

  async function finish(active: ActiveRun): Promise<void> {
    const status = active.state === 'cancelling' ? 'cancelled' : 'succeeded'
    active.state = 'finishing'
    const run = await finishRun(active.run, status, deps, () => stopping)
    if (run === 'stopping') return
    if (run) reportChange(run)
    deactivate(active)
  }

  async function cancel(run: number): Promise<boolean> {
    if (!writer.requestCancel(run, now().getTime())) return false
    const active = activeRuns.get(run) ?? takeOver(run)
    if (!active) return false
    if (active.state === 'answering') {
      active.state = 'cancelling'
      exclusive.release(active)
      for (const controller of active.inFlight.values()) controller.abort()
      active.inFlight.clear()
    }
    wake()
    await active.ended.promise
    return true
  }

  function takeOver(number: number): ActiveRun | null {
    const run = writer.takeOver(number, now().getTime())
    return run && activate(run)
  }

  async function stop(grace_ms: number): Promise<void> {
    stopping = true
    const done = new Promise<void>((resolve) => (onIdle = resolve))
    wake()
    await Promise.race([done, Bun.sleep(grace_ms)])
    for (const { run, inFlight } of activeRuns.values()) {
      for (const controller of inFlight.values()) controller.abort()
      writer.releaseLease(run.number, [...inFlight.keys()])
    }
  }
}
