import type { Clock } from './clock.ts'
import { perHost } from './per-host.ts'

const keptLatencies = 100
const fewestToJudge = 20
const weightOfLast = 0.2

/** How long each host took of late, and when it last answered. */
export type Vitals = {
  timed<T>(host: string, work: () => Promise<T>): Promise<T>
  /** The latency that 95 of 100 calls keep below; `null` while too few are known. */
  p95_ms(host: string): number | null
  of(host: string): { last_success: Date | null; latency_ms: number | null } | null
}

/** Remembers the last hundred answers of each host. */
export function openVitals({ now, monotonic_ms }: Clock): Vitals {
  const hosts = perHost(() => ({ latencies: [] as number[], smoothed_ms: null as number | null, last_success: null as Date | null }))
  return {
    async timed(host, work) {
      const began_ms = monotonic_ms()
      const vitals = hosts.of(host)
      const answer = await work()
      const latency_ms = monotonic_ms() - began_ms
      vitals.latencies.push(latency_ms)
      if (vitals.latencies.length > keptLatencies) vitals.latencies.shift()
      vitals.smoothed_ms = vitals.smoothed_ms === null ? latency_ms : vitals.smoothed_ms + weightOfLast * (latency_ms - vitals.smoothed_ms)
      vitals.last_success = now()
      return answer
    },
    p95_ms(host) {
      const latencies = hosts.known(host)?.latencies ?? []
      if (latencies.length < fewestToJudge) return null
      return latencies.toSorted((a, b) => a - b)[Math.ceil(latencies.length * 0.95) - 1]!
    },
    of(host) {
      const vitals = hosts.known(host)
      return vitals ? { last_success: vitals.last_success, latency_ms: vitals.smoothed_ms } : null
    },
  }
}
