import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { finished, submitted } from '../../test/runs/over-http.ts'
import { testKeys } from '../../test/upstreams/online-service.ts'
import { openUpstreams } from '../../test/upstreams/upstreams.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const parcels = 'app.regrid.com'
const geocoder = 'api.geocod.io'
const upstreamDelay_ms = 40
const longestLife_ms = 600
const perRun = 10
const triesMax = 12

/** What is billed twice because the process was killed in the middle: parcels and addresses, each of a run that goes on after every kill. */
export async function billed(kills = 100, seed = Math.floor(Math.random() * 1e9)): Promise<Finding[]> {
  console.error(`${kills} kills at random moments, seed ${seed}`)
  const random = randomOf(seed)
  const upstreams = openUpstreams()
  const { folder, remove } = newFolder()
  const data = join(folder, 'data')
  const runs: string[] = []
  let inWork = 0
  let address = ''
  const start = async () => {
    const it = startFieldstone(
      ['serve', '--data', data],
      {
        FIELDSTONE_OFFLINE: '0',
        FIELDSTONE_MIRROR: upstreams.url,
        FIELDSTONE_AUTH: 'off',
        FIELDSTONE_LOG: 'error',
        ...testKeys,
      },
      folder,
    )
    address = (await it.said(/answers at (http:\S+)/))[1]!
    return it
  }
  upstreams.delay(upstreamDelay_ms)
  try {
    for (let i = 0; i < kills; i++) {
      const it = await start()
      runs.push(
        await answered(address, `parcels-${i}`, {
          locations: range((n) => ({ lat: 40.015, lng: -105.2705 - (i * perRun + n) * 0.0001 })),
          fields: ['parcel_zoning'],
        }),
      )
      runs.push(
        await answered(address, `addresses-${i}`, {
          locations: range((n) => ({ address: `${i * perRun + n + 1} Elm St, Dallas, TX 75201` })),
          fields: ['geohash'],
        }),
      )
      await Bun.sleep(random() * longestLife_ms)
      it.signal('SIGKILL')
      await it.end()
      inWork += inWorkIn(data)
    }
    const it = await start()
    const documents = []
    for (const run_id of runs) documents.push(await finished(address, run_id))
    const said = await counted(address)
    it.signal('SIGKILL')
    await it.end()
    const whole = documents.filter((document) => document?.result?.results.length === perRun).length
    const calls = upstreams.calls.filter(({ host }) => host === parcels || host === geocoder)
    const different = new Set(calls.map(({ host, path, query }) => `${host}${path}?${query.toString()}`)).size
    return [
      atLeast('P28', `runs of ${perRun} locations that came to their end after ${kills} kills`, whole, runs.length),
      atLeast('P28', 'different calls that are billed', different, kills * perRun),
      atMost(
        'P28',
        `calls billed beyond one a location (${calls.length}), with what was in work at the kills as the bound`,
        calls.length - different,
        inWork,
      ),
      atMost(
        'P28',
        `billed calls that the usage does not tell of (it tells of ${said})`,
        Math.max(0, calls.length - said),
        0,
      ),
    ]
  } finally {
    upstreams.close()
    remove()
  }
}

/** Submits a run under its key until that is answered: in its first moment, on a machine that has other work, the service may take its time. */
async function answered(...[address, key, request]: Parameters<typeof submitted>): Promise<string> {
  for (let tries = 1; ; tries++) {
    const run_id = await submitted(address, key, request).catch((error: unknown) => {
      if (tries === triesMax) throw error
      return null
    })
    if (run_id !== null) return run_id
  }
}

function range<T>(one: (n: number) => T): T[] {
  return Array.from({ length: perRun }, (_none, n) => one(n))
}

/** Locations that were begun and have no entry. */
function inWorkIn(data: string): number {
  const db = new Database(join(data, 'state.db'))
  try {
    return db
      .query<{ n: number }, []>(
        'SELECT count(*) AS n FROM run_locations l WHERE attempts > 0 AND NOT EXISTS (SELECT 1 FROM run_results r WHERE r.run = l.run AND r.idx = l.idx)',
      )
      .get()!.n
  } finally {
    db.close()
  }
}

/** The billed calls by the word of the service. */
async function counted(address: string): Promise<number> {
  const { items } = (await (await fetch(`${address}/v1/users/me/usage`)).json()) as {
    items: { metered_calls: number }[]
  }
  return items.reduce((sum, { metered_calls }) => sum + metered_calls, 0)
}
