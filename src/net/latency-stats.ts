import type { Clock } from './clock.ts'
import { createHostMap } from './host-map.ts'

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
