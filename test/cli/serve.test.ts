import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isToken, makeToken } from '../../src/auth/token.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { newFolder } from './fieldstone.ts'
import { waitForAddress, createProcessGroup } from './process-group.ts'

const { newData, start } = createProcessGroup()

const tokenIn = (text: string) => /fst_pat_[0-9A-Za-z]{36}/.exec(text)?.[0]
const fetched = (address: string, token: string) =>
  fetch(`${address}/v1/fetch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"lat":39.7392,"lng":-104.9903,"fields":["geohash"]}',
  })

/** Starts a server, stops it when it answers, and returns all output. */
async function served(data: string, env: Record<string, string> = {}) {
  const it = start(['serve', '--data', data], env)
  const address = await waitForAddress(it)
  await it.waitForOutput(/"listening"/)
  it.signal('SIGTERM')
  return { address, ...(await it.end()) }
}

describe('the first start', () => {
  test("prints the owner's token once, on stdout only, and the second start prints none", async () => {
    const data = newData()
    const first = await served(data)
    const second = await served(data)
    expect([first.code, second.code]).toEqual([0, 0])
    const [, token = ''] = /shown only once: (\S+)/.exec(first.out)!
    expect([isToken(token), tokenIn(first.out)]).toEqual([true, token])
    expect([first.err, second.out, second.err].filter((it) => it.includes('fst_'))).toEqual([])
  })

  test('says how many fields answer here, and which presets are complete without a network', async () => {
    const { out } = await served(newData())
    expect(out).toMatch(/\n\d+ of \d+ fields answer here, all of them without a network\. Complete .*place_context\.\n/)
  })

  test('prints an example request that works without changes', async () => {
    const it = start(['serve', '--data', newData()])
    const [, command] = await it.waitForOutput(/\n {2}(curl [^\n]*)\n/)
    const curl = Bun.spawn(['bash', '-c', `${command} -w '\\n%{http_code}'`], { stdout: 'pipe' })
    expect(await curl.stdout.text()).toMatch(/"resolved_location".*\n200$/s)
  })

  test('creates a folder and a database that only the owner can read', async () => {
    const data = newData()
    await served(data)
    expect([statSync(data).mode & 0o777, statSync(join(data, 'state.db')).mode & 0o777]).toEqual([0o700, 0o600])
  })

  test('stores only the hash of the token', async () => {
    const data = newData()
    const token = tokenIn((await served(data)).out)!
    const files = readdirSync(data).map((name) => readFileSync(join(data, name)))
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((bytes) => bytes.includes(token.slice(8, 38)))).toEqual([])
  })
})

describe('a given token', () => {
  test('in FIELDSTONE_TOKEN is the owner token, and is never printed', async () => {
    const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
    const it = start(['serve', '--data', newData()], { FIELDSTONE_TOKEN: token })
    const response = await fetched(await waitForAddress(it), token)
    it.signal('SIGTERM')
    const { out, err } = await it.end()
    expect(response.status).toBe(200)
    expect([out, err].filter((text) => text.includes('fst_'))).toEqual([])
  })

  test('from `token new` works immediately, while the server runs', async () => {
    const data = newData()
    const address = await waitForAddress(start(['serve', '--data', data]))
    const { code, out, err } = await start(['token', 'new', '--data', data, '--name', 'script']).end()
    expect([code, err, out.trim()]).toEqual([0, '', tokenIn(out)!])
    expect((await fetched(address, out.trim())).status).toBe(200)
  })
})

describe('a second process', () => {
  test('on the same folder ends with exit code 78 and a message, and the first continues', async () => {
    const data = newData()
    const address = await waitForAddress(start(['serve', '--data', data]))
    const { code, out, err } = await start(['serve', '--data', data]).end()
    expect([code, out]).toEqual([78, ''])
    expect(err).toBe(
      `Another Fieldstone process is using the data folder ${data}. Stop it, or set --data to another folder.\n`,
    )
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
  })

  test('on the same port ends with exit code 78 and a message', async () => {
    const address = await waitForAddress(start(['serve', '--data', newData()]))
    const { code, err } = await start(['serve', '--data', newData(), '--port', new URL(address).port]).end()
    expect(code).toBe(78)
    expect(err).toMatch(/^[^\n]*port[^\n]*\n$/)
  })

  test('is listed by `fieldstone nodes` while it runs', async () => {
    const data = newData()
    const nodes = async () => (await start(['nodes', '--data', data]).end()).out
    const it = start(['serve', '--data', data])
    const address = await waitForAddress(it)
    for (let metrics = ''; !metrics.includes('fieldstone_node_runs{'); await Bun.sleep(20))
      metrics = await (await fetch(`${address}/metrics`)).text()
    expect(await nodes()).toContain(`  ${it.pid}  `)
    it.signal('SIGTERM')
    await it.end()
    expect(await nodes()).toBe(`No server uses ${data}.\n`)
  })

  test('starts after the first was killed', async () => {
    const data = newData()
    const first = start(['serve', '--data', data])
    await first.waitForOutput(/"listening"/)
    first.signal('SIGKILL')
    await first.end()
    expect((await served(data)).code).toBe(0)
  })
})

test.each(['of no bytes', 'of garbage'] as const)(
  'a state.db %s ends the server with exit code 78 and one line, and is not changed',
  async (kind) => {
    const { folder: data, remove: removeData } = newFolder()
    const bytes = kind === 'of garbage' ? 'this is no database'.repeat(1000) : ''
    writeFileSync(join(data, 'state.db'), bytes)
    for (const words of [
      ['serve', '--data', data],
      ['token', 'new', '--data', data],
    ]) {
      const { code, out, err } = await start(words).end()
      expect([code, out]).toEqual([78, ''])
      expect(err).toMatch(/^\S[^\n]*state\.db[^\n]*\n$/)
    }
    expect(readFileSync(join(data, 'state.db'), 'utf8')).toBe(bytes)
    removeData()
  },
)

test('a start calls no publisher', async () => {
  const upstreams = openUpstreams()
  const it = start(['serve', '--data', newData()], {
    FIELDSTONE_AUTH: 'off',
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: upstreams.url,
  })
  const address = await waitForAddress(it)
  while ((await (await fetch(`${address}/readyz`)).text()).includes('"warming"'));
  // The warm-up continues while a publisher answers this request.
  upstreams.delay(500)
  await fetch(`${address}/v1/fetch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"lat":25.79,"lng":-80.13,"fields":["fema_flood_zone"]}',
  })
  it.signal('SIGTERM')
  await it.end()
  upstreams.close()
  expect(upstreams.calls.map(({ host }) => host)).toEqual(['hazards.fema.gov'])
})

describe('a signal to stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('(%s) ends an idle server at once with exit code 0', async (signal) => {
    const it = start(['serve', '--data', newData()])
    await it.waitForOutput(/"listening"/)
    it.signal(signal)
    const { code, err } = await it.end()
    expect(code).toBe(0)
    expect(err).toContain('"stopping"')
  })

  test('during the warm-up is not an error', async () => {
    const { err } = await served(newData())
    expect(
      err
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event),
    ).toEqual(['listening', 'stopping'])
  })

  test('is announced: /readyz reports 503 while requests are still answered, until the drain time is over or Ctrl-C', async () => {
    const it = start(['serve', '--data', newData()], { FIELDSTONE_AUTH: 'off', FIELDSTONE_DRAIN_SECONDS: '300' })
    const address = await waitForAddress(it)
    it.signal('SIGTERM')
    await it.waitForOutput(/"stopping"/)
    const statusOf = async (path: string, body?: unknown) => {
      const response = await fetch(address + path, {
        ...(body !== undefined && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
        keepalive: false,
      })
      return [response.status, /"(fail|shutting_down)"/.exec(await response.text())?.[1]]
    }
    const place = { lat: 39.7392, lng: -104.9903 }
    for (let i = 0; i < 3; i++)
      expect([
        await statusOf('/readyz'),
        await statusOf('/v1/fetch', { ...place, fields: ['geohash'] }),
        await statusOf('/v1/runs', { kind: 'fetch_batch', request: { locations: [place], fields: ['geohash'] } }),
      ]).toEqual([
        [503, 'fail'],
        [200, undefined],
        [503, 'shutting_down'],
      ])
    it.signal('SIGINT')
    expect((await it.end()).code).toBe(0)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'that is repeated (%s) ends the server at once: the location in progress is released and no attempt is counted',
    async (second) => {
      const upstreams = openUpstreams()
      const data = newData()
      const it = start(['serve', '--data', data], {
        FIELDSTONE_AUTH: 'off',
        FIELDSTONE_OFFLINE: '0',
        FIELDSTONE_MIRROR: upstreams.url,
      })
      const address = await waitForAddress(it)
      upstreams.delay(600_000)
      const locations = [{ lat: 25.79, lng: -80.13 }]
      await fetch(`${address}/v1/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'fetch_batch', request: { locations, fields: ['fema_flood_zone'] } }),
      })
      while (upstreams.calls.length === 0) await Bun.sleep(0)
      it.signal('SIGTERM')
      await it.waitForOutput(/"stopping"/)
      it.signal(second)
      expect((await it.end()).code).toBe(0)
      upstreams.close()
      const db = new Database(join(data, 'state.db'), { readonly: true })
      expect(db.query('SELECT epoch, status, attempts FROM runs').get()).toEqual({
        epoch: null,
        status: 'running',
        attempts: '[]',
      })
      db.close()
    },
  )

  test('lets requests in progress finish', async () => {
    const it = start(['serve', '--data', newData()], { FIELDSTONE_AUTH: 'off' })
    const { port } = new URL(await waitForAddress(it))
    const body = '{"lat":39.7392,"lng":-104.9903,"fields":["geohash"]}'
    const socket = connect(Number(port), '127.0.0.1')
    const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
    const sent = (text: string) => new Promise<void>((resolve) => socket.write(text, () => resolve()))
    await sent(
      `POST /v1/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    expect(await answer).toStartWith('HTTP/1.1 100')
    it.signal('SIGTERM')
    await it.waitForOutput(/"stopping"/)
    const rest = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
    await sent(body)
    expect(await rest).toStartWith('HTTP/1.1 200')
    socket.end()
    expect((await it.end()).code).toBe(0)
  })
})

describe('nothing is read from the current folder', () => {
  test('a .env file has no effect unless --env-file names it', async () => {
    const { folder, remove: removeFolder } = newFolder()
    writeFileSync(join(folder, '.env'), 'FIELDSTONE_QUEUE=nonsense\n')
    const it = start(['serve', '--data', newData()], {}, folder)
    await waitForAddress(it)
    const { code, err } = await start(['serve', '--data', newData(), '--env-file', '.env'], {}, folder).end()
    expect([code, err]).toEqual([78, 'FIELDSTONE_QUEUE is "nonsense". Use a whole number from 0 to 100000.\n'])
    removeFolder()
  })
})
