import { withProcessorTime } from './bare-server.ts'
import { growthPoints, startGrowthService, type GrowthService } from './growth-service.ts'
import { post, runLoad } from './load.ts'
import { quantile, reportFigure } from './report.ts'

const connections = 32
const requests = 10_000
const rounds = 5
const ratioMax = 1.15
const scrape_ms = 1000
/** Limits that the load does not reach. */
const limits = { FIELDSTONE_RATE_LIMIT: '1000000', FIELDSTONE_DAILY_QUOTA: '100000000' }

/**
 * Compares the processor time of a fetch on a server with a rate limit and a quota, whose metrics are read every
 * second, with that on a server without limits.
 */
export async function benchLimits(command: string[], fields: string[], seed: number): Promise<void> {
  const [limited, unlimited] = await Promise.all([startGrowthService(command, limits), startGrowthService(command)])
  const metrics = new URL('/metrics', limited.url)
  const scraping = setInterval(() => void fetch(metrics).then((response) => response.text()), scrape_ms)
  try {
    const at = growthPoints(seed)
    const measure = async ({ url, token, pid }: GrowthService) => {
      const bodies = Array.from({ length: 2000 }, () => post(url, '/v1/fetch', { ...at(), fields }, token))
      const { cpu_us, failures } = await withProcessorTime(pid, () => runLoad(url, bodies, requests, connections))
      if (failures > 0) throw new Error(`${failures} requests were not answered.`)
      return cpu_us
    }
    for (const service of [limited, unlimited]) await measure(service)
    // The servers alternate, so that other load on the machine affects both equally.
    const costs = { limited: [] as number[], unlimited: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      costs.limited.push(await measure(limited))
      costs.unlimited.push(await measure(unlimited))
    }
    const [on_us, off_us] = [quantile(costs.limited, 0.5), quantile(costs.unlimited, 0.5)]
    reportFigure(
      'ten embedded fields with a rate limit, a quota and metrics, compared with none',
      `${(on_us / off_us).toFixed(2)} times the processor time (${on_us.toFixed(0)} and ${off_us.toFixed(0)} µs)`,
      on_us / off_us <= ratioMax,
      `${ratioMax} times`,
    )
  } finally {
    clearInterval(scraping)
    await Promise.all([limited.close(), unlimited.close()])
  }
}
