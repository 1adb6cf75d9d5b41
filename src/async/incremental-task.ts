/** The steps of a task; each takes at most a millisecond. */
export type TaskSteps<T> = Generator<void, T, void>

/** A task that runs once, in steps. After an error, the next call starts it again. */
export type IncrementalTask<T> = {
  /** Runs the remaining steps at once and returns the result. */
  runSync(): T
  /** Runs the remaining steps, yields to the event loop between them, and resolves with the result. */
  run(): Promise<T>
  isDone(): boolean
}

/** Creates a task. Tasks that share one `yieldToEventLoop` also share its time slice. */
export function createIncrementalTask<T>(
  work: () => TaskSteps<T>,
  yieldToEventLoop: YieldToEventLoop,
): IncrementalTask<T> {
  let startSteps: (() => TaskSteps<T>) | null = work
  let done: { value: T } | null = null
  let steps: TaskSteps<T> | null = null
  return {
    runSync() {
      while (!done) step()
      return done.value
    },
    async run() {
      while (!done) {
        const turnEnd = yieldToEventLoop()
        if (turnEnd) await turnEnd
        else step()
      }
      return done.value
    },
    isDone: () => done !== null,
  }

  function step(): void {
    steps ??= startSteps!()
    try {
      const { done: isFinished, value } = steps.next()
      if (!isFinished) return
      done = { value }
      // Releases the memory that the steps refer to.
      steps = startSteps = null
    } catch (error) {
      steps = null
      throw error
    }
  }
}

/** Runs all steps at once and returns the result. */
export function runToEnd<T>(steps: TaskSteps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Returns null while the time slice lasts, else a promise for the next turn of the event loop. Call it again after
 * that.
 */
export type YieldToEventLoop = () => Promise<void> | null

/**
 * Limits the work of one event loop turn to `slice_ms`. Synchronous work would otherwise run to its end before the next
 * request is read: no request could be rejected, and /healthz would wait. `onTurnEnd` runs after each such turn.
 */
export function createYieldToEventLoop(slice_ms: number, onTurnEnd: () => void = () => {}): YieldToEventLoop {
  let turn: { began_ms: number; finished: Promise<void> } | null = null
  return () => {
    const now_ms = performance.now()
    turn ??= startTurn(now_ms)
    return now_ms - turn.began_ms < slice_ms ? null : turn.finished
  }

  function startTurn(began_ms: number) {
    const { promise: finished, resolve } = Promise.withResolvers<void>()
    setImmediate(() => {
      turn = null
      onTurnEnd()
      resolve()
    })
    return { began_ms, finished }
  }
}

/**
 * Like createYieldToEventLoop, but only one of the waiting tasks continues in each turn, because the steps of all would
 * add up. Accounts take turns. `onSliceEnd` runs after each turn in which a task used up its slice.
 */
export function createSharedYieldToEventLoop(slice_ms: number, onSliceEnd = () => {}) {
  /** The waiting tasks of each account. The account whose turn is next is first. */
  const waiting = new Map<string, (() => void)[]>()
  let began_ms: number | null = null
  const startTurn = () => {
    began_ms = performance.now()
    setImmediate(endTurn)
  }
  const endTurn = () => {
    began_ms = null
    const [next] = waiting
    if (!next) return
    onSliceEnd()
    const [account, tasks] = next
    waiting.delete(account)
    const resume = tasks.shift()!
    if (tasks.length > 0) waiting.set(account, tasks)
    startTurn()
    resume()
  }
  return (account: string): YieldToEventLoop =>
    () => {
      if (began_ms === null) startTurn()
      else if (performance.now() - began_ms >= slice_ms) {
        const tasks = waiting.get(account) ?? []
        waiting.set(account, tasks)
        return new Promise((resume) => tasks.push(resume))
      }
      return null
    }
}
