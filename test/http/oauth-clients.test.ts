import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openHttpClient } from '../../src/net/http-client.ts'
import {
  authorizationParameters,
  callbackUrl,
  logInWithCode,
  openOAuthService,
  type OAuthService,
} from './oauth-service.ts'
import { words } from '../support/words.ts'

const registered = async (it: OAuthService, metadata: unknown) => {
  const response = await it.ask('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  }
}

describe('registration', () => {
  let it: OAuthService
  beforeAll(async () => void (it = await openOAuthService()))
  afterAll(() => it.close())

  const refused: [string, unknown, string][] = [
    ['no redirect', {}, 'invalid_redirect_uri'],
    ['a list of nothing', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['plain http elsewhere', { redirect_uris: ['http://evil.example/cb'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://a.example/#x'] }, 'invalid_redirect_uri'],
    ['a scheme of its own', { redirect_uris: ['myapp://cb'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a name and password', { redirect_uris: ['https://a:b@a.example/'] }, 'invalid_redirect_uri'],
    ['a loopback name that goes on', { redirect_uris: ['http://127.0.0.1.evil.example/'] }, 'invalid_redirect_uri'],
    ['a loopback before an at', { redirect_uris: ['http://localhost:1@evil.example/'] }, 'invalid_redirect_uri'],
    [
      'an address of 3,000 letters',
      { redirect_uris: [`https://a.example/${'x'.repeat(3000)}`] },
      'invalid_redirect_uri',
    ],
    ['eleven addresses', { redirect_uris: Array(11).fill(callbackUrl) }, 'invalid_redirect_uri'],
    ['another grant', { redirect_uris: [callbackUrl], grant_types: ['implicit'] }, 'invalid_client_metadata'],
    ['another response', { redirect_uris: [callbackUrl], response_types: ['token'] }, 'invalid_client_metadata'],
    ['a list', [], 'invalid_client_metadata'],
    ['half a JSON', '{', 'invalid_client_metadata'],
  ]
  test.each(refused)('rejects %s without counting it against the limit', async (_name, metadata, error) => {
    const answer = await registered(it, metadata)
    expect([answer.status, answer.body.error]).toEqual([400, error])
  })

  test('creates a public client, whatever client authentication it requests', async () => {
    const { status, body, headers } = await registered(it, {
      redirect_uris: [callbackUrl],
      token_endpoint_auth_method: 'client_secret_post',
      client_name: 'One',
    })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toMatchObject({
      client_id: expect.any(String),
      token_endpoint_auth_method: 'none',
      client_name: 'One',
      redirect_uris: [callbackUrl],
    })
    expect('client_secret' in body).toBe(false)
  })

  test('keeps only a few of ten thousand simultaneous clients', async () => {
    const statuses = new Map<number, number>()
    for (let i = 0; i < 10_000; i++) {
      const { status } = await registered(it, { redirect_uris: [callbackUrl] })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(statuses.get(201)!).toBeLessThanOrEqual(10)
    it.clock.ahead_ms += 3_601_000
    expect((await registered(it, { redirect_uris: [callbackUrl] })).status).toBe(201)
  })

  test('is deleted after a day without approval, and kept after one', async () => {
    it.clock.ahead_ms += 3_601_000
    const [unused, used] = [await it.register(), await it.register()]
    await logInWithCode(it, used)
    it.clock.ahead_ms += 86_400_000
    await it.testService.app.access.sweep()
    expect(
      await it.testService.app.access.clients.find(unused.client_id, 'the test').catch((error: Error) => error.message),
    ).toContain('Unknown client')
    expect((await it.testService.app.access.clients.find(used.client_id, 'the test')).name).toBe('A strict client')
  })
})

describe('a client with a metadata document', () => {
  const id = 'https://client.example/oauth/client.json'
  const good = {
    client_id: id,
    client_name: 'Described',
    redirect_uris: [callbackUrl],
    token_endpoint_auth_method: 'none',
  }
  /** The current response of the URL. */
  let lying: () => Response | Promise<Response> = () => Response.json(good)
  let requested = 0
  const mirror = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      requested++
      return new URL(request.url).pathname === '/client.example/oauth/client.json'
        ? lying()
        : new Response('elsewhere', { status: 404 })
    },
  })
  afterAll(() => mirror.stop(true))
  /** Opens a service that reads documents from the stand-in of their hosts. */
  const opened = () =>
    openOAuthService(
      { FIELDSTONE_OFFLINE: '0' },
      {
        documentClient: openHttpClient({
          mirror: mirror.url.href,
          userAgent: 'Fieldstone',
          catalogHosts: new Set(),
          now: () => new Date(),
          random: Math.random,
        }),
      },
    )
  const authorizePageOf = async (it: OAuthService, client_id = id) =>
    it.browser.get(`/oauth/authorize?${await authorizationParameters({ client_id }, 'v'.repeat(43))}`)

  test('can be approved under its URL, whose host the page shows', async () => {
    const it = await opened()
    const page = await authorizePageOf(it)
    expect([page.status, page.text.includes('<strong>Described</strong> (client.example)')]).toEqual([200, true])
    expect((await logInWithCode(it, { client_id: id })).access).toStartWith('fst_oat_')
    expect(it.server.client_id_metadata_document_supported).toBe(true)
    await it.close()
  })

  test('is not fetched before sign-in', async () => {
    const it = await opened()
    const before = requested
    const page = await it.ask(`/oauth/authorize?${await authorizationParameters({ client_id: id }, 'v'.repeat(43))}`)
    expect([(await page.text()).includes('Sign in'), requested]).toEqual([true, before])
    await it.close()
  })

  const begun = (it: OAuthService, client_id: string) => it.form('/oauth/device_authorization', { client_id })

  test('is fetched at most twenty times in ten minutes per requester, and again after that', async () => {
    const it = await opened()
    const before = requested
    const named = async (i: number) => (await begun(it, `https://client.example/${i}.json`)).body.error
    const errors: unknown[] = []
    for (let i = 0; i < 25; i++) errors.push(await named(i))
    expect(requested - before).toBe(20)
    expect(errors.slice(0, 20)).toEqual(Array(20).fill('invalid_client'))
    expect(errors.slice(20)).toEqual(Array(5).fill('temporarily_unavailable'))
    it.clock.ahead_ms += 600_001
    expect([await named(25), requested - before]).toEqual(['invalid_client', 21])
    await it.close()
  })

  test('is fetched together with at most three others, and one more is rejected at once', async () => {
    const it = await opened()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let under = 0
    const { promise: all, resolve: allRequested } = Promise.withResolvers<void>()
    lying = async () => {
      if (++under === 4) allRequested()
      await released
      return Response.json(good)
    }
    const four = Array.from({ length: 4 }, () => begun(it, id))
    await all
    expect((await begun(it, id)).body.error).toBe('temporarily_unavailable')
    release()
    expect((await Promise.all(four)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    lying = () => Response.json(good)
    expect((await begun(it, id)).status).toBe(200)
    await it.close()
  })

  const faults: [string, () => Response][] = [
    ['names another client', () => Response.json({ ...good, client_id: 'https://other.example/c' })],
    ['has no redirects', () => Response.json({ ...good, redirect_uris: [] })],
    ['wants a secret', () => Response.json({ ...good, token_endpoint_auth_method: 'client_secret_basic' })],
    ['is a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['is longer than 5 kB', () => Response.json({ ...good, more: 'x'.repeat(6000) })],
    [
      'lies elsewhere',
      () => new Response(null, { status: 302, headers: { location: 'https://client.example/other.json' } }),
    ],
    ['is not there', () => new Response('', { status: 404 })],
    ['fails', () => new Response('', { status: 500 })],
  ]
  test.each(faults)('is rejected without a redirect when its document %s', async (_name, response) => {
    const it = await opened()
    lying = response
    const before = requested
    const page = await authorizePageOf(it)
    expect([page.status, page.location, requested - before]).toEqual([400, null, 1])
    lying = () => Response.json(good)
    await it.close()
  })

  test.each(words`
    https://client.example https://client.example/ http://client.example/c https://client.example/a/../c
    https://u@client.example/c https://client.example/c#f HTTPS://client.example/c
  `)('is not recognized under %s', async (client_id) => {
    const it = await opened()
    const before = requested
    expect([(await authorizePageOf(it, client_id)).status, requested]).toEqual([400, before])
    await it.close()
  })

  const inside = words`
    127.0.0.1 127.0.0.2 127.1 0x7f000001 2130706433 017700000001 localhost localhost. a.localhost 0.0.0.0 [::1] [::]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1] [fd00::1] 10.0.0.1
    100.64.0.1 169.254.169.254 172.16.0.1 192.168.0.1 192.0.0.1 198.18.0.1 224.0.0.1 255.255.255.255
  `
  test('is never fetched from a private address: no connection is made', async () => {
    const seen = { touches: 0 }
    const socket = { open: () => void seen.touches++, data: () => {} }
    const canary = Bun.listen({ hostname: '0.0.0.0', port: 0, socket })
    const other = Bun.listen({ hostname: '::1', port: canary.port, socket })
    const it = await openOAuthService({ FIELDSTONE_OFFLINE: '0' })
    for (const host of inside) {
      const client_id = URL.parse(`https://${host}:${canary.port}/c`)?.href ?? ''
      // The fetch limit of the requester must expire first.
      it.clock.ahead_ms += 600_001
      expect([host, (await authorizePageOf(it, client_id)).status]).toEqual([host, 400])
    }
    expect(seen.touches).toBe(0)
    await Promise.all(
      ['127.0.0.1', '::1'].map((hostname) => Bun.connect({ hostname, port: canary.port, socket: { data: () => {} } })),
    )
    while (seen.touches < 2) await new Promise((resolve) => setImmediate(resolve))
    await it.close()
    canary.stop(true)
    other.stop(true)
  })

  test('is never fetched through the mirror, which would connect for anybody without a token', async () => {
    const it = await openOAuthService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: mirror.url.href })
    const before = requested
    for (const client_id of ['https://10.0.0.1/c', 'https://127.0.0.1/client.example/oauth/client.json'])
      expect((await begun(it, client_id)).body.error).toBe('invalid_client')
    expect(requested).toBe(before)
    await it.close()
  })

  test.each([{}, { FIELDSTONE_OFFLINE: '0', FIELDSTONE_CLIENT_DOCUMENTS: '0', FIELDSTONE_MIRROR: mirror.url.href }])(
    'is rejected on a server that is offline or reads no client documents (%j)',
    async (env) => {
      const it = await openOAuthService(env)
      const before = requested
      const [page, device] = [await authorizePageOf(it), await begun(it, id)]
      expect([page.status, device.body, it.server.client_id_metadata_document_supported, requested]).toEqual([
        400,
        {
          error: 'invalid_client',
          error_description: 'This server does not read client documents. Register the client instead.',
        },
        false,
        before,
      ])
      await it.close()
    },
  )
})
