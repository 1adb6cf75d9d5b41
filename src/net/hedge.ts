import { openAllowance } from './allowance.ts'
import type { Bulkhead } from './bulkhead.ts'
import type { Call } from './call.ts'
import type { Wait } from './host-abort.ts'
import { perHost } from './per-host.ts'
import type { Vitals } from './vitals.ts'

const share = 0.05
const leastDelay_ms = 50

/** Asks a second time while the first answer is slower than most, and takes what comes first. */
export type Hedges = {
  hedged<T>(call: Call, host: string, send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
}

/** Second questions are one in twenty of the calls to a host at most. */
export function openHedges(vitals: Vitals, bulkhead: Bulkhead, monotonic_ms: () => number, wait: Wait): Hedges {
  const allowances = perHost(() => openAllowance(share, 0, monotonic_ms))
  return {
    async hedged(call, host, send, signal) {
      const allowance = allowances.of(host)
      allowance.called()
      const usual_ms = call.hedged && !call.metered ? vitals.p95_ms(host) : null
      if (usual_ms === null) return send(signal)
      const over = new AbortController()
      const either = AbortSignal.any([signal, over.signal])
      try {
        const first = send(either)
        const isSlow = await Promise.race([ended(first), wait(Math.max(leastDelay_ms, usual_ms), either, host).then(() => true)])
        if (!isSlow || !bulkhead.isFree(host) || !allowance.take()) return await first
        const second = bulkhead.through(host, () => send(either), { signal: either })
        return await Promise.any([first, second]).catch(() => first)
      } finally {
        over.abort(new DOMException('Another answer was first.', 'AbortError'))
      }
    },
  }
}

/** False once the promise has come to an end, well or not. */
function ended(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(() => false, () => false)
}
