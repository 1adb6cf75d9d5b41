import type { YieldToEventLoop } from './yield-to-event-loop.ts'

/** Work in steps, each a millisecond long at most. */
export type TaskSteps<T> = Generator<void, T, void>

/** Work that is done once: at once for who cannot wait, with breaths between for who can. What fails is begun anew by the next who asks. */
export type IncrementalTask<T> = {
  /** Does at once what is left of it. */
  runSync(): T
  /** Resolves when it is done; whatever else comes meanwhile has its turn between the steps. */
  run(): Promise<T>
  isDone(): boolean
}

/** `loopTurn` says when others have their turn; works that share one do no more together than one would. */
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
      // What it was made from is not kept.
      steps = startSteps = null
    } catch (error) {
      steps = null
      throw error
    }
  }
}
