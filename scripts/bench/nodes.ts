import { SQL } from 'bun'
import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import { cpu_s } from './child.ts'
import { reportFigure, reportSkipped } from './report.ts'

type Point = { lat: number; lng: number }
type Node = { url: string; pid: number; end(): Promise<void> }
/**
 * What an answered row costs: the processor time of the servers, that of PostgreSQL beyond its idle share, and the
 * bytes of its log. `idle_ms`: the processor time of PostgreSQL in a second in which the servers do nothing.
 */
type RowCost = { server_us: number; rowsPerSecond: number; database_us: number; wal_bytes: number; idle_ms: number }

/** A run with this many rows has slices, which all servers answer together. */
const runRows = 60_000
/** The embedded fields go to the run worker after the first 200 rows of a server. */
const warmUpRows = 1000
const idle_s = 5
const databaseMax_us = 15
/** PostgreSQL must write to the disk like SQLite does. */
const durableSettings = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' }
/** How many servers the projection assumes, each with a processor core of its own. */
const projectedServers = 16

/**
 * Measures the cost of a row of a run, with SQLite on one server and PostgreSQL with one, two and three servers. Needs
 * Debian's postgresql.
 */
export async function benchNodes(fields: readonly string[], at: () => Point): Promise<void> {
  if (!hasPostgres) return reportSkipped('runs on several servers', 'initdb is missing')
  const sqlite = await new NodesBench(fields, at, null).measure(1)
  report('SQLite, one server', sqlite, sqlite)
  for (const servers of [1, 2, 3]) {
    const postgres = await startPostgres({ changes: durableSettings })
    try {
      const cost = await new NodesBench(fields, at, postgres).measure(servers)
      report(`PostgreSQL, servers: ${servers}`, cost, sqlite)
      if (servers === 3) reportProjection(cost)
    } finally {
      await postgres.stop()
    }
  }
}

function report(what: string, cost: RowCost, sqlite: RowCost): void {
  const { server_us, rowsPerSecond, database_us, wal_bytes, idle_ms } = cost
  const ratio = (rowsPerSecond / sqlite.rowsPerSecond).toFixed(2)
  const database = `${database_us.toFixed(1)} µs of PostgreSQL (and ${idle_ms.toFixed(1)} ms a second when idle), ${wal_bytes.toFixed(0)} bytes of its log`
  reportFigure(
    `a row of a run with ten embedded fields, ${what}`,
    `${server_us.toFixed(0)} µs of the servers, ${cost === sqlite ? '' : `${database}, `}${ratio} times the rows of SQLite in a second`,
    database_us <= databaseMax_us,
    `${databaseMax_us} µs of PostgreSQL`,
  )
}

/** Computes what more servers would do if a row cost them and PostgreSQL as much as here. */
function reportProjection({ server_us, database_us, wal_bytes }: RowCost): void {
  const rowsPerSecond = (projectedServers * 1e6) / server_us
  const cores = (rowsPerSecond * database_us) / 1e6
  const wal_mb = (rowsPerSecond * wal_bytes) / 1e6
  reportFigure(
    `computed: ${projectedServers} servers with a core each`,
    `${Math.round(rowsPerSecond)} rows a second, ${cores.toFixed(2)} cores of PostgreSQL, ${wal_mb.toFixed(0)} MB of its log a second`,
    cores <= projectedServers / 8,
    `${projectedServers / 8} cores of PostgreSQL`,
  )
}

/** Servers with one state, and runs of rows at these points. Without `postgres`, the state is in the data folder. */
class NodesBench {
  readonly #fields: readonly string[]
  readonly #at: () => Point
  readonly #postgres: PostgresServer | null
  readonly #token = makeToken('pat', secureRandomBytes)
  readonly #nodes: Node[] = []

  constructor(fields: readonly string[], at: () => Point, postgres: PostgresServer | null) {
    this.#fields = fields
    this.#at = at
    this.#postgres = postgres
  }

  async measure(servers: number): Promise<RowCost> {
    const { folder, remove } = newFolder()
    const url = await this.#postgres?.createDatabase()
    const env = { FIELDSTONE_TOKEN: this.#token, FIELDSTONE_LOG: 'error', ...(url && { FIELDSTONE_DATABASE: url }) }
    try {
      for (let index = 0; index < servers; index++)
        this.#nodes.push(await startNode(join(folder, `node-${index}`), env, folder))
      for (const node of this.#nodes) await this.#finish(node, await this.#submit(node, warmUpRows))
      return await this.#measureRuns(url)
    } finally {
      await Promise.all(this.#nodes.map((node) => node.end()))
      remove()
    }
  }

  async #measureRuns(url: string | undefined): Promise<RowCost> {
    const idleBegin_s = this.#database_s()
    await Bun.sleep(idle_s * 1000)
    const idleShare = (this.#database_s() - idleBegin_s) / idle_s
    const before = { servers_s: this.#servers_s(), database_s: this.#database_s(), wal_bytes: await walBytesOf(url) }
    const begin_ms = performance.now()
    const [first] = this.#nodes
    await this.#finish(first!, await this.#submit(first!, runRows))
    const elapsed_s = (performance.now() - begin_ms) / 1000
    return {
      server_us: ((this.#servers_s() - before.servers_s) * 1e6) / runRows,
      rowsPerSecond: runRows / elapsed_s,
      database_us: ((this.#database_s() - before.database_s - idleShare * elapsed_s) * 1e6) / runRows,
      wal_bytes: ((await walBytesOf(url)) - before.wal_bytes) / runRows,
      idle_ms: idleShare * 1000,
    }
  }

  #servers_s(): number {
    return this.#nodes.reduce((sum, { pid }) => sum + cpu_s(pid), 0)
  }

  #database_s(): number {
    return this.#postgres?.processorTime_s() ?? 0
  }

  async #submit(node: Node, rows: number): Promise<string> {
    const points = Array.from({ length: rows }, this.#at)
    const csv = ['lat,lng', ...points.map(({ lat, lng }) => `${lat},${lng}`), ''].join('\n')
    const path = `/v1/runs?fields=${this.#fields.join()}`
    return (await this.#request<{ run_id: string }>(node, path, csv)).run_id
  }

  /** Waits for the last event of a run. */
  async #finish(node: Node, id: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.#token}` }
    await (await fetch(`${node.url}/v1/runs/${id}/events`, { headers })).text()
    type Summary = { status: string; progress: { ok: number; total: number } }
    const { status, progress } = await this.#request<Summary>(node, `/v1/runs/${id}?view=summary`)
    if (status !== 'done' || progress.ok !== progress.total)
      throw new Error(`The run ${id} is ${status}, with ${progress.ok} of ${progress.total} rows.`)
  }

  async #request<T>({ url }: Node, path: string, body?: string): Promise<T> {
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'text/csv' },
      ...(body && { method: 'POST', body }),
    })
    if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }
}

async function startNode(data: string, env: Record<string, string>, folder: string): Promise<Node> {
  const process = startFieldstone(['serve', '--data', data], env, folder)
  const [, url] = await process.waitForOutput(/answers at (http:\S+)/)
  return {
    url: url!,
    pid: process.pid,
    async end() {
      process.signal('SIGTERM')
      await process.end()
    },
  }
}

/** The bytes that a database server has written to its log so far. */
async function walBytesOf(url: string | undefined): Promise<number> {
  if (url === undefined) return 0
  const sql = new SQL({ url, max: 1 })
  const [found] = await sql.unsafe("SELECT (pg_current_wal_lsn() - '0/0')::float8 AS bytes")
  await sql.close()
  return found.bytes
}
