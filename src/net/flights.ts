import { untilGivenUp } from '../model/given-up.ts'
import type { Budget } from '../model/source.ts'
import { overdue } from './timed.ts'

type Flight<T> = { data: Promise<T>; waiting: number; giveUp: () => void }

/** Equal questions under way at one time are one. Who began it pays. It ends when its time is up, or when nobody waits for it any more; a failure is told to those who wait now, and to nobody later. */
export type Flights<T> = {
  join(key: string, budget_ms: number, budget: Budget, begin: (budget: Budget) => Promise<T>): Promise<T>
}

/** Each keeper of flights has its own questions. */
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
    const end = (reason: Error) => {
      forget()
      given.abort(reason)
    }
    const timer = setTimeout(() => end(overdue(budget_ms)), budget_ms)
    const data = untilGivenUp(begin({ signal: given.signal }), given.signal).finally(() => {
      clearTimeout(timer)
      forget()
    })
    const flight: Flight<T> = { data, waiting: 0, giveUp: () => end(new DOMException('Nobody waits for the answer.', 'AbortError')) }
    under.set(key, flight)
    return flight

    /** At once when it ends: who comes a moment later begins anew, and is not told of the end of this one. */
    function forget(): void {
      if (under.get(key) === flight) under.delete(key)
    }
  }
}
