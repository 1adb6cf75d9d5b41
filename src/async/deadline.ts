/**
 * What concurrent work needs and no library here has: deadlines, single flight, fair queues, turns of the event
 * loop, reading large JSON in steps. Nothing here knows of fields or places.
 */
import { UpstreamError } from '../model/error.ts'
import type { AnySource, Budget } from '../model/source.ts'

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

/**
 * Settles like the promise, or rejects when the signal aborts first. `toError` makes the error from the signal; by
 * default it is the reason of the signal. The promise itself continues, and its result is dropped.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  toError: (signal: AbortSignal) => Error = reasonOf,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(toError(signal))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason as Error
}

type Waiting = { until_ms: number; reject: (error: Error) => void }

/** Time limits of many short pieces of work, with one timer for all. A timer for each would cost more than the work. */
export type SharedDeadline = {
  /** Settles like the work, or rejects with the error after `limit_ms`. */
  within<T>(limit_ms: number, work: Promise<T>): Promise<T>
}

/** Creates a shared deadline. `toError` makes the error of work that takes too long. */
export function createSharedDeadline(toError: () => Error): SharedDeadline {
  const waiting = new Set<Waiting>()
  let fires_ms = Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    within: <T>(limit_ms: number, work: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const entry = { until_ms: performance.now() + limit_ms, reject }
        waiting.add(entry)
        if (entry.until_ms < fires_ms) setTimer(entry.until_ms)
        const settle =
          <V>(settleWith: (value: V) => void) =>
          (value: V) => {
            waiting.delete(entry)
            return settleWith(value)
          }
        work.then(settle(resolve), settle(reject))
      }),
  }

  function setTimer(until_ms: number): void {
    clearTimeout(timer)
    fires_ms = until_ms
    timer = setTimeout(rejectExpired, Math.max(0, until_ms - performance.now()))
    timer.unref()
  }

  function rejectExpired(): void {
    const now_ms = performance.now()
    for (const entry of waiting) {
      if (entry.until_ms > now_ms) continue
      waiting.delete(entry)
      entry.reject(toError())
    }
    fires_ms = Infinity
    if (waiting.size > 0)
      setTimer(waiting.values().reduce((least, { until_ms }) => Math.min(least, until_ms), Infinity))
  }
}
