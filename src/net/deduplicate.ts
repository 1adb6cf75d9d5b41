import type { Budget } from '../model/source.ts'
import type { Call } from './call.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import { abortableForHost } from './host-abort.ts'

/** Puts a call to another server. */
type SendCall<T> = (call: Call, budget: Budget) => Promise<T>

/** Who waits has a budget of his own; this only ends what nobody would wait for. */
const flightMax_ms = 120_000

/** The same way of asking, but equal calls that are marked `alike` and are under way at one time are one. It is given up when nobody waits for it. */
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
