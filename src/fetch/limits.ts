import type { Dataset } from '../catalog/entry.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'

/** What a field may take, all its reads together. */
export const fieldMax_ms = { any: 20_000, 'roads and buildings': 35_000, satellite: 60_000 } as const

/**
 * The clocks of one request, begun with it, one for each limit that its sources have. `within`: what a source on another server comes to, or
 * `timeout` when the field's time is up; what is local does not wait. To be closed when every field is answered.
 */
export type Limits = { within<T>(work: Promise<T>, dataset: Dataset): Promise<T>; close(): void }

export function openLimits({ until_ms = Infinity }: Pick<Budget, 'until_ms'>): Limits {
  const began = performance.now()
  const clocks = new Map<number, { over: Promise<never>; timer: Timer }>()
  return {
    within: (work, dataset) => Promise.race([work, overAfter(Math.max(0, Math.min(limitOf(dataset), until_ms - began)))]),
    close: () => clocks.forEach(({ timer }) => clearTimeout(timer)),
  }

  function overAfter(limit_ms: number): Promise<never> {
    const known = clocks.get(limit_ms)
    if (known) return known.over
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    const timer = setTimeout(() => reject(new UpstreamError('timeout', `There was no answer within ${Math.round(limit_ms / 1000)} s.`)), limit_ms - (performance.now() - began))
    clocks.set(limit_ms, { over: promise, timer })
    return promise
  }
}

type Timer = ReturnType<typeof setTimeout>

/** A dataset whose own budget is larger than that of any field is one of those that may take longer. */
function limitOf({ budget_ms }: Dataset): number {
  const limits = Object.values(fieldMax_ms)
  return limits.find((limit_ms) => budget_ms <= limit_ms) ?? fieldMax_ms.satellite
}
