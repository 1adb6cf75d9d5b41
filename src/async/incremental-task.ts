import type { YieldToEventLoop } from './yield-to-event-loop.ts'

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
