import { boxRing } from '../../test/packs/encode-wkb.ts'
import { withProcessorTime } from './bare-server.ts'
import { growthPoints, startGrowthService, type GrowthService } from './growth-service.ts'
import { post, runLoad } from './load.ts'
import { reportFigure } from './report.ts'

const connections = 32
const fetchesOfRound = 2_000
/** Rounds that warm the servers up, with areas; measured rounds without areas; and measured rounds with areas. */
const phases = {
  warmup: { rounds: 10, areas: 1_000 },
  afterAreas: { rounds: 120, areas: 0 },
  betweenAreas: { rounds: 40, areas: 100 },
}
const ratioMax = 1.02
/** About 100 m. */
const side_degrees = 0.001

/**
 * Compares the processor time of a fetch on a server that has answered areas with that on two servers that answered only
 * points: first without further areas, then with areas between the fetches, whose garbage the fetches then collect. All
 * are the same program, so the rest of the service is the same.
 */
export async function benchPointsBesideAreas(command: string[], fields: string[], seed: number): Promise<void> {
  const services = await Promise.all(Array.from({ length: 3 }, () => startGrowthService(command)))
  const at = growthPoints(seed)
  try {
    await measure(phases.warmup)
    const after = await measure(phases.afterAreas)
    reportFigure(
      'ten embedded fields of points on a server that has answered areas, compared with one that has not',
      `${after.ratio.toFixed(3)} times the processor time (${after.ours_us.toFixed(1)} and ${after.peer_us.toFixed(1)} µs; two such servers differ by ${after.noise.toFixed(3)})`,
      after.ratio <= ratioMax,
      `${ratioMax} times`,
    )
    const between = await measure(phases.betweenAreas)
    reportFigure(
      `the same, with ${phases.betweenAreas.areas} areas before each ${fetchesOfRound} fetches`,
      `${between.ratio.toFixed(3)} times`,
      true,
      'no bound',
    )
  } finally {
    await Promise.all(services.map((service) => service.close()))
  }

  /** Short rounds in turn, because the speed of a virtual machine changes within seconds. */
  async function measure({ rounds, areas }: { rounds: number; areas: number }) {
    const costs_us = services.map(() => 0)
    for (let round = 0; round < rounds; round++) {
      const points = Array.from({ length: fetchesOfRound }, at)
      if (areas > 0) await load(services[0]!, areaBodies(services[0]!, areas))
      for (let i = 0; i < services.length; i++) {
        const turn = (i + round) % services.length
        const service = services[turn]!
        const bodies = points.map((point) => post(service.url, '/v1/fetch', { ...point, fields }, service.token))
        const { cpu_us } = await withProcessorTime(service.pid, () => load(service, bodies))
        costs_us[turn]! += cpu_us / rounds
      }
    }
    const [ours_us, one_us, other_us] = costs_us as [number, number, number]
    const peer_us = (one_us + other_us) / 2
    return { ours_us, peer_us, ratio: ours_us / peer_us, noise: Math.abs(one_us - other_us) / peer_us }
  }

  async function load({ url }: GrowthService, bodies: Uint8Array[]) {
    const result = await runLoad(url, bodies, bodies.length, connections)
    if (result.failures > 0) throw new Error(`${result.failures} requests were not answered.`)
    return result
  }

  function areaBodies(service: GrowthService, count: number): Uint8Array[] {
    return Array.from({ length: count }, () => {
      const { lat, lng } = at()
      const ring = boxRing(lng, lat, lng + side_degrees, lat + side_degrees)
      const geometry = { type: 'Polygon', coordinates: [ring] }
      return post(service.url, '/v1/areas', { geometry, fields }, service.token)
    })
  }
}
