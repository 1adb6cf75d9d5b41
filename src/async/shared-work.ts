import { abortable } from './abortable.ts'
import type { Budget } from '../model/source.ts'

/** Work that several ask for at one time is done once. When he who began it gives up, the next who waits begins it anew. */
export type SharedWork<T> = (key: string, budget: Budget, work: () => Promise<T>) => Promise<T>

export function createSharedWork<T>(): SharedWork<T> {
  const inFlight = new Map<string, { result: Promise<T>; signal: AbortSignal }>()
  return async (key, budget, work) => {
    for (;;) {
      budget.signal.throwIfAborted()
      const running = inFlight.get(key)
      if (!running) return await start(key, budget, work)
      try {
        return await abortable(running.result, budget.signal)
      } catch (error) {
        if (budget.signal.aborted || !running.signal.aborted) throw error
      }
    }
  }

  async function start(key: string, { signal }: Budget, work: () => Promise<T>): Promise<T> {
    const result = work()
    inFlight.set(key, { result, signal })
    try {
      return await result
    } finally {
      inFlight.delete(key)
    }
  }
}
