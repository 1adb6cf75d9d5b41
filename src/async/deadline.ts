import { UpstreamError } from '../model/error.ts'
import type { AnySource, Budget } from '../model/source.ts'
import { abortable } from './abortable.ts'

/** A budget without a limit. */
export const noDeadline: Budget = { signal: new AbortController().signal }

/**
 * Runs the work with a time limit. Rejects with `toError()` (default: `timeout`) after `limit_ms`, or with the reason
 * of the signal. Either one aborts the signal that the work receives; work that ignores it continues, but its result is
 * dropped. A limit of Infinity sets no timer.
 */
export async function runWithDeadline<T>(
  limit_ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  toError: () => Error = () => deadlineError(limit_ms),
): Promise<T> {
  if (limit_ms === Infinity) return abortable(work(signal), signal)
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(toError()), limit_ms)
  const combinedSignal = AbortSignal.any([signal, controller.signal])
  try {
    return await abortable(work(combinedSignal), combinedSignal)
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the source with a time limit for each query. */
export function withDeadline(source: AnySource, limit_ms: number): AnySource {
  return (query: never, { signal, onFreshness, onBilledCall }: Budget) =>
    runWithDeadline(limit_ms, signal, async (combinedSignal) =>
      source(query, {
        signal: combinedSignal,
        ...(onFreshness && { onFreshness }),
        ...(onBilledCall && { onBilledCall }),
      }),
    )
}

/** Returns the `timeout` error of work that took longer than `limit_ms`. */
export function deadlineError(limit_ms: number): UpstreamError {
  return new UpstreamError('timeout', `There was no answer within ${limit_ms / 1000} s.`)
}
