import { createRetryBudget } from './retry.ts'
import type { Bulkhead } from './bulkhead.ts'
import type { Call } from './call.ts'
import type { Wait } from './host-abort.ts'
import { createHostMap } from './host-map.ts'
import type { LatencyStats } from './latency-stats.ts'

export const hedgeShare = 0.05
const minDelay_ms = 50

/** Hedging: sends a second, identical request when the first is slower than most, and returns the first response. */
export type HedgePolicy = {
  run<T>(call: Call, host: string, send: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
}

/** Creates a policy that hedges at most 5 % of the calls to a host. */
export function createHedgePolicy(
  latencyStats: LatencyStats,
  bulkhead: Bulkhead,
  monotonic_ms: () => number,
  wait: Wait,
): HedgePolicy {
  const retryBudgets = createHostMap(() => createRetryBudget(hedgeShare, 0, monotonic_ms))
  return {
    async run(call, host, send, signal) {
      const retryBudget = retryBudgets.getOrCreate(host)
      retryBudget.recordCall()
      const p95_ms = call.hedge && !call.metered ? latencyStats.p95_ms(host) : null
      if (p95_ms === null) return send(signal)
      const controller = new AbortController()
      const combinedSignal = AbortSignal.any([signal, controller.signal])
      try {
        const first = send(combinedSignal)
        const isSlow = await Promise.race([
          falseWhenSettled(first),
          wait(Math.max(minDelay_ms, p95_ms), combinedSignal, host).then(() => true),
        ])
        if (!isSlow || !bulkhead.isFree(host) || !retryBudget.tryTake()) return await first
        const second = bulkhead.run(host, () => send(combinedSignal), { signal: combinedSignal })
        return await Promise.any([first, second]).catch(() => first)
      } finally {
        controller.abort(new DOMException('Another response arrived first.', 'AbortError'))
      }
    },
  }
}

/** Resolves to false when the promise settles. */
function falseWhenSettled(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => false,
  )
}
