import { UpstreamError } from '../model/error.ts'
import { untilGivenUp } from '../model/given-up.ts'
import type { AnySource, Budget } from '../model/source.ts'

/** The same source with a limit of time for each question; what it has begun by then goes on. */
export function timed(source: AnySource, budget_ms: number): AnySource {
  return async (query: never, { signal, seen, billed }: Budget) => {
    const given = new AbortController()
    const timer = setTimeout(() => given.abort(overdue(budget_ms)), budget_ms)
    const either = AbortSignal.any([signal, given.signal])
    return untilGivenUp(source(query, { signal: either, ...(seen && { seen }), ...(billed && { billed }) }), either).finally(() => clearTimeout(timer))
  }
}

/** That a question has had its time. */
export function overdue(budget_ms: number): UpstreamError {
  return new UpstreamError('timeout', `There was no answer within ${budget_ms / 1000} s.`)
}
