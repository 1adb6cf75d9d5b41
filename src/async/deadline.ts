import { UpstreamError } from '../model/error.ts'
import { abortable } from './abortable.ts'
import type { AnySource, Budget } from '../model/source.ts'

/** The same source with a limit of time for each question; what it has begun by then goes on. */
export function withDeadline(source: AnySource, budget_ms: number): AnySource {
  return async (query: never, { signal, onFreshness, onBilledCall }: Budget) => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(deadlineError(budget_ms)), budget_ms)
    const combinedSignal = AbortSignal.any([signal, controller.signal])
    return abortable(
      source(query, {
        signal: combinedSignal,
        ...(onFreshness && { onFreshness }),
        ...(onBilledCall && { onBilledCall }),
      }),
      combinedSignal,
    ).finally(() => clearTimeout(timer))
  }
}

/** That a question has had its time. */
export function deadlineError(budget_ms: number): UpstreamError {
  return new UpstreamError('timeout', `There was no answer within ${budget_ms / 1000} s.`)
}
