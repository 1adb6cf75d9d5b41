import { deadlineError } from '../async/deadline.ts'
import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Dataset } from '../catalog/records.ts'
import type { Budget } from '../model/source.ts'

/** Time limits of a field, for all its reads together. */
export const fieldMax_ms = { any: 20_000, 'roads and buildings': 35_000, satellite: 60_000 } as const

/** The deadlines of the fields of one request. They share one timer per limit. */
export type FieldDeadlines = {
  /**
   * Settles like the work, or rejects with `timeout` at the deadline of the dataset's limit. A result that is there
   * already needs no deadline.
   */
  within<T>(work: MaybePromise<T>, dataset: Dataset): MaybePromise<T>
  /** Stops the timers. */
  close(): void
}

/** Opens the deadlines. Time counts from `started_ms`, and ends at `until_ms` at the latest. */
export function openFieldDeadlines(
  { until_ms = Infinity }: Pick<Budget, 'until_ms'>,
  started_ms = performance.now(),
): FieldDeadlines {
  let timeouts: Map<number, { expired: Promise<never>; timer: ReturnType<typeof setTimeout> }> | null = null
  return {
    within: (work, dataset) =>
      work instanceof Promise
        ? Promise.race([work, timeoutAfter(Math.max(0, Math.min(limitOf(dataset), until_ms - started_ms)))])
        : work,
    close: () => timeouts?.forEach(({ timer }) => clearTimeout(timer)),
  }

  function timeoutAfter(limit_ms: number): Promise<never> {
    timeouts ??= new Map()
    const known = timeouts.get(limit_ms)
    if (known) return known.expired
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    const timer = setTimeout(
      () => reject(deadlineError(1000 * Math.round(limit_ms / 1000))),
      Math.max(0, limit_ms - (performance.now() - started_ms)),
    )
    timeouts.set(limit_ms, { expired: promise, timer })
    return promise
  }
}

/** A dataset whose own budget exceeds a limit gets the next larger one. */
function limitOf({ budget_ms }: Dataset): number {
  const limits = Object.values(fieldMax_ms)
  return limits.find((limit_ms) => budget_ms <= limit_ms) ?? fieldMax_ms.satellite
}
