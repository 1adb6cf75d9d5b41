import { SQL } from 'bun'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import about from '../../package.json' with { type: 'json' }
import { makeToken } from '../../src/auth/token.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const point = { lat: 39.7392, lng: -104.9903 }
const token = makeToken('pat', (size) => new Uint8Array(size).fill(7))
const password = 'not-to-be-shown'

describe.skipIf(!hasPostgres)('a server with FIELDSTONE_DATABASE', () => {
  const { root: folder, start } = createProcessGroup()
  let postgres: PostgresServer
  let url: string
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  const envOf = (data: string) => ({
    FIELDSTONE_DATABASE: url,
    FIELDSTONE_DATA: join(folder, data),
    FIELDSTONE_TOKEN: token,
  })

  /** Starts a server with a data folder of its own, and returns functions that send requests to it. */
  async function startServer(data: string, env: Record<string, string> = {}) {
    const server = start(['serve'], { ...envOf(data), ...env })
    const address = await waitForAddress(server)
    const send = (path: string, { method = 'GET', body, bearer = token, headers }: Sent = {}) =>
      fetch(`${address}${path}`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    return { ...server, send, fetchCounty: (bearer?: string) => send(`/v1/fetch`, county(bearer)) }
  }
  type Sent = { method?: string; body?: object; bearer?: string | undefined; headers?: Record<string, string> }
  const county = (bearer: string | undefined): Sent => ({
    method: 'POST',
    body: { ...point, fields: ['county'] },
    bearer,
  })

  /** Creates an empty database, with a password in its URL that the server does not ask for. */
  async function useNewDatabase(): Promise<void> {
    url = (await postgres.createDatabase()).replace('fieldstone@', `fieldstone:${password}@`)
  }

  test('keeps accounts, tokens and runs there, and shows no password', async () => {
    await useNewDatabase()
    const server = await startServer('a')
    expect((await server.fetchCounty()).status).toBe(200)
    const fields = ['county', 'timezone']
    const run = { kind: 'fetch_batch', request: { fields, locations: [point, { lat: 25.79, lng: -80.13 }] } }
    const submitted = (await (await server.send('/v1/runs', { method: 'POST', body: run })).json()) as {
      run_id: string
    }
    expect(await resultOf(server, submitted.run_id)).toContain('Miami-Dade County')
    const ready = await (await server.send('/readyz')).text()
    expect(JSON.parse(ready).checks.store).toEqual({ status: 'pass' })
    expect(await (await server.send('/metrics')).text()).toContain('fieldstone_store_up 1')
    server.signal('SIGTERM')
    const { code, out, err } = await server.end()
    expect(code).toBe(0)
    expect([ready, out, err].filter((text) => text.includes(password))).toEqual([])
    expect(existsSync(join(folder, 'a', 'state.db'))).toBe(false)
    const again = await startServer('another')
    expect(await resultOf(again, submitted.run_id)).toContain('Miami-Dade County')
  })

  test('shares tokens and runs with other servers: a revoked token ends on all of them', async () => {
    await useNewDatabase()
    const [first, second] = [await startServer('b1'), await startServer('b2')]
    const made = await first.send('/v1/users/me/tokens', {
      method: 'POST',
      body: { name: 'shared', scopes: ['fetch'] },
    })
    const { id, token: bearer } = (await made.json()) as { id: string; token: string }
    expect((await second.fetchCounty(bearer)).status).toBe(200)
    expect((await first.send(`/v1/users/me/tokens/${id}`, { method: 'DELETE' })).ok).toBe(true)
    const answers = await Promise.all([first.fetchCounty(bearer), second.fetchCounty(bearer)])
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
  })

  test('refuses a token that was revoked while the server was suspended', async () => {
    await useNewDatabase()
    const [first, second] = [await startServer('i1'), await startServer('i2')]
    const made = await first.send('/v1/users/me/tokens', { method: 'POST', body: { name: 'x', scopes: ['fetch'] } })
    const { id, token: bearer } = (await made.json()) as { id: string; token: string }
    expect((await second.fetchCounty(bearer)).status).toBe(200)
    second.signal('SIGSTOP')
    expect((await first.send(`/v1/users/me/tokens/${id}`, { method: 'DELETE' })).status).toBe(204)
    const answer = second.fetchCounty(bearer)
    second.signal('SIGCONT')
    expect((await answer).status).toBe(401)
  })

  test('answers an agent, and continues the events of a run, that another server has begun', async () => {
    await useNewDatabase()
    const servers = [await startServer('j1'), await startServer('j2')] as const
    const id = await submitTo(servers[0])
    const eventsOf = async (index: 0 | 1, headers?: Record<string, string>) =>
      (await servers[index].send(`/v1/runs/${id}/events`, { ...(headers && { headers }) })).text()
    const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
    const all = idsIn(await eventsOf(0))
    const last = all.at(-1)!
    for (const index of [0, 1] as const)
      expect(idsIn(await eventsOf(index, { 'last-event-id': String(last - 1) }))).toEqual([last])
    const callTool = async (index: 0 | 1, method: string, params: object) => {
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
      const answer = await servers[index].send('/mcp', {
        method: 'POST',
        headers,
        body: { jsonrpc: '2.0', id: 1, method, params },
      })
      return answer.text()
    }
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    expect(await callTool(0, 'initialize', initialize)).toContain('"protocolVersion":"2025-11-25"')
    const args = { name: 'fetch_fields', arguments: { ...point, fields: ['county'] } }
    expect(await callTool(1, 'tools/call', args)).toContain('Denver County')
  })

  test('lists the nodes with their runs, and doctor warns if their versions differ', async () => {
    await useNewDatabase()
    mkdirSync(join(folder, 'h1'))
    const run = (...words: string[]) => start(words, envOf('h1')).end()
    expect((await run('nodes')).out).toMatch(/^No server uses postgres:\/\/127\.0\.0\.1:\d+\/test_\d+\.\n$/)
    const [first, second] = [await startServer('h1'), await startServer('h2')]
    await Promise.all([first, second].map((it) => untilMetric(it, /^fieldstone_nodes\{version="[^"]+"\} 2$/m)))
    const { nodes } = JSON.parse((await run('nodes', '--json')).out) as { nodes: { id: string; pid: number }[] }
    expect(new Set(nodes.map(({ pid }) => pid))).toEqual(new Set([first.pid, second.pid]))
    expect(nodes[0]).toMatchObject({ host: hostname(), version: about.version, runs: 0, leases: 0 })
    const metrics = await (await first.send('/metrics')).text()
    for (const { id } of nodes)
      expect(metrics).toMatch(new RegExp(`^fieldstone_node_last_seen_seconds\\{node="${id}"`, 'm'))
    expect((await run('doctor')).out).toContain(
      `Server processes that use the database: 2, of version ${about.version}.`,
    )
    const database = new SQL({ url, max: 1 })
    await database.unsafe(
      "INSERT INTO nodes VALUES ('old', 'elsewhere', 1, '0.0.9', 1, (SELECT max(seen_at) FROM nodes), 0)",
    )
    expect(await run('doctor')).toMatchObject({
      code: 1,
      out: expect.stringContaining(`different versions use the database: 0.0.9, ${about.version}. Finish the upgrade.`),
    })
    await database.unsafe("UPDATE nodes SET seen_at = seen_at - 301000 WHERE id = 'old'")
    const table = (await run('nodes')).out
    expect(table.split('\n')[0]).toMatch(
      /^node +host +pid +version +started +last seen +runs +leases +revocations behind$/,
    )
    expect(table).not.toContain('elsewhere')
    second.signal('SIGTERM')
    await second.end()
    expect((await run('nodes')).out.trimEnd().split('\n')).toHaveLength(2)
    await database.unsafe('DROP TABLE nodes')
    await database.unsafe('UPDATE schema_version SET version = 18')
    expect(await run('nodes')).toMatchObject({ code: 78, err: expect.stringContaining('has no list of nodes. Start') })
    await database.close()
  })

  const longRun = {
    kind: 'fetch_batch',
    request: {
      fields: ['county'],
      locations: Array.from({ length: 3_000 }, (_, i) => ({ lat: 37 + i / 1_000, lng: -105 })),
    },
  }
  async function submitTo(server: { send(path: string, sent: Sent): Promise<Response> }): Promise<string> {
    const response = await server.send('/v1/runs', { method: 'POST', body: longRun })
    expect(response.status).toBe(202)
    return ((await response.json()) as { run_id: string }).run_id
  }

  test('finishes the run of another server that was killed, once', async () => {
    await useNewDatabase()
    const [first, second] = [await startServer('c1'), await startServer('c2')]
    const id = await submitTo(first)
    first.signal('SIGKILL')
    await first.end()
    const database = new SQL({ url, max: 1 })
    // The lease of the killed server would expire later.
    await database.unsafe('UPDATE run_leases SET until = 1')
    const csv = await resultOf(second, id)
    expect(csv.trimEnd().split('\r\n')).toHaveLength(3_001)
    expect(csv).not.toContain('false')
    await database.close()
  })

  test('shows the progress of a run on another server, waits for it, cancels it, and sends its files', async () => {
    await useNewDatabase()
    const [first, second] = [await startServer('g1'), await startServer('g2')]
    const events = await second.send(`/v1/runs/${await submitTo(first)}/events`)
    const text = await events.text()
    expect(text).toContain('event: status')
    expect(text).toMatch(/event: final\nid: \d+\ndata: .*"status":"done"/)
    const waited = await second.send('/v1/runs', { method: 'POST', body: longRun, headers: { prefer: 'wait=60' } })
    const { run_id } = (await waited.json()) as { run_id: string }
    expect((await first.send(`/v1/runs/${run_id}/artifacts/csv`)).status).toBe(200)
    const cancelled = await submitTo(first)
    const answer = await second.send(`/v1/runs/${cancelled}/cancel`, { method: 'POST' })
    const status = (await answer.json()) as { status?: string; detail?: { status: string } }
    // A fast run may have ended before.
    expect(['cancelled', 'done']).toContain(status.status ?? status.detail!.status)
    for (const server of [first, second])
      expect(((await (await server.send('/readyz')).json()) as Ready).checks.progress.status).toBe('pass')
  })
  type Ready = { checks: { progress: { status: string } } }

  test('answers 503 while the database does not answer, and recovers when it does', async () => {
    await useNewDatabase()
    const server = await startServer('d')
    const tolerant = await startServer('d2', { FIELDSTONE_TOKENS_STALE_SECONDS: '600' })
    for (const it of [server, tolerant]) expect((await it.fetchCounty()).status).toBe(200)
    await postgres.crash()
    const unavailable = await untilStatus(server.fetchCounty, 503)
    expect(Number(unavailable.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await unavailable.json()).toMatchObject({ detail: { error: 'storage_unavailable', retryable: true } })
    expect((await server.send('/healthz')).status).toBe(200)
    expect((await server.send('/v1/meta/fields?limit=1')).status).toBeLessThan(504)
    expect((await server.send('/readyz')).status).toBe(503)
    expect(await (await tolerant.fetchCounty()).text()).toContain('Denver County')
    const made = { method: 'POST', body: { name: 'x', scopes: ['fetch'] } }
    for (const [path, sent] of [
      ['/v1/users/me/tokens', made],
      ['/v1/runs', { method: 'POST', body: longRun }],
      ['/mcp', { method: 'POST', body: {} }],
    ] as const)
      // A token is believed for a second after its last lookup.
      await untilStatus(() => tolerant.send(path, sent), 503)
    await postgres.restart()
    expect(await (await untilStatus(server.fetchCounty, 200)).text()).toContain('Denver County')
    expect((await untilStatus(() => server.send('/readyz'), 200)).status).toBe(200)
  })

  test('does not start without the database, and says what to do', async () => {
    await useNewDatabase()
    const startWith = async (database: string) => {
      const env = { ...envOf('e'), FIELDSTONE_DATABASE: database }
      const { code, err } = await start(['serve'], env).end()
      expect(err).not.toContain(password)
      return [code, err.trim()]
    }
    const unknown = url.replace(/\w+$/, 'unknown')
    expect(await startWith(unknown)).toEqual([78, expect.stringMatching(/database "unknown" does not exist\. Correct/)])
    expect(await startWith(url.replace(/:\d+\//, ':1/'))).toEqual([75, expect.stringContaining('cannot be reached')])
    expect(await startWith('mysql://a/b')).toEqual([
      78,
      expect.stringContaining('is not the URL of a PostgreSQL database'),
    ])
    expect(await startWith(`${url}?sslmod=require`)).toEqual([
      78,
      expect.stringContaining('unknown parameter "sslmod"'),
    ])
    const server = await startServer('e')
    server.signal('SIGTERM')
    await server.end()
    const database = new SQL({ url, max: 1 })
    await database.unsafe('UPDATE schema_version SET version = 99, floor = 98')
    await database.close()
    expect(await startWith(url)).toEqual([
      78,
      expect.stringContaining('was upgraded by a newer Fieldstone: it has schema version 99'),
    ])
  })

  test('has its commands: tokens work, and backup, restore and recovery name the programs of PostgreSQL', async () => {
    await useNewDatabase()
    const run = (...words: string[]) => start(words, envOf('f')).end()
    mkdirSync(join(folder, 'f'))
    expect((await run('doctor')).out).toMatch(/answers\. It is new; the first start creates the tables\.$/m)
    const { out } = await run('token', 'new', '--name', 'made here')
    const server = await startServer('f')
    expect((await server.fetchCounty(out.trim())).status).toBe(200)
    for (const words of [
      ['backup', 'a.tar'],
      ['restore', 'a.tar'],
      ['doctor', '--recover'],
    ])
      expect(await run(...words)).toMatchObject({ code: 64, err: expect.stringContaining('pg_dump') })
    writeFileSync(join(folder, 'f', 'state.db'), '')
    server.signal('SIGKILL')
    await server.end()
    await (await startServer('f')).waitForOutput(/The state in \S+state\.db is not used, because/)
    expect((await run('doctor')).out).toMatch(/^pass {2}state {9}postgres:\/\/127\.0\.0\.1:\d+\/test_\d+ answers\.$/m)
  })

  /** The CSV file of a run when it has ended. */
  async function resultOf(server: { send(path: string): Promise<Response> }, id: string): Promise<string> {
    for (let status = 'queued'; status === 'queued' || status === 'running'; await Bun.sleep(20)) {
      const response = await server.send(`/v1/runs/${id}?view=summary`)
      expect(response.status).toBe(200)
      status = ((await response.json()) as { status: string }).status
    }
    return (await server.send(`/v1/runs/${id}/artifacts/csv`)).text()
  }

  async function untilMetric(server: { send(path: string): Promise<Response> }, line: RegExp): Promise<void> {
    while (!line.test(await (await server.send('/metrics')).text())) await Bun.sleep(20)
  }

  async function untilStatus(send: () => Promise<Response>, status: number): Promise<Response> {
    for (;;) {
      const response = await send()
      if (response.status === status) return response
      await response.arrayBuffer()
      await Bun.sleep(20)
    }
  }
})
