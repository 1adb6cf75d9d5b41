import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { FaultKind } from './faults.ts'
import { jsonAnswer, type SimulatedService } from './service.ts'
import { openUpstreams, type Upstreams } from './upstreams.ts'

const host = 'data.example.gov'
const greeting: SimulatedService = {
  host,
  answer: ({ path, method, body }) => (path.startsWith('/hello') ? jsonAnswer({ hello: path, method, body }) : null),
}
const fallen: SimulatedService = {
  host: 'fallen.example.gov',
  answer: () => {
    throw new Error('an error in the simulated service')
  },
}

let world: Upstreams
beforeAll(() => {
  world = openUpstreams({ services: [greeting, fallen] })
})
afterEach(() => world.heal())
afterAll(() => world.close())

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${world.url}/${host}${path}`, { redirect: 'manual', ...init })

test('a call through the mirror is answered by the service of its host, and recorded', async () => {
  const before = world.callsTo(host)
  const response = await ask('/hello/N%C3%BAria?a=1&a=2', {
    method: 'POST',
    body: 'geometry=1',
    headers: { 'user-agent': 'test/1' },
  })
  expect(await response.json()).toEqual({ hello: '/hello/Núria', method: 'POST', body: 'geometry=1' })
  expect(world.callsTo(host) - before).toBe(1)
  expect(world.callsTo(/\.gov$/)).toBeGreaterThan(0)
  const call = world.calls.at(-1)
  expect(call).toMatchObject({ host, path: '/hello/Núria', method: 'POST', body: 'geometry=1', user_agent: 'test/1' })
  expect(call?.query.getAll('a')).toEqual(['1', '2'])
})

test('an unknown request is a 404 and is recorded, so that a test can expect none', async () => {
  expect((await ask('/goodbye')).status).toBe(404)
  expect((await fetch(`${world.url}/nobody.example/x`)).status).toBe(404)
  expect(world.unknown).toEqual([`GET ${host}/goodbye?`, 'GET nobody.example/x?'])
})

test('an exception in a simulated service is recorded as an error, not sent as an answer', async () => {
  expect((await fetch(`${world.url}/fallen.example.gov/`)).status).toBe(500)
  expect(world.unknown.at(-1)).toContain('fell over')
})

test('200 connections are answered concurrently', async () => {
  const all = await Promise.all(
    Array.from(
      { length: 200 },
      async (_, index) => (await ask(`/hello/${index}`)).json() as Promise<{ hello: string }>,
    ),
  )
  expect(all.map(({ hello }) => hello)).toEqual(all.map((_, index) => `/hello/${index}`))
})

test('a fault applies to the requested number of calls, and only to matching calls', async () => {
  world.fault({ host, path: /one$/, times: 2 }, { status: 503 })
  expect((await ask('/hello/two')).status).toBe(200)
  expect((await ask('/hello/one')).status).toBe(503)
  expect((await ask('/hello/one')).status).toBe(503)
  expect((await ask('/hello/one')).status).toBe(200)
  world.fault({}, { status: 500 })
  world.heal()
  expect((await ask('/hello/one')).status).toBe(200)
})

test('a rate limit response has Retry-After', async () => {
  world.fault({ times: 1 }, { status: 429, retry_after: 2 })
  const response = await ask('/hello')
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2'])
})

test.each<FaultKind>(['reset', 'close_early', 'truncated'])('%s breaks the connection', async (kind) => {
  const read = async (init?: RequestInit) => (await ask('/hello', init)).text()
  const outcome = (init?: RequestInit) =>
    read(init).then(
      () => 'read',
      (error: unknown) => (error as { code?: string }).code,
    )
  for (const init of [{}, { method: 'POST', body: 'x' }, { keepalive: false }]) {
    await Promise.all([read(), read(), read()]) // leaves connections behind that are used again
    const before = world.callsTo(host)
    world.fault({ times: 1 }, kind)
    expect([await outcome(init), world.callsTo(host) - before, await outcome(init)]).toEqual(['ECONNRESET', 1, 'read'])
  }
})

test.each<FaultKind>(['hang', 'drip'])('%s outlasts a client with a long timeout', async (kind) => {
  world.fault({ times: 1 }, kind)
  const read = async () => (await ask('/hello', { signal: AbortSignal.timeout(250) })).text()
  expect(
    await read().then(
      () => 'read',
      (error: unknown) => (error as Error).name,
    ),
  ).toBe('TimeoutError')
})

test('a delayed answer is correct', async () => {
  world.fault({ times: 1 }, { slow_ms: 30 })
  expect(await (await ask('/hello')).json()).toMatchObject({ hello: '/hello' })
})

test.each<[FaultKind, string | null, string]>([
  ['html_200', 'text/html', '<!DOCTYPE html>'],
  ['empty_200', 'application/json', ''],
  ['bad_json', 'application/json', '{"features":[{"attributes"'],
  ['wrong_type', 'application/json; charset=utf-8', '{"message"'],
  ['arcgis_400', 'application/json; charset=utf-8', '{"error":{"code":400'],
  ['arcgis_498', 'application/json; charset=utf-8', '{"error":{"code":498'],
  ['arcgis_499', 'application/json; charset=utf-8', '{"error":{"code":499'],
  ['arcgis_500', 'application/json; charset=utf-8', '{"error":{"code":500'],
  ['arcgis_no_code', 'application/json; charset=utf-8', '{"error":{"message"'],
])('%s looks like success', async (kind, type, start) => {
  world.fault({ times: 1 }, kind)
  const response = await ask('/hello')
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  expect((await response.text()).slice(0, start.length)).toBe(start)
})

test('the redirects lead to the same host, to another host, to a private address and in a loop', async () => {
  const locationOf = async (kind: FaultKind) => {
    world.fault({ times: 1 }, kind)
    const response = await ask('/hello?a=1')
    return [response.status, response.headers.get('location')]
  }
  expect(await locationOf('redirect_same')).toEqual([302, `https://${host}/hello?a=1&redirected=1`])
  expect(await locationOf('redirect_other')).toEqual([302, 'https://elsewhere.example.org/somewhere/else'])
  expect(await locationOf('redirect_private')).toEqual([302, 'http://169.254.169.254/latest/meta-data/'])
  expect(await locationOf('redirect_loop')).toEqual([302, `https://${host}/hello?a=1`])
  world.fault({}, 'redirect_same')
  expect((await ask('/hello?a=1&redirected=1')).status).toBe(200)
})

test('a decompression bomb is small compressed and large decompressed', async () => {
  world.fault({ times: 1 }, 'bomb')
  const response = await ask('/hello', { decompress: false } as RequestInit)
  expect((await response.bytes()).length).toBeLessThan(1_000_000)
})

test('an endless answer never stops', async () => {
  world.fault({ times: 1 }, 'endless')
  const reader = (await ask('/hello')).body!.getReader()
  let read = 0
  while (read < 20_000_000) read += (await reader.read()).value!.length
  await reader.cancel()
  expect((await ask('/hello')).status).toBe(200)
})
