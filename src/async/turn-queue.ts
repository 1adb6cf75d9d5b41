import { AsyncLocalStorage } from 'node:async_hooks'
import type { MaybePromise } from './maybe-promise.ts'

/**
 * Runs short work of many callers together, at the end of the turn of the event loop in which it came: code and data
 * that a piece of work uses are then still in the caches of the processor for the next one. After `slice_ms`, the rest
 * waits for the next turn. The callers take turns. More than `queueMax` pieces do not wait: they run at once.
 */
export class TurnQueue {
  readonly #slice_ms: number
  readonly #queueMax: number
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #size = 0

  constructor(slice_ms: number, queueMax: number) {
    this.#slice_ms = slice_ms
    this.#queueMax = queueMax
  }

  /** Resolves with the result of the work, which runs in the asynchronous context of the caller. */
  async run<T>(caller: string, work: () => MaybePromise<T>): Promise<T> {
    if (this.#size >= this.#queueMax) return work()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const inContext = AsyncLocalStorage.snapshot()
    this.#add(caller, () => {
      try {
        resolve(inContext(work))
      } catch (error) {
        reject(error)
      }
    })
    return promise
  }

  #add(caller: string, piece: () => void): void {
    if (this.#size++ === 0) setImmediate(this.#runTurn)
    const pieces = this.#waiting.get(caller)
    if (pieces) pieces.push(piece)
    else this.#waiting.set(caller, [piece])
  }

  readonly #runTurn = (): void => {
    const until_ms = performance.now() + this.#slice_ms
    // A caller with more work moves to the end, where the loop finds it again.
    for (const [caller, pieces] of this.#waiting) {
      this.#waiting.delete(caller)
      const piece = pieces.shift()!
      if (pieces.length > 0) this.#waiting.set(caller, pieces)
      this.#size--
      piece()
      if (performance.now() >= until_ms) break
    }
    if (this.#size > 0) setImmediate(this.#runTurn)
  }
}
