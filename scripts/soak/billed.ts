import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { waitForRun, submitTestRun } from '../../test/runs/http-runs.ts'
import { testKeys } from '../../test/upstreams/online-service.ts'
import { openUpstreams } from '../../test/upstreams/upstreams.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { RunAttempts } from '../../src/store/runs/run-attempts.ts'

const parcels = 'app.regrid.com'
const geocoder = 'api.geocod.io'
const upstreamDelay_ms = 40
const longestLife_ms = 600
const perRun = 10
const triesMax = 12

/**
 * Counts calls that are billed twice because the process was killed: parcels and addresses, in runs that continue after
 * every kill.
 */
export async function soakBilledCalls(kills = 100, seed = Math.floor(Math.random() * 1e9)): Promise<Finding[]> {
  console.error(`${kills} kills at random moments, seed ${seed}`)
  const random = randomOf(seed)
  const upstreams = openUpstreams()
  const { folder, remove } = newFolder()
  const data = join(folder, 'data')
  const runs: string[] = []
  let inProgress = 0
  upstreams.delay(upstreamDelay_ms)
  try {
    for (let i = 0; i < kills; i++) {
      const { child, address } = await startService(folder, data, upstreams.url)
      runs.push(...(await submitBilledRuns(address, i)))
      await Bun.sleep(random() * longestLife_ms)
      child.signal('SIGKILL')
      await child.end()
      inProgress += inProgressIn(data)
    }
    const { child, address } = await startService(folder, data, upstreams.url)
    const documents = []
    for (const run_id of runs) documents.push(await waitForRun(address, run_id))
    const reported = await reportedCalls(address)
    child.signal('SIGKILL')
    await child.end()
    const complete = documents.filter((document) => document?.result?.results.length === perRun).length
    const calls = upstreams.calls.filter(({ host }) => host === parcels || host === geocoder)
    const different = new Set(calls.map(({ host, path, query }) => `${host}${path}?${query.toString()}`)).size
    return [
      atLeast('P28', `complete runs of ${perRun} locations after ${kills} kills`, complete, runs.length),
      atLeast('P28', 'different billed calls', different, kills * perRun),
      atMost(
        'P28',
        `billed calls beyond one a location (${calls.length} calls); at most the locations in progress at the kills`,
        calls.length - different,
        inProgress,
      ),
      atMost(
        'P28',
        `billed calls missing from the usage (it reports ${reported})`,
        Math.max(0, calls.length - reported),
        0,
      ),
    ]
  } finally {
    upstreams.close()
    remove()
  }
}

async function startService(folder: string, data: string, mirror: string) {
  const child = startFieldstone(
    ['serve', '--data', data],
    {
      FIELDSTONE_OFFLINE: '0',
      FIELDSTONE_MIRROR: mirror,
      FIELDSTONE_AUTH: 'off',
      FIELDSTONE_LOG: 'error',
      ...testKeys,
    },
    folder,
  )
  return { child, address: (await child.waitForOutput(/answers at (http:\S+)/))[1]! }
}

/** Submits two runs, one with parcels and one with addresses. Every location of every run is different. */
async function submitBilledRuns(address: string, i: number): Promise<string[]> {
  return [
    await submitUntilAccepted(address, `parcels-${i}`, {
      locations: range((n) => ({ lat: 40.015, lng: -105.2705 - (i * perRun + n) * 0.0001 })),
      fields: ['parcel_zoning'],
    }),
    await submitUntilAccepted(address, `addresses-${i}`, {
      locations: range((n) => ({ address: `${i * perRun + n + 1} Elm St, Dallas, TX 75201` })),
      fields: ['geohash'],
    }),
  ]
}

/**
 * Repeats the submission with the same key until the service accepts it. Just after its start, on a busy machine, it
 * can be slow.
 */
async function submitUntilAccepted(...[address, key, request]: Parameters<typeof submitTestRun>): Promise<string> {
  for (let tries = 1; ; tries++) {
    const run_id = await submitTestRun(address, key, request).catch((error: unknown) => {
      if (tries === triesMax) throw error
      return null
    })
    if (run_id !== null) return run_id
  }
}

function range<T>(one: (n: number) => T): T[] {
  return Array.from({ length: perRun }, (_none, n) => one(n))
}

/** Counts locations that were started and have no entry. */
function inProgressIn(data: string): number {
  const db = new Database(join(data, 'state.db'))
  try {
    const stored = db.query<{ attempts: string }, []>('SELECT attempts FROM runs').all()
    return stored.reduce((sum, { attempts }) => sum + RunAttempts.parse(attempts).openIndexes.length, 0)
  } finally {
    db.close()
  }
}

/** Returns the number of billed calls that the service reports. */
async function reportedCalls(address: string): Promise<number> {
  const { items } = (await (await fetch(`${address}/v1/users/me/usage`)).json()) as {
    items: { metered_calls: number }[]
  }
  return items.reduce((sum, { metered_calls }) => sum + metered_calls, 0)
}
