import { SQL } from 'bun'
import { join } from 'node:path'
import { randomOf } from '../../scripts/bench/random.ts'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { closePostgresPools, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { newFolder, startFieldstone, type Fieldstone } from '../cli/fieldstone.ts'
import { startPostgres } from '../support/postgres-server.ts'

/**
 * What became of large runs on several servers. `setAside`: runs that failed because three servers in a row were killed
 * in the same step. `different`: result files that are not those of a single server. `uncancelled`: slices that were
 * still to be answered when their run was cancelled.
 */
export type SlicedRuns = Record<
  'kills' | 'runs' | 'unfinished' | 'setAside' | 'wrongRows' | 'different' | 'uncancelled',
  number
>

/** `plant`: statements that plant a fault in the database. Of `cancelEach` runs, one is cancelled. */
type KillOptions = { rows: number; kills: number; seed: number; cancelEach: number; plant?: readonly string[] }

type RunEnd = { status: string; error?: { message: string } | null }
type Server = { process: Fieldstone; address: string }

export const noRuns: SlicedRuns = {
  kills: 0,
  runs: 0,
  unfinished: 0,
  setAside: 0,
  wrongRows: 0,
  different: 0,
  uncancelled: 0,
}
const fields = ['county_fips', 'timezone', 'nearest_place_name']
const servers = 3
/** A run may take this long after the last kill. */
const finishMax_ms = 300_000

/**
 * Kills random servers of three on one PostgreSQL database while they answer large runs, and starts them again. Compares
 * the result files with that of a single server that nobody disturbs.
 */
export async function killDuringRuns({ rows, kills, seed, cancelEach, plant = [] }: KillOptions): Promise<SlicedRuns> {
  const random = randomOf(seed)
  const csv = csvOf(rows)
  const expected = await answerAlone(csv)
  const cluster = await startCluster(servers, plant)
  const result = { ...noRuns }
  const killing = (async () => {
    for (; result.kills < kills; result.kills++) {
      await Bun.sleep(100 + 900 * random())
      await cluster.replace(Math.floor(servers * random()))
    }
  })()
  try {
    while (result.kills < kills || result.runs < cancelEach) {
      const id = await cluster.submit(csv, `key-${result.runs++}`)
      const isCancelled = result.runs % cancelEach === 0
      if (isCancelled) {
        await Bun.sleep(500 * random())
        await cluster.cancel(id)
        result.uncancelled += await cluster.countOpenSlices(id)
      }
      const { status, error } = await cluster.waitUntilFinished(id, finishMax_ms, () => result.kills < kills)
      if (error?.message.includes('without progress')) result.setAside++
      else if (status !== 'done' && !(isCancelled && status === 'cancelled')) result.unfinished++
      else if (status === 'done' && (await cluster.download(id)) !== expected) result.different++
    }
    await killing
    result.wrongRows = await cluster.countWrongRows()
    return result
  } finally {
    await killing.catch(() => {})
    await cluster.stop()
  }
}

/** Returns how long a run takes on so many servers, in ms. `env`: their settings; `names`: the fields. */
export async function timeRun(
  count: number,
  { rows, names, env }: { rows: number; names: string; env: Record<string, string> },
): Promise<number> {
  const cluster = await startCluster(count, [], env)
  try {
    const id = await cluster.submit(csvOf(rows), 'key', names)
    const begun_ms = performance.now()
    const { status } = await cluster.waitUntilFinished(id, rows * 200)
    if (status !== 'done') throw new Error(`The run is ${status}.`)
    return performance.now() - begun_ms
  } finally {
    await cluster.stop()
  }
}

function csvOf(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, i) => `${i},${30 + (i % 1700) / 100},${-115 + Math.floor(i / 1700) / 10}`,
  )
  return `id,lat,lng\n${lines.join('\n')}\n`
}

/** Answers the rows on a server with a data folder of its own. Returns the result as CSV. */
async function answerAlone(csv: string): Promise<string> {
  const { folder, remove } = newFolder()
  const token = makeToken('pat', secureRandomBytes)
  const server = await startServer(folder, 0, { FIELDSTONE_TOKEN: token })
  try {
    const client = createClient(() => server.address, token)
    const id = await client.submit(csv, 'key')
    await client.waitUntilFinished(id)
    return await client.download(id)
  } finally {
    server.process.signal('SIGKILL')
    await server.process.end()
    remove()
  }
}

async function startServer(folder: string, index: number, env: Record<string, string>): Promise<Server> {
  const process = startFieldstone(
    ['serve', '--data', join(folder, `node-${index}`)],
    { FIELDSTONE_LOG: 'error', ...env },
    folder,
  )
  const [, address = ''] = await process.waitForOutput(/answers at (http:\S+)/)
  return { process, address }
}

/** Starts servers on a new PostgreSQL database. `replace` kills one, and starts it again. */
async function startCluster(count: number, plant: readonly string[], settings: Record<string, string> = {}) {
  const postgres = await startPostgres()
  const url = await postgres.createDatabase()
  await closePostgresPools(await openPostgresPools(url))
  const database = new SQL({ url, max: 1 })
  for (const statement of plant) await database.unsafe(statement)
  const { folder, remove } = newFolder()
  const token = makeToken('pat', secureRandomBytes)
  const env = { FIELDSTONE_DATABASE: url, FIELDSTONE_TOKEN: token, ...settings }
  const nodes: Server[] = []
  for (let index = 0; index < count; index++) nodes.push(await startServer(folder, index, env))
  return {
    ...createClient((attempt) => nodes[attempt % count]!.address, token),
    async replace(index: number) {
      nodes[index]!.process.signal('SIGKILL')
      await nodes[index]!.process.end()
      nodes[index] = await startServer(folder, index, env)
    },
    async countOpenSlices(id: string): Promise<number> {
      const [found] = await database.unsafe<{ slices: number }[]>(
        `SELECT count(*)::int AS slices FROM runs s JOIN runs r ON s.slice_of = r.number
         WHERE r.id = $1 AND s.status IN ('queued', 'running')`,
        [id],
      )
      return found!.slices
    },
    /** Counts the rows of finished runs that have no result, and the results beyond one for each row. */
    async countWrongRows(): Promise<number> {
      const [found] = await database.unsafe<{ wrong: number }[]>(
        `SELECT coalesce(sum(abs(total - rows) + (rows - kept)), 0)::int AS wrong FROM (
           SELECT r.total, count(i) AS rows, count(DISTINCT i) AS kept FROM runs r LEFT JOIN run_results x ON x.run = r.number
             LEFT JOIN LATERAL generate_series(x.idx, x.idx + x.rows - 1) i ON true
           WHERE r.slice_of IS NULL AND r.status IN ('done', 'cancelled', 'failed') GROUP BY r.number) counted`,
      )
      return found!.wrong
    },
    async stop() {
      await database.close()
      for (const { process } of nodes) process.signal('SIGKILL')
      await Promise.all(nodes.map(({ process }) => process.end()))
      await postgres.stop()
      remove()
    },
  }
}

/** A client that repeats each request until a server accepts it. `addressOf`: the server of an attempt. */
function createClient(addressOf: (attempt: number) => string, token: string) {
  let attempt = 0
  async function untilOk(path: string, init: RequestInit = {}, max_ms = finishMax_ms): Promise<Response> {
    for (const until_ms = performance.now() + max_ms; performance.now() < until_ms; attempt++) {
      const headers = { ...init.headers, authorization: `Bearer ${token}` }
      const request = { ...init, headers, signal: AbortSignal.timeout(30_000) }
      const response = await fetch(`${addressOf(attempt)}${path}`, request).catch(() => null)
      if (response?.ok || response?.status === 409) return response
      await Bun.sleep(50)
    }
    throw new Error(`No server accepted ${path}.`)
  }
  return {
    async submit(csv: string, key: string, names = fields.join()): Promise<string> {
      const headers = { 'content-type': 'text/csv', 'idempotency-key': key }
      const answer = await untilOk(`/v1/runs?fields=${names}`, { method: 'POST', body: csv, headers })
      return ((await answer.json()) as { run_id: string }).run_id
    },
    /** Cancels a run, unless it has ended. */
    cancel: (id: string) => untilOk(`/v1/runs/${id}/cancel`, { method: 'POST' }),
    /** Waits for the end of a run, and at most `max_ms` from when nothing disturbs the servers. */
    async waitUntilFinished(id: string, max_ms = finishMax_ms, isDisturbed = () => false): Promise<RunEnd> {
      for (let until_ms = performance.now() + max_ms; ; await Bun.sleep(100)) {
        if (isDisturbed()) until_ms = performance.now() + max_ms
        const answer = await untilOk(`/v1/runs/${id}?view=summary`)
        const run = (await answer.json().catch(() => ({ status: 'running' }))) as RunEnd
        if ((run.status !== 'queued' && run.status !== 'running') || performance.now() > until_ms) return run
      }
    },
    async download(id: string): Promise<string> {
      for (;;) {
        const text = await (await untilOk(`/v1/runs/${id}/artifacts/csv`)).text().catch(() => null)
        if (text !== null) return text
      }
    },
  }
}
