import type { Budget } from '../model/source.ts'
import type { Call } from './call.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import { abortableForHost } from './host-abort.ts'

type SendCall<T> = (call: Call, budget: Budget) => Promise<T>

/** Only an upper bound: each caller has its own budget. */
const flightMax_ms = 120_000

/**
 * Wraps `send`: identical concurrent calls marked `deduplicate` share one request. It is aborted when no caller waits
 * for it.
 */
export function withDeduplication<T>(send: SendCall<T>): SendCall<T> {
  const flights = createSingleFlight<T>()
  return (call, budget) => {
    const { deduplicate, url, method, body, headers } = call
    if (!deduplicate) return send(call, budget)
    const reply = flights.join(JSON.stringify([url, method, body, headers]), flightMax_ms, budget, (sharedBudget) =>
      send(call, sharedBudget),
    )
    return abortableForHost(reply, budget.signal, URL.parse(url)?.host ?? 'the source')
  }
}
