import { createRetryBudget } from './retry.ts'
import type { Bulkhead } from './bulkhead.ts'
import type { Call, Clock } from './call.ts'
import type { Wait } from './host-abort.ts'
import { createHostMap } from './host-map.ts'

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

const maxSamples = 100
const minSamples = 20
const smoothingWeight = 0.2

/** Recent latencies of each host, and the time of its last success. */
export type LatencyStats = {
  measure<T>(host: string, work: () => Promise<T>): Promise<T>
  /** The 95th percentile of the latency. `null` with fewer than 20 samples. */
  p95_ms(host: string): number | null
  statsOf(host: string): { last_success: Date | null; latency_ms: number | null } | null
}

/** Creates statistics over the last 100 successful calls to each host. */
export function createLatencyStats({ now, monotonic_ms }: Clock): LatencyStats {
  const hosts = createHostMap(() => ({
    latencies: [] as number[],
    smoothed_ms: null as number | null,
    last_success: null as Date | null,
  }))
  return {
    async measure(host, work) {
      const startedAt_ms = monotonic_ms()
      const stats = hosts.getOrCreate(host)
      const answer = await work()
      const latency_ms = monotonic_ms() - startedAt_ms
      stats.latencies.push(latency_ms)
      if (stats.latencies.length > maxSamples) stats.latencies.shift()
      stats.smoothed_ms =
        stats.smoothed_ms === null ? latency_ms : stats.smoothed_ms + smoothingWeight * (latency_ms - stats.smoothed_ms)
      stats.last_success = now()
      return answer
    },
    p95_ms(host) {
      const latencies = hosts.find(host)?.latencies ?? []
      if (latencies.length < minSamples) return null
      return latencies.toSorted((a, b) => a - b)[Math.ceil(latencies.length * 0.95) - 1]!
    },
    statsOf(host) {
      const stats = hosts.find(host)
      return stats ? { last_success: stats.last_success, latency_ms: stats.smoothed_ms } : null
    },
  }
}
