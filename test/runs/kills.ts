import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf } from '../../scripts/bench/random.ts'
import { hedgeShare } from '../../src/net/hedge.ts'
import { RunAttempts } from '../../src/store/runs/run-attempts.ts'
import { newFolder, startFieldstone, type Fieldstone } from '../cli/fieldstone.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { waitForRun, submitTestRun } from './http-runs.ts'

/** The results of runs in a process that was killed repeatedly. */
export type KillResults = {
  kills: number
  acknowledged: number
  /** Acknowledged runs that are missing or incomplete at the end. */
  lost: number
  /** Locations with more than one entry, and keys with more than one run. */
  doubled: number
  /** Calls for locations that had an entry when the process started. */
  requestsAfterward: number
  /** Calls beyond one per location, for locations in progress at a kill, and hedged calls. */
  extraCalls: number
  /** The most calls that can be hedged. On a busy machine, some are slow. */
  hedgesMax: number
  /** The maximum number of locations in progress at the kills. */
  recovered: number
  /** Locations that failed because they were in progress at several kills. */
  givenUp: number
}

const upstreamDelay_ms = 25
const longestLife_ms = 350

/**
 * Kills the real process with SIGKILL at random moments while clients submit runs, each with a key that is sent again
 * until it is answered.
 */
export async function runWithKills({
  kills,
  seed,
  locations,
}: {
  kills: number
  seed: number
  locations: number
}): Promise<KillResults> {
  const random = randomOf(seed)
  const upstreams = openUpstreams()
  const { folder, remove } = newFolder()
  const data = join(folder, 'data')
  const env = {
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
    FIELDSTONE_AUTH: 'off',
    FIELDSTONE_LOG: 'error',
  }
  const acknowledged = new Map<string, string>()
  const result: KillResults = {
    kills: 0,
    acknowledged: 0,
    lost: 0,
    doubled: 0,
    requestsAfterward: 0,
    extraCalls: 0,
    hedgesMax: 0,
    recovered: 0,
    givenUp: 0,
  }
  upstreams.delay(upstreamDelay_ms)
  let began = 0
  let pending: { key: string; first: number }[] = []
  const started = async (): Promise<{ it: Fieldstone; address: string }> => {
    // Cached answers would hide repeated calls.
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(data, `cache.db${suffix}`), { force: true })
    began = upstreams.calls.length
    const it = startFieldstone(['serve', '--data', data], env, folder)
    const [, address = ''] = await it.waitForOutput(/answers at (http:\S+)/)
    return { it, address }
  }
  try {
    for (let i = 0; i < kills; i++) {
      const committed = committedIn(data)
      const { it, address } = await started()
      pending.push({ key: `key-${i}`, first: i * locations })
      const life = Bun.sleep(random() * longestLife_ms)
      const sending = Promise.all(
        pending.map(async (submission) => {
          const run_id = await submitTestRun(address, submission.key, requestFor(submission.first, locations)).catch(
            () => null,
          )
          if (run_id === null) return
          acknowledged.set(run_id, submission.key)
          pending = pending.filter((other) => other !== submission)
        }),
      )
      await life
      it.signal('SIGKILL')
      await it.end()
      await sending
      result.kills++
      result.requestsAfterward += upstreams.calls
        .slice(began)
        .filter(({ query }) => committed.has(placeIn(query))).length
      result.recovered += inWorkIn(data)
    }
    const committed = committedIn(data)
    const { it, address } = await started()
    for (const submission of pending)
      acknowledged.set(
        await submitTestRun(address, submission.key, requestFor(submission.first, locations)),
        submission.key,
      )
    for (const run_id of acknowledged.keys()) {
      const document = await waitForRun(address, run_id)
      if (
        document?.status !== 'done' ||
        document.result?.results.length !== locations ||
        document.result.results.some(({ index }, i) => index !== i)
      )
        result.lost++
      result.givenUp += document?.result?.results.filter(({ ok }) => !ok).length ?? 0
    }
    it.signal('SIGKILL')
    await it.end()
    result.requestsAfterward += upstreams.calls.slice(began).filter(({ query }) => committed.has(placeIn(query))).length
    result.acknowledged = acknowledged.size
    result.doubled = doubledIn(data)
    const places = new Set(upstreams.calls.map(({ query }) => placeIn(query)))
    result.extraCalls = upstreams.calls.length - places.size
    result.hedgesMax = Math.ceil(places.size * hedgeShare)
    return result
  } finally {
    upstreams.close()
    remove()
  }
}

/** Every location of every run has a unique longitude. */
function placeOf(n: number): { lat: number; lng: number } {
  return { lat: 25.79, lng: -80.13 - n / 10_000 }
}

function placeIn(query: URLSearchParams): string {
  return (query.get('geometry') ?? '')
    .split(',')
    .map((it) => Number(it).toFixed(4))
    .join()
}

function requestFor(first: number, count: number) {
  return { locations: Array.from({ length: count }, (_, i) => placeOf(first + i)), fields: ['fema_flood_zone'] }
}

function committedIn(data: string): Set<string> {
  return new Set(
    readIn<{ input: string }>(
      data,
      'SELECT l.input FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx',
    ).map(({ input }) => {
      const { lat, lng } = JSON.parse(input) as { lat: number; lng: number }
      return `${lng.toFixed(4)},${lat.toFixed(4)}`
    }),
  )
}

function inWorkIn(data: string): number {
  const stored = readIn<{ attempts: string }>(data, 'SELECT attempts FROM runs')
  return stored.reduce((sum, { attempts }) => sum + RunAttempts.parse(attempts).openIndexes.length, 0)
}

function doubledIn(data: string): number {
  const rows =
    readIn<{ n: number }>(data, 'SELECT count(*) - count(DISTINCT run * 100000 + idx) AS n FROM run_results')[0]?.n ?? 0
  const runs =
    readIn<{ n: number }>(data, 'SELECT (SELECT count(*) FROM runs) - (SELECT count(*) FROM run_keys) AS n')[0]?.n ?? 0
  return rows + runs
}

function readIn<Row>(data: string, sql: string): Row[] {
  try {
    using db = new Database(join(data, 'state.db'))
    return db.query<Row, []>(sql).all()
  } catch {
    return [] // not made yet
  }
}
