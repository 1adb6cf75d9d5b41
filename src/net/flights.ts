import { UpstreamError } from '../model/error.ts'
import { untilGivenUp } from '../model/given-up.ts'
import type { AnySource, Budget } from '../model/source.ts'

type Flight<T> = { data: Promise<T>; waiting: number; giveUp: () => void }

/** Equal questions under way at one time are one. Who began it pays. It ends when its time is up, or when nobody waits for it any more; a failure is told to those who wait now, and to nobody later. */
export type Flights<T> = {
  join(key: string, budget_ms: number, budget: Budget, begin: (budget: Budget) => Promise<T>): Promise<T>
}

export function openFlights<T = unknown>(): Flights<T> {
  const under = new Map<string, Flight<T>>()
  return {
    async join(key, budget_ms, { signal, billed }, begin) {
      signal.throwIfAborted()
      const flight = under.get(key) ?? started(key, budget_ms, (own) => begin({ ...own, ...(billed && { billed }) }))
      flight.waiting++
      try {
        return await untilGivenUp(flight.data, signal)
      } finally {
        if (--flight.waiting === 0) flight.giveUp()
      }
    },
  }

  function started(key: string, budget_ms: number, begin: (budget: Budget) => Promise<T>): Flight<T> {
    const given = new AbortController()
    const timer = setTimeout(() => given.abort(overdue(budget_ms)), budget_ms)
    const data = untilGivenUp(begin({ signal: given.signal }), given.signal).finally(() => {
      clearTimeout(timer)
      under.delete(key)
    })
    const flight = { data, waiting: 0, giveUp: () => given.abort(new DOMException('Nobody waits for the answer.', 'AbortError')) }
    under.set(key, flight)
    return flight
  }
}

/** The same source with a limit of time for each question; what it has begun by then goes on. */
export function timed(source: AnySource, budget_ms: number): AnySource {
  return async (query: never, { signal, seen, billed }: Budget) => {
    const given = new AbortController()
    const timer = setTimeout(() => given.abort(overdue(budget_ms)), budget_ms)
    const either = AbortSignal.any([signal, given.signal])
    return untilGivenUp(source(query, { signal: either, ...(seen && { seen }), ...(billed && { billed }) }), either).finally(() => clearTimeout(timer))
  }
}

function overdue(budget_ms: number): UpstreamError {
  return new UpstreamError('timeout', `There was no answer within ${budget_ms / 1000} s.`)
}
