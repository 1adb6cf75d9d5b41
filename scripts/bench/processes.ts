import { readFileSync } from 'node:fs'
import { cpu_s, physicalMemory_mb } from './child.ts'
import { processorTimeOf } from './processor-time.ts'
import { growthPoints, startGrowthService, type GrowthService } from './growth-service.ts'
import { post, runLoad } from './load.ts'
import { quantile, reportFigure } from './report.ts'

const connections = 64
const requests = 20_000
const rounds = 5
const costRatioMax = 1.3

/** Requests per second, and the processor time of a request: of the server, and of the load generator. */
type Round = { rps: number; cpu_us: number; generator_us: number }

/**
 * Compares a server with two processes with one of a single process: requests per second, their cost, and memory. The
 * load generator takes processor time of the same cores. Without it, a server could use a core for each process, which
 * gives the computed requests per second.
 */
export async function benchProcesses(command: string[], fields: string[], seed: number): Promise<void> {
  const [one, two] = [
    await startGrowthService(command),
    await startGrowthService(command, { FIELDSTONE_PROCESSES: '2' }),
  ]
  try {
    await waitForProcess(two, '2')
    const at = growthPoints(seed)
    const measure = async (service: GrowthService): Promise<Round> => {
      const { url, token } = service
      const bodies = Array.from({ length: 2000 }, () => post(url, '/v1/fetch', { ...at(), fields }, token))
      const before_s = processorTimeOfAll(service)
      const load = { rps: 0, failures: 0 }
      const generator_s = await processorTimeOf(async () =>
        Object.assign(load, await runLoad(url, bodies, requests, connections)),
      )
      if (load.failures > 0) throw new Error(`${load.failures} requests were not answered.`)
      const cpu_us = ((processorTimeOfAll(service) - before_s) / requests) * 1e6
      return { rps: load.rps, cpu_us, generator_us: (generator_s / requests) * 1e6 }
    }
    const measured = new Map<GrowthService, Round[]>([one, two].map((service) => [service, []]))
    for (const service of [one, two]) await measure(service)
    // The servers alternate, so that other load on the machine affects both equally.
    for (let round = 0; round < rounds; round++)
      for (const [service, results] of measured) results.push(await measure(service))
    const medianOf = (service: GrowthService, name: keyof Round) =>
      quantile(
        measured.get(service)!.map((it) => it[name]),
        0.5,
      )
    const [one_us, two_us] = [medianOf(one, 'cpu_us'), medianOf(two, 'cpu_us')]
    const [one_rps, two_rps] = [medianOf(one, 'rps'), medianOf(two, 'rps')]
    reportFigure(
      'ten embedded fields, two processes compared with one: processor time of a request',
      `${(two_us / one_us).toFixed(2)} times (${two_us.toFixed(0)} and ${one_us.toFixed(0)} µs)`,
      two_us / one_us <= costRatioMax,
      `${costRatioMax} times`,
    )
    const ratesOf = (two_n: number, one_n: number) =>
      `${two_n.toFixed(0)} and ${one_n.toFixed(0)}, ${(two_n / one_n).toFixed(2)} times`
    console.log(`requests/s: ${ratesOf(two_rps, one_rps)}`)
    const [one_gen_us, two_gen_us] = [medianOf(one, 'generator_us'), medianOf(two, 'generator_us')]
    console.log(`load generator, processor time of a request: ${two_gen_us.toFixed(0)} and ${one_gen_us.toFixed(0)} µs`)
    const busyCores = (two_rps * (two_us + two_gen_us)) / 1e6
    console.log(`cores in use with two processes and the load generator: ${busyCores.toFixed(2)}`)
    console.log(`computed requests/s with a core for each process: ${ratesOf(2e6 / two_us, 1e6 / one_us)}`)
    console.log(`memory: ${memoryOfAll(two).toFixed(0)} and ${memoryOfAll(one).toFixed(0)} MB`)
  } finally {
    await Promise.all([one.close(), two.close()])
  }
}

/** Waits until a process has answered a request for the metrics. */
async function waitForProcess({ url, token }: GrowthService, process: string): Promise<void> {
  for (;;) {
    const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } })
    if ((await response.text()).includes(`{process="${process}"`)) return
    await Bun.sleep(100)
  }
}

/** The process that was started, and those that it started. */
function processIdsOf({ pid }: GrowthService): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))]
}

function processorTimeOfAll(service: GrowthService): number {
  return processIdsOf(service).reduce((sum, pid) => sum + cpu_s(pid), 0)
}

/** Physical memory of all processes. A page that several processes share counts once. */
function memoryOfAll(service: GrowthService): number {
  return processIdsOf(service).reduce((sum, pid) => sum + physicalMemory_mb(pid), 0)
}
