import type { Dataset } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'

/** What a field may take, all its reads together. */
export const fieldMax_ms = { any: 20_000, 'roads and buildings': 35_000, satellite: 60_000 } as const

/**
 * The clocks of one request, begun with it, one for each limit that its sources have. `within`: what a source on another server comes to, or
 * `timeout` when the field's time is up; what is local does not wait. To be closed when every field is answered.
 */
export type FieldDeadlines = { within<T>(work: Promise<T>, dataset: Dataset): Promise<T>; close(): void }

export function openFieldDeadlines({ until_ms = Infinity }: Pick<Budget, 'until_ms'>): FieldDeadlines {
  const started_ms = performance.now()
  const timeouts = new Map<number, { expired: Promise<never>; timer: Timer }>()
  return {
    within: (work, dataset) =>
      Promise.race([work, timeoutAfter(Math.max(0, Math.min(limitOf(dataset), until_ms - started_ms)))]),
    close: () => timeouts.forEach(({ timer }) => clearTimeout(timer)),
  }

  function timeoutAfter(limit_ms: number): Promise<never> {
    const known = timeouts.get(limit_ms)
    if (known) return known.expired
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    const timer = setTimeout(
      () => reject(new UpstreamError('timeout', `There was no answer within ${Math.round(limit_ms / 1000)} s.`)),
      limit_ms - (performance.now() - started_ms),
    )
    timeouts.set(limit_ms, { expired: promise, timer })
    return promise
  }
}

type Timer = ReturnType<typeof setTimeout>

/** A dataset whose own budget is larger than that of any field is one of those that may take longer. */
function limitOf({ budget_ms }: Dataset): number {
  const limits = Object.values(fieldMax_ms)
  return limits.find((limit_ms) => budget_ms <= limit_ms) ?? fieldMax_ms.satellite
}
