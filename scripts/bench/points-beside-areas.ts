import { boxRing } from '../../test/packs/encode-wkb.ts'
import { withProcessorTime } from './bare-server.ts'
import { growthPoints, startGrowthService, type GrowthService } from './growth-service.ts'
import { post, runLoad } from './load.ts'
import { quantile, reportFigure } from './report.ts'

const connections = 32
const requests = 20_000
const areasBetween = 1_000
const rounds = 9
const ratioMax = 1.02
/** About 100 m. */
const side_degrees = 0.001

/**
 * Compares the processor time of a fetch on a server that also answers areas, before and between the measured fetches,
 * with that on a server that answers only points. Both are the same program, so the rest of the service is the same.
 */
export async function benchPointsBesideAreas(command: string[], fields: string[], seed: number): Promise<void> {
  const [withAreas, pointsOnly] = await Promise.all([startGrowthService(command), startGrowthService(command)])
  try {
    const at = growthPoints(seed)
    const load = async ({ url }: GrowthService, bodies: Uint8Array[], total: number) => {
      const result = await runLoad(url, bodies, total, connections)
      if (result.failures > 0) throw new Error(`${result.failures} requests were not answered.`)
      return result
    }
    const answerAreas = (service: GrowthService) => {
      const bodies = Array.from({ length: areasBetween }, () => {
        const { lat, lng } = at()
        const ring = boxRing(lng, lat, lng + side_degrees, lat + side_degrees)
        const geometry = { type: 'Polygon', coordinates: [ring] }
        return post(service.url, '/v1/areas', { geometry, fields }, service.token)
      })
      return load(service, bodies, areasBetween)
    }
    const measure = async (service: GrowthService, points: { lat: number; lng: number }[]) => {
      const bodies = points.map((point) => post(service.url, '/v1/fetch', { ...point, fields }, service.token))
      const { cpu_us } = await withProcessorTime(service.pid, () => load(service, bodies, requests))
      return cpu_us
    }
    const ratios: number[] = []
    const costs_us = { withAreas: [] as number[], pointsOnly: [] as number[] }
    // The servers alternate, so that other load on the machine affects both equally. The first round warms them up.
    for (let round = 0; round <= rounds; round++) {
      const points = Array.from({ length: 2000 }, at)
      await answerAreas(withAreas)
      const first = round % 2 === 0 ? await measure(withAreas, points) : null
      const points_us = await measure(pointsOnly, points)
      const areas_us = first ?? (await measure(withAreas, points))
      if (round === 0) continue
      ratios.push(areas_us / points_us)
      costs_us.withAreas.push(areas_us)
      costs_us.pointsOnly.push(points_us)
    }
    const ratio = quantile(ratios, 0.5)
    reportFigure(
      'ten embedded fields of points on a server that also answers areas, compared with one that does not',
      `${ratio.toFixed(3)} times the processor time, from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${rounds} rounds (${quantile(costs_us.withAreas, 0.5).toFixed(1)} and ${quantile(costs_us.pointsOnly, 0.5).toFixed(1)} µs)`,
      ratio <= ratioMax,
      `${ratioMax} times`,
    )
  } finally {
    await Promise.all([withAreas.close(), pointsOnly.close()])
  }
}
