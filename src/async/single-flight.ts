import { abortable } from './abortable.ts'
import type { Budget } from '../model/source.ts'
import { deadlineError } from './deadline.ts'

type Flight<T> = { result: Promise<T>; waiterCount: number; abort: () => void }

/** Equal questions under way at one time are one. Who began it pays. It ends when its time is up, or when nobody waits for it any more; a failure is told to those who wait now, and to nobody later. */
export type SingleFlight<T> = {
  join(key: string, budget_ms: number, budget: Budget, begin: (budget: Budget) => Promise<T>): Promise<T>
}

/** Each keeper of flights has its own questions. */
export function createSingleFlight<T = unknown>(): SingleFlight<T> {
  const inFlight = new Map<string, Flight<T>>()
  return {
    async join(key, budget_ms, { signal, onBilledCall }, begin) {
      signal.throwIfAborted()
      const flight =
        inFlight.get(key) ??
        startFlight(key, budget_ms, (flightBudget) => begin({ ...flightBudget, ...(onBilledCall && { onBilledCall }) }))
      flight.waiterCount++
      try {
        return await abortable(flight.result, signal)
      } finally {
        if (--flight.waiterCount === 0) flight.abort()
      }
    },
  }

  function startFlight(key: string, budget_ms: number, begin: (budget: Budget) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const end = (reason: Error) => {
      forget()
      controller.abort(reason)
    }
    const timer = setTimeout(() => end(deadlineError(budget_ms)), budget_ms)
    const result = abortable(begin({ signal: controller.signal }), controller.signal).finally(() => {
      clearTimeout(timer)
      forget()
    })
    const flight: Flight<T> = {
      result,
      waiterCount: 0,
      abort: () => end(new DOMException('Nobody waits for the answer.', 'AbortError')),
    }
    inFlight.set(key, flight)
    return flight

    /** At once when it ends: who comes a moment later begins anew, and is not told of the end of this one. */
    function forget(): void {
      if (inFlight.get(key) === flight) inFlight.delete(key)
    }
  }
}
