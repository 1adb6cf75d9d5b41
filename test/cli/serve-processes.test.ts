import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeToken } from '../../src/auth/token.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { hasPostgres, startPostgres } from '../support/postgres-server.ts'
import { freePort } from '../support/free-port.ts'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const { newData, start } = createProcessGroup()
const token = makeToken('pat', (size) => new Uint8Array(size).fill(9))

type Sent = { method?: string; body?: object; bearer?: string }
type LogLine = { event: string; process?: number; pid?: number }

/** Starts a server with two processes, and waits until both listen. */
async function startServer(data = newData(), env: Record<string, string> = {}) {
  const server = start(['serve', '--data', data, '--processes', '2'], { FIELDSTONE_TOKEN: token, ...env })
  const address = await waitForAddress(server)
  await server.waitForOutput(/"processes_listening"/)
  /** Each request has a connection of its own, which any process may accept. */
  const send = (path: string, { method = 'GET', body, bearer = token }: Sent = {}) =>
    fetch(`${address}${path}`, {
      method,
      keepalive: false,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', connection: 'close' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return { ...server, data, address, send, nodes: () => nodesOf(data) }
}
type Server = Awaited<ReturnType<typeof startServer>>

async function nodesOf(data: string): Promise<{ id: string; pid: number; runs: number }[]> {
  const { out } = await start(['nodes', '--json', '--data', data]).end()
  return JSON.parse(out).nodes
}

/** Sends a request on several connections, of which both processes accept some, and returns the different answers. */
async function answersOfBoth(
  { send }: Server,
  path: string,
  read: (response: Response) => Promise<unknown>,
  sent: Sent = {},
): Promise<unknown[]> {
  const processes = new Set<number>()
  while (processes.size < 2) processes.add(((await (await send('/readyz')).json()) as { process: number }).process)
  const answers = await Promise.all(Array.from({ length: 12 }, async () => read(await send(path, sent))))
  return [...new Set(answers.map((it) => JSON.stringify(it)))].map((text) => JSON.parse(text) as unknown)
}

/** The metrics, when they have a line. A process that is slow to answer is left out. */
async function metricsWith({ send }: Server, line: RegExp): Promise<string> {
  for (;;) {
    const text = await (await send('/metrics')).text()
    if (line.test(text)) return text
    await Bun.sleep(20)
  }
}

const county = { method: 'POST', body: { lat: 39.7392, lng: -104.9903, fields: ['county'] } }
const locations = Array.from({ length: 48 }, (_, i) => ({ lat: 25.7 + i / 100, lng: -80.2 }))

async function submit({ send }: Server, field: string): Promise<string> {
  const run = { kind: 'fetch_batch', request: { fields: [field], locations } }
  const response = await send('/v1/runs', { method: 'POST', body: run })
  expect(response.status).toBe(202)
  return ((await response.json()) as { run_id: string }).run_id
}

/** The simulated publishers, which answer no call until `release`. `active`: the calls at the same time. */
function openHeldPublishers() {
  const [upstreams, active] = [openUpstreams(), { now: 0, most: 0 }]
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      active.most = Math.max(active.most, ++active.now)
      await released
      const { pathname, search } = new URL(request.url)
      const answer = await fetch(`${upstreams.url}${pathname}${search}`)
      active.now--
      return answer
    },
  })
  return {
    env: { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: server.url.origin },
    active,
    release,
    /** Waits until this many calls have been received. */
    async untilActive(calls: number) {
      while (active.now < calls) await Bun.sleep(10)
    },
    async close() {
      await server.stop(true)
      upstreams.close()
    },
  }
}

/** The CSV file of a run when it has ended. A process that was killed closes its connections. */
async function csvOf({ send }: Server, id: string): Promise<string> {
  for (;;) {
    const run = await send(`/v1/runs/${id}?view=summary`).catch(() => null)
    const { status } = run?.ok ? ((await run.json()) as { status: string }) : { status: 'unknown' }
    if (status === 'done') return (await send(`/v1/runs/${id}/artifacts/csv`)).text()
    await Bun.sleep(20)
  }
}

describe('a server with two processes', () => {
  test('answers on one port from both, with one state and one set of metrics', async () => {
    const server = await startServer(newData(), { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: 'http://127.0.0.1:1' })
    expect((await server.send('/v1/fetch', county)).status).toBe(200)
    expect(await answersOfBoth(server, '/v1/users/me', (it) => it.json())).toHaveLength(1)
    expect(await answersOfBoth(server, '/v1/packs/fetch', (it) => it.json())).toEqual([{ fetch: null }])
    expect(await answersOfBoth(server, '/v1/packs/fetch/cancel', (it) => it.json(), { method: 'POST' })).toMatchObject([
      { detail: { error: 'pack_fetch_not_active' } },
    ])
    const metrics = await metricsWith(server, /^fieldstone_build_info\{process="1".*\n.*\{process="2"/m)
    for (const number of [1, 2]) expect(metrics).toContain(`fieldstone_build_info{process="${number}",version=`)
    expect(metrics.match(/^# TYPE fieldstone_build_info /gm)).toHaveLength(1)
    expect((await server.nodes()).map(({ id }) => id)).toEqual(['1', '2'])
    const made = await server.send('/v1/users/me/tokens', { method: 'POST', body: { name: 'x', scopes: ['fetch'] } })
    const { id, token: bearer } = (await made.json()) as { id: string; token: string }
    const withBearer = () => Promise.all([1, 2, 3, 4, 5, 6].map(() => server.send('/v1/fetch', { ...county, bearer })))
    expect(new Set((await withBearer()).map(({ status }) => status))).toEqual(new Set([200]))
    expect((await server.send(`/v1/users/me/tokens/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect(new Set((await withBearer()).map(({ status }) => status))).toEqual(new Set([401]))
    server.signal('SIGTERM')
    const { code, err } = await server.end()
    expect(code).toBe(0)
    const stopped = linesOf(err).filter(({ event }) => event === 'stopping')
    expect(new Set(stopped.map((it) => it.process))).toEqual(new Set([undefined, 1, 2]))
    expect(await nodesOf(server.data)).toEqual([])
  })

  test('answers all requests from the moment when it prints its address', async () => {
    const server = start(['serve', '--data', newData(), '--processes', '2'])
    const address = await waitForAddress(server)
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => fetch(`${address}/v1/runs`, { headers: { connection: 'close' } })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  })

  test('replaces a process that is killed, and finishes its runs once', async () => {
    const publishers = openHeldPublishers()
    const server = await startServer(newData(), publishers.env)
    const id = await submit(server, 'fema_flood_zone')
    await publishers.untilActive(1)
    const owner = (await server.nodes()).find(({ runs }) => runs > 0)!
    process.kill(owner.pid, 'SIGKILL')
    publishers.release()
    const rows = (await csvOf(server, id)).trimEnd().split('\r\n')
    expect(rows).toHaveLength(locations.length + 1)
    expect(new Set(rows).size).toBe(rows.length)
    await server.waitForOutput(new RegExp(`"process_lost","process":${owner.id},"pid":${owner.pid},"exit":"SIGKILL"`))
    server.signal('SIGTERM')
    expect((await server.end()).code).toBe(0)
    await publishers.close()
  })

  test('goes on while its first process does not respond: only what that process does fails', async () => {
    const server = await startServer(newData(), { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: 'http://127.0.0.1:1' })
    const first = (await server.nodes()).find(({ id }) => id === '1')!
    // A connection that the first process would accept waits.
    const answerOf = (path: string, sent?: Sent) =>
      Promise.any(Array.from({ length: 12 }, () => server.send(path, sent)))
    process.kill(first.pid, 'SIGSTOP')
    try {
      const answer = await answerOf('/v1/fetch', county)
      expect(await answer.json()).toMatchObject({ fields: { county: { status: 'ok' } } })
      const fetches = await answerOf('/v1/packs/fetch')
      expect([fetches.status, await fetches.json()]).toMatchObject([503, { detail: { error: 'worker_lost' } }])
      expect(await (await answerOf('/metrics')).text()).toContain('fieldstone_build_info{process="2"')
    } finally {
      process.kill(first.pid, 'SIGCONT')
    }
    expect(await answersOfBoth(server, '/v1/packs/fetch', (it) => it.json())).toEqual([{ fetch: null }])
  })

  test('signs the owner in once, whichever process has the link', async () => {
    const server = start(['serve', '--data', newData(), '--processes', '2'])
    const [, link] = await server.waitForOutput(/Sign in to the dashboard with this link, .*: (http\S+)/)
    await server.waitForOutput(/"processes_listening"/)
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => fetch(link!, { redirect: 'manual', headers: { connection: 'close' } })),
    )
    expect(opened.map(({ status }) => status).filter((status) => status < 400)).toHaveLength(1)
  })

  test('calls a publisher as often at the same time as one process', async () => {
    const publishers = openHeldPublishers()
    const server = await startServer(newData(), publishers.env)
    const fetchZone = (location: object) =>
      server.send('/v1/fetch', { method: 'POST', body: { ...location, fields: ['fema_flood_zone'] } })
    const answers = Promise.all(locations.map(fetchZone))
    await publishers.untilActive(8)
    // When both processes have answered another request, they have begun all calls that they may.
    await answersOfBoth(server, '/v1/runs', (it) => it.text())
    expect(publishers.active.now).toBe(8)
    publishers.release()
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([200]))
    expect(publishers.active.most).toBe(8)
    await publishers.close()
  })

  test.skipIf(!hasPostgres)('shares a PostgreSQL database', async () => {
    const postgres = await startPostgres()
    const server = await startServer(newData(), { FIELDSTONE_DATABASE: await postgres.createDatabase() })
    expect(await answersOfBoth(server, '/v1/runs', async ({ status }) => status)).toEqual([200])
    const rows = (await csvOf(server, await submit(server, 'county'))).trimEnd().split('\r\n')
    expect(rows).toHaveLength(locations.length + 1)
    await metricsWith(server, /^fieldstone_nodes\{process="1",version="[^"]+"\} 2$/m)
    server.signal('SIGTERM')
    expect((await server.end()).code).toBe(0)
    await postgres.stop()
  })

  test('locks its folder and its port, also while a process is left behind', async () => {
    const port = String(freePort())
    const server = await startServer(newData(), { FIELDSTONE_PORT: port })
    const second = (words: string[]) => start(['serve', ...words]).end()
    for (const processes of ['1', '2']) {
      expect(await second(['--data', server.data, '--port', '0', '--processes', processes])).toMatchObject({
        code: 78,
        err: expect.stringContaining('Another Fieldstone process is using the data folder'),
      })
      expect(await second(['--data', newData(), '--port', port, '--processes', processes])).toMatchObject({
        code: 78,
        err: expect.stringContaining('the address is already in use'),
      })
    }
    server.signal('SIGKILL')
    await server.end()
    // Without their supervisor, the processes stop.
    while ((await server.nodes()).length > 0) await Bun.sleep(20)
  })

  test('ends with the exit code of a process that cannot start, and leaves none behind', async () => {
    const server = await startServer()
    server.signal('SIGTERM')
    expect((await server.end()).code).toBe(0)
    await Bun.write(join(server.data, 'state.db'), 'not a database')
    const { code, err } = await start(['serve', '--data', server.data, '--processes', '2']).end()
    expect([code, err]).toEqual([78, expect.stringContaining('state.db')])
    for (const [number, message] of [
      ['9', 'FIELDSTONE_PROCESSES is "9". Use auto, or a whole number from 1 to 8.'],
      ['two', 'FIELDSTONE_PROCESSES is "two". Use auto, or a whole number from 1 to 8.'],
    ] as const)
      expect(await start(['serve', '--processes', number]).end()).toMatchObject({ code: 78, err: `${message}\n` })
  })
})

function linesOf(err: string): LogLine[] {
  return err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
}
