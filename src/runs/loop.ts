import type { Claimed, Result } from '../store/run-work.ts'
import type { StoredRun } from '../store/runs.ts'
import { isOfTheDisk } from '../store/disk.ts'
import { openAlone } from './alone.ts'
import { givenUp, refusedEntry, type Answered } from './entry.ts'
import { failAfterLosses, finishRun, leaveStep, workerLossesMax, type FinishDeps } from './finish.ts'

/** How many locations of one run are in work at once, how many runs, and how often a location is tried that breaks. */
export const locationsAtOnce = 4
const runsAtOnce = 4
const triesMax = 3
/** So many runs are in work where those beyond the fourth are the only ones of their accounts: nobody waits for the end of somebody else's. */
const accountsAtOnce = 16

/** So long a process has lived before the last try of a location: one that is killed sooner, again and again, is not killed by a location. */
const steady_ms = 5000

const readAhead = 64
const diskPause_ms = 1000

/** A location of a run that is to be answered. */
export type Question = { run: StoredRun; fields: string[]; location: Claimed }

/** What the loop works with: its rows, and the ways to ask, to tell of a change, and to write the artifacts of a run. */
export type LoopMeans = FinishDeps & {
  /** Whether the process itself ended before, rather than a worker of it. */
  isFirst: boolean
  /** `fault`: answering broke in a way that is nobody's word. */
  ask(question: Question, signal: AbortSignal): Promise<Answered | 'fault'>
  steady_ms?: number
}

export type Loop = {
  /** Looks for what there is to do. */
  kick(): void
  /** Ends a run; false when it was finished. Resolves when its result is there. */
  cancel(run: number): Promise<boolean>
  /** Begins nothing more, waits so long for what is in work, and gives up the leases. */
  stop(grace_ms: number): Promise<void>
}

type Active = {
  run: StoredRun
  fields: string[]
  /** Tried before, by somebody who did not live to tell: each is tried when all others of the run are done; the last time, when nothing of any run is in work. */
  suspects: Claimed[]
  suspected: ReadonlySet<number>
  /** To be claimed next, in this order. */
  again: Claimed[]
  queue: Claimed[]
  from: number
  inWork: Map<number, AbortController>
  results: Result[]
  state: 'answering' | 'cancelling' | 'finishing'
  ended: PromiseWithResolvers<void>
}

/** Answers the locations of the runs, four at a time each. What comes in while a commit is under way goes into the next one together. */
export function openLoop({ isFirst, ask, steady_ms: steadyAfter_ms = steady_ms, ...deps }: LoopMeans): Loop {
  const { work, tell, now, trouble, relief } = deps
  const active = new Map<number, Active>()
  const alone = openAlone<Active>(() => active.values().every(({ inWork, state }) => inWork.size === 0 && state !== 'finishing'))
  let isSettled = !isFirst
  let isSteady = !isFirst
  /** Ours, and not begun yet: on a full disk that may fail, and nobody else would take it. */
  let adopted: StoredRun | null = null
  let scheduled = false
  let stopping = false
  let idle: (() => void) | null = null

  return { kick, cancel, stop }

  function kick(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(turn)
  }

  function turn(): void {
    scheduled = false
    try {
      if (!stopping) {
        settle()
        adoptMore()
      }
      for (const it of active.values()) if (it.state !== 'finishing') advance(it)
      relief('the disk')
    } catch (error) {
      if (!isOfTheDisk(error)) throw error
      trouble('the disk', error)
      for (const it of active.values()) if (it.state !== 'finishing') waitOutsideStep(it)
      setTimeout(kick, diskPause_ms)
    }
    if (stopping && [...active.values()].every(({ inWork, results }) => inWork.size === 0 && results.length === 0)) idle?.()
  }

  function settle(): void {
    if (isSettled) return
    work.settle()
    isSettled = true
    setTimeout(() => {
      isSteady = true
      kick()
    }, steadyAfter_ms).unref()
  }

  function adoptMore(): void {
    while (active.size < accountsAtOnce && !alone.isTaken()) {
      adopted ??= work.adopt(now().getTime(), active.size < runsAtOnce ? runsAtOnce : 1)
      if (!adopted) return
      // One after the other: a worker that ends here has one run in this step, and no other run is blamed.
      const it = active.has(adopted.number) ? null : begin(adopted)
      adopted = null
      if (it) advance(it)
    }
  }

  /** Takes a run into work; null for one that fails, since it lost too many workers. */
  function begin(run: StoredRun): Active | null {
    if (run.worker_losses >= workerLossesMax) {
      const failed = failAfterLosses(run, deps)
      if (failed) tell(failed)
      return null
    }
    const suspects = work.suspects(run.number)
    const it: Active = {
      run, suspects, fields: JSON.parse(run.fields) as string[], suspected: new Set(suspects.map(({ idx }) => idx)), again: [], queue: [], from: 0,
      inWork: new Map(), results: [], state: run.cancelled_at === null ? 'answering' : 'cancelling', ended: Promise.withResolvers(),
    }
    active.set(run.number, it)
    tell(run)
    return it
  }

  /** Writes what was answered and claims what comes next, in one commit; then asks. */
  function advance(it: Active): void {
    const next = stopping || it.state === 'cancelling' ? [] : nextOf(it)
    if (it.results.length > 0 || next.length > 0) {
      const run = written(it, next)
      if (!run) return drop(it)
      if (it.results.length > 0) tell(run)
      it.run = run
      it.results = []
      for (const location of next) answer(it, location)
    }
    if (stopping || it.inWork.size > 0 || it.results.length > 0) return
    if (hasNoneLeft(it) && mayFinish(it)) void finish(it)
    else waitOutsideStep(it)
  }

  /** A run that lost a worker is finished when nothing else is in work, so that nothing else can be what ends the next one. */
  function mayFinish(it: Active): boolean {
    const { worker_losses } = it.run
    if (worker_losses === 0) return alone.mayBegin(it)
    return (isSteady || worker_losses < workerLossesMax - 1) && alone.has(it)
  }

  function waitOutsideStep(it: Active): void {
    if (it.run.in_step === 1) leaveStep(it.run, work)
    it.run = { ...it.run, in_step: 0 }
  }

  function hasNoneLeft({ state, suspects, again, queue, from, run }: Active): boolean {
    return state === 'cancelling' || (suspects.length === 0 && again.length === 0 && queue.length === 0 && from >= run.total)
  }

  function written(it: Active, next: Claimed[]): StoredRun | null {
    try {
      return work.advance(it.run.number, it.results, next.map(({ idx }) => idx))
    } catch (error) {
      it.again.unshift(...next)
      throw error
    }
  }

  function nextOf(it: Active): Claimed[] {
    if (!alone.mayBegin(it)) return []
    const next: Claimed[] = []
    const most = placesOf(it)
    while (it.inWork.size + next.length < most) {
      const location = it.again.shift() ?? fromQueue(it)
      if (!location) break
      next.push(location)
    }
    if (next.length > 0 || it.inWork.size > 0) return next
    while (it.suspects[0] && it.suspects[0].attempts >= triesMax) giveUp(it, it.suspects.shift()!)
    const isLastTry = it.suspects[0]?.attempts === triesMax - 1
    return isLastTry && !(isSteady && alone.has(it)) ? [] : it.suspects.splice(0, 1)
  }

  /** Beside the runs of others, all runs of one account have together what one run has. */
  function placesOf(it: Active): number {
    const own = active.values().reduce((count, { run }) => count + Number(run.account_id === it.run.account_id), 0)
    return own === active.size ? locationsAtOnce : Math.max(1, Math.floor(locationsAtOnce / own))
  }

  function fromQueue(it: Active): Claimed | undefined {
    if (it.queue.length === 0 && it.from < it.run.total) {
      const found = work.open(it.run.number, it.from, readAhead)
      it.from = found.length < readAhead ? it.run.total : found.at(-1)!.idx + 1
      it.queue = found.filter(({ idx }) => !it.suspected.has(idx))
      if (it.queue.length === 0) return fromQueue(it)
    }
    return it.queue.shift()
  }

  function answer(it: Active, location: Claimed): void {
    const leaving = new AbortController()
    it.inWork.set(location.idx, leaving)
    void heard(it, location, leaving.signal)
  }

  async function heard(it: Active, location: Claimed, signal: AbortSignal): Promise<void> {
    const answered = await ask({ run: it.run, fields: it.fields, location }, signal)
    if (signal.aborted) return
    it.inWork.delete(location.idx)
    alone.leave(it)
    if (answered !== 'fault') it.results.push({ idx: location.idx, ...answered })
    else if (location.attempts + 1 >= triesMax) giveUp(it, location)
    else it.again.push({ ...location, attempts: location.attempts + 1 })
    kick()
  }

  function giveUp(it: Active, location: Claimed): void {
    it.results.push({ idx: location.idx, ...refusedEntry(location, givenUp(triesMax), now()) })
  }

  /** Another epoch has it now, or it is past its time and swept. */
  function drop(it: Active): void {
    for (const leaving of it.inWork.values()) leaving.abort()
    active.delete(it.run.number)
    alone.leave(it)
    it.ended.resolve()
    kick()
  }

  async function finish(it: Active): Promise<void> {
    const status = it.state === 'cancelling' ? 'cancelled' : 'succeeded'
    it.state = 'finishing'
    const run = await finishRun(it.run, status, deps, () => stopping)
    if (run === 'stopping') return
    if (run) tell(run)
    drop(it)
  }

  async function cancel(run: number): Promise<boolean> {
    if (!work.cancel(run, now().getTime())) return false
    const it = active.get(run) ?? taken(run)
    if (!it) return false
    if (it.state === 'answering') {
      it.state = 'cancelling'
      alone.leave(it)
      for (const leaving of it.inWork.values()) leaving.abort()
      it.inWork.clear()
    }
    kick()
    await it.ended.promise
    return true
  }

  function taken(number: number): Active | null {
    const run = work.takeOver(number, now().getTime())
    return run && begin(run)
  }

  async function stop(grace_ms: number): Promise<void> {
    stopping = true
    const done = new Promise<void>((resolve) => (idle = resolve))
    kick()
    await Promise.race([done, Bun.sleep(grace_ms)])
    for (const { run, inWork } of active.values()) {
      for (const leaving of inWork.values()) leaving.abort()
      work.release(run.number, [...inWork.keys()])
    }
  }
}
