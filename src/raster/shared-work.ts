import { abortable } from '../async/abortable.ts'
import type { Budget } from '../model/source.ts'

/** Work that several ask for at one time is done once. When he who began it gives up, the next who waits begins it anew. */
export type Shared<T> = (key: string, budget: Budget, work: () => Promise<T>) => Promise<T>

export function openShared<T>(): Shared<T> {
  const underWay = new Map<string, { result: Promise<T>; signal: AbortSignal }>()
  return async (key, budget, work) => {
    for (;;) {
      budget.signal.throwIfAborted()
      const other = underWay.get(key)
      if (!other) return await begun(key, budget, work)
      try {
        return await abortable(other.result, budget.signal)
      } catch (error) {
        if (budget.signal.aborted || !other.signal.aborted) throw error
      }
    }
  }

  async function begun(key: string, { signal }: Budget, work: () => Promise<T>): Promise<T> {
    const result = work()
    underWay.set(key, { result, signal })
    try {
      return await result
    } finally {
      underWay.delete(key)
    }
  }
}
