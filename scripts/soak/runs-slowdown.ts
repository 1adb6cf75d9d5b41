import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { waitForRun, submitTestRun } from '../../test/runs/http-runs.ts'
import { runLoad, post } from '../bench/load.ts'
import { randomOf } from '../bench/random.ts'
import { quantile } from '../bench/report.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const fields = ['county', 'timezone', 'nearest_place_name', 'nearest_airport_name', 'geohash']
const rounds = 5
const interactive = { requests: 4000, connections: 4 }
const runSize = 1000
/** Together they outlast the requests. */
const runsBeside = 40
const slowdownMax = 2

/**
 * Measures how runs of 1,000 locations slow interactive requests: the median of several rounds, each with and without
 * runs.
 */
export async function measureSlowdown(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const child = startFieldstone(
    ['serve', '--data', join(folder, 'data')],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' },
    folder,
  )
  const random = randomOf(20_261_121)
  const place = () => ({ lat: 30 + 15 * random(), lng: -115 + 33 * random() })
  try {
    const [, address = ''] = await child.waitForOutput(/answers at (http:\S+)/)
    const url = new URL(address)
    const requests = Array.from({ length: interactive.requests }, () =>
      post(url, '/v1/fetch', { ...place(), fields }, ''),
    )
    await runLoad(url, requests, interactive.requests, interactive.connections)
    const ratios: number[] = []
    let besideAll = 0
    for (let round = 0; round < rounds; round++) {
      const alone = await runLoad(url, requests, interactive.requests, interactive.connections)
      const run_ids: string[] = []
      for (let run = 0; run < runsBeside; run++)
        run_ids.push(
          await submitTestRun(address, `round-${round}-${run}`, {
            locations: Array.from({ length: runSize }, place),
            fields,
          }),
        )
      const busy = await runLoad(url, requests, interactive.requests, interactive.connections)
      const { items } = (await (await fetch(`${address}/v1/runs?limit=${runsBeside}`)).json()) as {
        items: { status: string }[]
      }
      besideAll += Number(items.some(({ status }) => status === 'running'))
      ratios.push(busy.p99_ms / alone.p99_ms)
      for (const run_id of run_ids) await waitForRun(address, run_id)
    }
    return [
      atMost('P7', 'p99 of /v1/fetch during runs of 1,000 / without one', quantile(ratios, 0.5), slowdownMax),
      atLeast('P7', `rounds, of ${rounds}, in which the runs outlasted the requests`, besideAll, Math.ceil(rounds / 2)),
    ]
  } finally {
    child.signal('SIGKILL')
    await child.end()
    remove()
  }
}
