import { SQL } from 'bun'
import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { closePostgresPools, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { newFolder, startFieldstone, type Fieldstone } from '../../test/cli/fieldstone.ts'
import { hasPgBouncer, startPgBouncer } from '../../test/support/pgbouncer.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import { randomOf } from '../bench/random.ts'
import { fakeTime } from './clock.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const servers = 3
const clients = 4
const rows = 400
/**
 * Of this many events, one is a crash of the database, and one ends all connections to it. The others kill a server.
 */
const eventsPerCrash = 5
/** Of this many events, one suspends a server for longer than the lease of its runs. */
const eventsPerSuspension = 12
const suspension_ms = 22_000
/** The clocks of the servers. */
const clocks = ['+0', '+1h', '-1h']
/** How long a run may wait after the last event: a lease, and the time until a server looks for lost runs. */
const settle_ms = 60_000

type Node = { process: Fieldstone; address: string }
type Submission = { key: string; run_id: string }

/** Triggers that lose or double rows of results. The suite must find these faults. */
const faults = {
  lost: 'IF NEW.idx > 100 THEN RETURN NULL; END IF; RETURN NEW;',
  doubled:
    'IF NEW.rows > 1 AND pg_trigger_depth() = 1 THEN NEW.idx := NEW.idx + 1; INSERT INTO run_results SELECT NEW.*; NEW.idx := NEW.idx - 1; END IF; RETURN NEW;',
}

/**
 * Kills and suspends three servers on one PostgreSQL database, and crashes the database, while clients submit runs and
 * read them from any server. One server connects through PgBouncer in transaction mode. With libfaketime, the clocks of
 * the servers are an hour apart. Needs Debian's postgresql and pgbouncer.
 */
export async function soakNodes(events = 365): Promise<Finding[]> {
  if (!hasPostgres || !hasPgBouncer) {
    console.error('The suite nodes is skipped: it needs postgresql and pgbouncer.')
    return []
  }
  if (fakeTime() === null) console.error('All servers have the same clock: libfaketime is not installed.')
  const findings = await disturbNodes(events)
  for (const [name, body] of Object.entries(faults)) {
    const found = (await disturbNodes(3, body)).filter(({ pass }) => !pass)
    findings.push(atLeast('N', `findings with a fault in the database: rows of results are ${name}`, found.length, 1))
  }
  return findings
}

async function disturbNodes(events: number, fault?: string): Promise<Finding[]> {
  const postgres = await startPostgres()
  const url = await postgres.createDatabase()
  await closePostgresPools(await openPostgresPools(url))
  if (fault !== undefined) await plantTrigger(url, fault)
  const bouncer = await startPgBouncer(url)
  const { folder, remove } = newFolder()
  const token = makeToken('pat', secureRandomBytes)
  const start = async (index: number): Promise<Node> => {
    const database = index === 0 ? bouncer.urlOf(url) : url
    const env = {
      FIELDSTONE_DATABASE: database,
      FIELDSTONE_TOKEN: token,
      FIELDSTONE_LOG: 'error',
      ...clockSettings(index),
    }
    // While PgBouncer does not connect again after a crash, a server exits with 75, and a service manager repeats it.
    for (;;) {
      const process = startFieldstone(['serve', '--data', join(folder, `node-${index}`)], env, folder)
      const ready = await process.waitForOutput(/answers at (http:\S+)/).catch(() => null)
      if (ready) return { process, address: ready[1]! }
      const { code, err } = await process.end()
      if (code !== exitCodes.temporaryFailure) throw new Error(`A server did not start (exit code ${code}): ${err}`)
    }
  }
  const nodes = await Promise.all(Array.from({ length: servers }, (_, index) => start(index)))
  try {
    const soak = new NodesSoak(nodes, token)
    const load = soak.submitRuns()
    await disturb({ nodes, start, postgres, url, events })
    const submitted = await soak.stop(load)
    const isEnough = atLeast('N', 'runs during the kills', submitted.length, events / 5)
    return [...(await findingsOf(submitted, url)), ...(fault === undefined ? [isEnough] : [])]
  } finally {
    for (const { process } of nodes) process.signal('SIGKILL')
    await Promise.all(nodes.map(({ process }) => process.end()))
    await bouncer.stop()
    await postgres.stop()
    remove()
  }
}

/** The settings of a server whose clock differs from that of the machine, if libfaketime is installed. */
function clockSettings(index: number): Record<string, string> {
  const library = fakeTime()
  return library === null || index === 0
    ? {}
    : { LD_PRELOAD: library, FAKETIME: clocks[index]!, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

async function plantTrigger(url: string, body: string): Promise<void> {
  const database = new SQL({ url, max: 1 })
  await database.unsafe(`CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ${body} END'`)
  await database.unsafe('CREATE TRIGGER fault BEFORE INSERT ON run_results FOR EACH ROW EXECUTE FUNCTION fault()')
  await database.close()
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
    } else if (event % eventsPerCrash === 1) {
      await postgres.killConnections()
    } else if (event % eventsPerSuspension === 0) {
      const { process } = nodes[Math.floor(servers * random())]!
      process.signal('SIGSTOP')
      await Bun.sleep(suspension_ms)
      process.signal('SIGCONT')
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
  #hasEnded = false
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
    load.catch(() => {})
    await Promise.race([load, Bun.sleep(settle_ms)])
    this.#hasEnded = true
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
      if (this.#hasEnded) throw new Error('The run did not end.')
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
  const unfinished = stored.filter(({ status }) => status !== 'done')
  const wrong = stored.filter((run) => run.status === 'done' && (run.results !== rows || run.kept !== rows))
  const failed = stored.reduce((sum, { status, ok }) => sum + (status === 'done' ? rows - ok : 0), 0)
  return [
    atMost('N', 'acknowledged runs that are lost', lost.length, 0),
    atMost('N', 'runs that had not ended a minute after the last kill', unfinished.length, 0),
    atMost('N', 'runs with a lost or doubled row', wrong.length, 0),
    atMost('N', 'rows that failed', failed, 0),
    atMost('N', 'runs beyond one for each key', stored.length - submitted.length, clients),
  ]
}
