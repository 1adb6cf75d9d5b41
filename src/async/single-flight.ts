import type { Budget } from '../model/source.ts'
import { abortable, runWithDeadline } from './deadline.ts'

type Flight<T> = { result: Promise<T>; waiterCount: number; abort: () => void }

/** Shares the result of concurrent calls that have the same key. */
export type SingleFlight<T> = {
  /**
   * Joins the flight of the key, or begins one. The flight ends when nobody waits for it, or after `limit_ms` with
   * `timeout` (Infinity: no limit). All its waiters receive its error; later callers begin a new flight. Billed calls
   * are recorded for the caller that began the flight.
   */
  join(key: string, limit_ms: number, budget: Budget, begin: (budget: Budget) => Promise<T>): Promise<T>
}

/** Creates a SingleFlight. Flights are not shared between instances. */
export function createSingleFlight<T = unknown>(): SingleFlight<T> {
  const inFlight = new Map<string, Flight<T>>()
  return {
    async join(key, limit_ms, { signal, onBilledCall }, begin) {
      signal.throwIfAborted()
      const flight =
        inFlight.get(key) ??
        startFlight(key, limit_ms, (flightSignal) =>
          begin({ signal: flightSignal, ...(onBilledCall && { onBilledCall }) }),
        )
      flight.waiterCount++
      try {
        return await abortable(flight.result, signal)
      } finally {
        if (--flight.waiterCount === 0) flight.abort()
      }
    },
  }

  function startFlight(key: string, limit_ms: number, begin: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const flight: Flight<T> = {
      result: runWithDeadline(limit_ms, controller.signal, begin).finally(forget),
      waiterCount: 0,
      abort() {
        forget()
        controller.abort(new DOMException('All callers have stopped waiting for the answer.', 'AbortError'))
      },
    }
    inFlight.set(key, flight)
    return flight

    /** Runs before the waiters see the end of the flight, so that a new caller never joins a flight that has ended. */
    function forget(): void {
      if (inFlight.get(key) === flight) inFlight.delete(key)
    }
  }
}
