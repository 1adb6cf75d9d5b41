import type { LoopTurn } from './loop-turn.ts'

/** Work in steps, each a millisecond long at most. */
export type Steps<T> = Generator<void, T, void>

/** Work that is done once: at once for who cannot wait, with breaths between for who can. What fails is begun anew by the next who asks. */
export type Unhurried<T> = {
  /** Does at once what is left of it. */
  now(): T
  /** Resolves when it is done; whatever else comes meanwhile has its turn between the steps. */
  soon(): Promise<T>
  isDone(): boolean
}

/** `loopTurn` says when others have their turn; works that share one do no more together than one would. */
export function unhurried<T>(work: () => Steps<T>, loopTurn: LoopTurn): Unhurried<T> {
  let begin: (() => Steps<T>) | null = work
  let done: { value: T } | null = null
  let steps: Steps<T> | null = null
  return {
    now() {
      while (!done) step()
      return done.value
    },
    async soon() {
      while (!done) {
        const over = loopTurn()
        if (over) await over
        else step()
      }
      return done.value
    },
    isDone: () => done !== null,
  }

  function step(): void {
    steps ??= begin!()
    try {
      const { done: isOver, value } = steps.next()
      if (!isOver) return
      done = { value }
      // What it was made from is not kept.
      steps = begin = null
    } catch (error) {
      steps = null
      throw error
    }
  }
}
