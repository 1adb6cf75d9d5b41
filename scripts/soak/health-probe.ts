import { memory_mb } from '../bench/child.ts'
import { quantile } from '../bench/report.ts'
import type { ServiceProcess } from './service-process.ts'

/** The health of the service during work: latency of /healthz, and peak memory. */
export type HealthMeasurement = {
  healthy: number
  requested: number
  p99_ms: number
  longest_ms: number
  memory_mb: number
}

const every_ms = 50

/** Requests /healthz 20 times a second, without waiting for earlier answers, until the work is done. */
export async function withHealthProbe<T>(
  { url, pid }: ServiceProcess,
  work: () => Promise<T>,
): Promise<{ result: T; health: HealthMeasurement }> {
  const took_ms: number[] = []
  const pending: Promise<void>[] = []
  let healthy = 0
  let most_mb = memory_mb(pid)
  const timer = setInterval(() => {
    most_mb = Math.max(most_mb, memory_mb(pid))
    pending.push(once())
  }, every_ms)
  try {
    const result = await work()
    clearInterval(timer)
    await Promise.all(pending)
    return {
      result,
      health: {
        healthy,
        requested: took_ms.length,
        p99_ms: quantile(took_ms, 0.99),
        longest_ms: Math.max(...took_ms),
        memory_mb: most_mb,
      },
    }
  } finally {
    clearInterval(timer)
  }

  async function once(): Promise<void> {
    const begun = performance.now()
    const isWell = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.ok,
      () => false,
    )
    took_ms.push(performance.now() - begun)
    if (isWell) healthy++
  }
}
