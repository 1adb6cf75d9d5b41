import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import { cpu_s } from './child.ts'
import { reportFigure, reportSkipped } from './report.ts'

type Point = { lat: number; lng: number }
type Node = { url: string; pid: number; end(): Promise<void> }
/** What answered rows cost. `database_us`: the processor time of PostgreSQL; 0 with SQLite. */
type RowCost = { server_us: number; database_us: number; rowsPerSecond: number }

const runs = 6
const runRows = 10_000
/** The embedded fields go to the run worker after the first 200 rows of a server. */
const warmUpRows = 1000
const databaseMax_us = 15

/**
 * Measures the processor time of a row of a run, with SQLite on one server and PostgreSQL with one, two and three
 * servers. Needs Debian's postgresql.
 */
export async function benchNodes(fields: readonly string[], at: () => Point): Promise<void> {
  if (!hasPostgres) return reportSkipped('runs on several servers', 'initdb is missing')
  const sqlite = await measureServers(1, null, fields, at)
  report('SQLite, one server', sqlite, sqlite)
  for (const servers of [1, 2, 3]) {
    const postgres = await startPostgres()
    try {
      report(`PostgreSQL, ${servers} servers`, await measureServers(servers, postgres, fields, at), sqlite)
    } finally {
      await postgres.stop()
    }
  }
}

function report(what: string, { server_us, database_us, rowsPerSecond }: RowCost, sqlite: RowCost): void {
  reportFigure(
    `a row of a run with ten embedded fields, ${what}`,
    `${server_us.toFixed(0)} µs of the servers and ${database_us.toFixed(1)} µs of PostgreSQL, ${(rowsPerSecond / sqlite.rowsPerSecond).toFixed(2)} times the rows of one server with SQLite in a second`,
    database_us <= databaseMax_us,
    `${databaseMax_us} µs of PostgreSQL`,
  )
}

async function measureServers(
  servers: number,
  postgres: PostgresServer | null,
  fields: readonly string[],
  at: () => Point,
): Promise<RowCost> {
  const { folder, remove } = newFolder()
  const token = makeToken('pat', secureRandomBytes)
  const database = postgres && { FIELDSTONE_DATABASE: await postgres.createDatabase() }
  const env = { FIELDSTONE_TOKEN: token, FIELDSTONE_LOG: 'error', ...database }
  const nodes: Node[] = []
  const submit = async (node: number, rows: number) => {
    const body = { kind: 'fetch_batch', request: { fields, locations: Array.from({ length: rows }, at) } }
    const { run_id } = await request<{ run_id: string }>(nodes[node % servers]!.url, '/v1/runs', token, body)
    return run_id
  }
  try {
    for (let index = 0; index < servers; index++)
      nodes.push(await startNode(join(folder, `node-${index}`), env, folder))
    for (let index = 0; index < servers; index++)
      await finish(nodes[index]!.url, await submit(index, warmUpRows), token)
    const serversBefore_s = nodes.map(({ pid }) => cpu_s(pid))
    const databaseBefore_s = postgres?.processorTime_s() ?? 0
    const begun_ms = performance.now()
    const ids = await Promise.all(Array.from({ length: runs }, (_, index) => submit(index, runRows)))
    for (const [index, id] of ids.entries()) await finish(nodes[index % servers]!.url, id, token)
    const us = 1e6 / (runs * runRows)
    return {
      server_us: nodes.reduce((sum, { pid }, index) => sum + cpu_s(pid) - serversBefore_s[index]!, 0) * us,
      database_us: ((postgres?.processorTime_s() ?? 0) - databaseBefore_s) * us,
      rowsPerSecond: (runs * runRows * 1000) / (performance.now() - begun_ms),
    }
  } finally {
    await Promise.all(nodes.map((node) => node.end()))
    remove()
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

/** Waits until a run has ended, with the events of the run. */
async function finish(url: string, id: string, token: string): Promise<void> {
  const events = await fetch(`${url}/v1/runs/${id}/events`, { headers: { authorization: `Bearer ${token}` } })
  await events.text()
  const { status, progress } = await request<{ status: string; progress: { ok: number; total: number } }>(
    url,
    `/v1/runs/${id}?view=summary`,
    token,
  )
  if (status !== 'succeeded' || progress.ok !== progress.total)
    throw new Error(`The run ${id} is ${status}, with ${progress.ok} of ${progress.total} rows.`)
}

async function request<T>(url: string, path: string, token: string, body?: object): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}
