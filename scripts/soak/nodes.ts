import { SQL } from 'bun'
import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { newFolder, startFieldstone, type Fieldstone } from '../../test/cli/fieldstone.ts'
import { hasPgBouncer, startPgBouncer } from '../../test/support/pgbouncer.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const servers = 3
const clients = 4
const rows = 400
/** Of so many events, one is a crash of the database, and the others kill a server. */
const eventsPerCrash = 5
/** How long a run may wait after the last event: a lease, and the time until a server looks for lost runs. */
const settle_ms = 60_000

type Node = { process: Fieldstone; address: string }
type Submission = { key: string; run_id: string }

/**
 * Kills three servers on one PostgreSQL database, and the database, while clients submit runs and read them from any
 * server. One server connects through PgBouncer in transaction mode. Needs Debian's postgresql and pgbouncer.
 */
export async function soakNodes(events = 250): Promise<Finding[]> {
  if (!hasPostgres || !hasPgBouncer) {
    console.error('The suite nodes is skipped: it needs postgresql and pgbouncer.')
    return []
  }
  const postgres = await startPostgres()
  const url = await postgres.createDatabase()
  const bouncer = await startPgBouncer(url)
  const { folder, remove } = newFolder()
  const token = makeToken('pat', secureRandomBytes)
  const start = async (index: number): Promise<Node> => {
    const database = index === 0 ? bouncer.urlOf(url) : url
    const env = { FIELDSTONE_DATABASE: database, FIELDSTONE_TOKEN: token, FIELDSTONE_LOG: 'error' }
    // While PgBouncer does not connect again after a crash, a server exits with 75, and a service manager repeats it.
    for (;;) {
      const process = startFieldstone(['serve', '--data', join(folder, `node-${index}`)], env, folder)
      const ready = await process.waitForOutput(/answers at (http:\S+)/).catch(() => null)
      if (ready) return { process, address: ready[1]! }
      if ((await process.end()).code !== exitCodes.temporaryFailure) throw new Error('A server did not start.')
    }
  }
  const nodes = await Promise.all(Array.from({ length: servers }, (_, index) => start(index)))
  try {
    const soak = new NodesSoak(nodes, token)
    const load = soak.submitRuns()
    await disturb({ nodes, start, postgres, url, events })
    const submitted = await soak.stop(load)
    return [...(await findingsOf(submitted, url)), atLeast('N', 'runs during the kills', submitted.length, events / 5)]
  } finally {
    for (const { process } of nodes) process.signal('SIGKILL')
    await Promise.all(nodes.map(({ process }) => process.end()))
    await bouncer.stop()
    await postgres.stop()
    remove()
  }
}

type Disturbed = {
  nodes: Node[]
  start(index: number): Promise<Node>
  postgres: PostgresServer
  url: string
  events: number
}

async function disturb({ nodes, start, postgres, events }: Disturbed): Promise<void> {
  const random = randomOf(7)
  for (let event = 1; event <= events; event++) {
    await Bun.sleep(200 + 800 * random())
    if (event % eventsPerCrash === 0) {
      await postgres.crash()
      await Bun.sleep(1000 * random())
      await postgres.restart()
    } else {
      const index = Math.floor(servers * random())
      nodes[index]!.process.signal('SIGKILL')
      await nodes[index]!.process.end()
      nodes[index] = await start(index)
    }
    if (event % 25 === 0) console.error(`${event} of ${events} events`)
  }
}

/** Clients that submit runs, and read each on any server until it has ended. */
class NodesSoak {
  readonly #nodes: readonly Node[]
  readonly #token: string
  readonly #submitted: Submission[] = []
  #isStopping = false
  #next = 0

  constructor(nodes: readonly Node[], token: string) {
    this.#nodes = nodes
    this.#token = token
  }

  async submitRuns(): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (!this.#isStopping) {
          const submission = await this.#submit(`key-${this.#next++}`)
          this.#submitted.push(submission)
          await this.#waitUntilFinished(submission.run_id)
        }
      }),
    )
  }

  /** Waits until the runs of all clients have ended, and returns the submissions. */
  async stop(load: Promise<void>): Promise<Submission[]> {
    this.#isStopping = true
    await Promise.race([load, Bun.sleep(settle_ms)])
    return this.#submitted
  }

  /** Repeats a submission with its key until a server accepts it. */
  async #submit(key: string): Promise<Submission> {
    const first = this.#next
    const locations = Array.from({ length: rows }, (_, i) => ({
      lat: 37 + ((first * rows + i) % 4_000) / 1_000,
      lng: -105,
    }))
    const body = JSON.stringify({ kind: 'fetch_batch', request: { fields: ['county', 'timezone'], locations } })
    const answer = await this.#untilOk('/v1/runs', { method: 'POST', body, headers: { 'idempotency-key': key } })
    return { key, run_id: (answer as { run_id: string }).run_id }
  }

  async #waitUntilFinished(run_id: string): Promise<void> {
    const isFinished = async () => {
      const { status } = (await this.#untilOk(`/v1/runs/${run_id}?view=summary`)) as { status: string }
      return status !== 'queued' && status !== 'running'
    }
    while (!(await isFinished())) await Bun.sleep(100)
  }

  async #untilOk(path: string, { headers, ...init }: RequestInit = {}): Promise<unknown> {
    for (let attempt = this.#next; ; attempt++) {
      const { address } = this.#nodes[attempt % servers]!
      const all = { ...headers, authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
      const request = { ...init, headers: all, signal: AbortSignal.timeout(10_000) }
      const response = await fetch(`${address}${path}`, request).catch(() => null)
      if (response?.ok) return response.json().catch(() => null)
      await Bun.sleep(50)
    }
  }
}

async function findingsOf(submitted: readonly Submission[], url: string): Promise<Finding[]> {
  const database = new SQL({ url, max: 1 })
  const stored = await database.unsafe<{ id: string; status: string; ok: number; results: number; kept: number }[]>(
    `SELECT r.id, r.status, r.ok::int AS ok, count(i)::int AS results, count(DISTINCT i)::int AS kept
     FROM runs r LEFT JOIN run_results x ON x.run = r.number
       LEFT JOIN LATERAL generate_series(x.idx, x.idx + x.rows - 1) i ON true GROUP BY r.number`,
  )
  await database.close()
  const runs = new Map(stored.map((run) => [run.id, run]))
  const lost = submitted.filter(({ run_id }) => !runs.has(run_id))
  const unfinished = stored.filter(({ status }) => status !== 'succeeded')
  const wrong = stored.filter((run) => run.status === 'succeeded' && (run.results !== rows || run.kept !== rows))
  const failed = stored.reduce((sum, { status, ok }) => sum + (status === 'succeeded' ? rows - ok : 0), 0)
  return [
    atMost('N', 'acknowledged runs that are lost', lost.length, 0),
    atMost('N', 'runs that had not ended a minute after the last kill', unfinished.length, 0),
    atMost('N', 'runs with a lost or doubled row', wrong.length, 0),
    atMost('N', 'rows that failed', failed, 0),
    atMost('N', 'runs beyond one for each key', stored.length - submitted.length, clients),
  ]
}
