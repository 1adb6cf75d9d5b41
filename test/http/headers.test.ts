import { afterAll, describe, expect, test } from 'bun:test'
import { createHttpServer } from '../../src/http/server.ts'
import { openTestService } from '../support/test-service.ts'
import { words } from '../support/words.ts'

const service = openTestService({ FIELDSTONE_BASE_URL: 'https://fieldstone.example' })
afterAll(service.close)
const { run_id } = (await (
  await service.post('/v1/runs', {
    kind: 'fetch_batch',
    request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['geohash'] },
  })
).json()) as { run_id: string }

const pathOf = (template: string) => template.replace(':run_id', run_id).replace(/:\w+/g, 'x')
const routes = createHttpServer(service.app).routes.map(
  ({ method, path }) => [method === 'ALL' ? 'GET' : method, pathOf(path)] as const,
)
const nowhere = [
  ['GET', '/nothing'],
  ['GET', '/v1/nothing'],
  ['PUT', '/v1/fetch'],
  ['PUT', '/sign-in'],
  ['GET', '/runs/a/b'],
] as const

/** Returns the response headers of a request by the owner. */
async function headersOf(method: string, path: string, headers: Record<string, string> = {}): Promise<Headers> {
  const response = await service.send(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: '{}' }),
  })
  await response.body?.cancel()
  return response.headers
}

const isHtml = (headers: Headers) => headers.get('content-type')?.startsWith('text/html') ?? false
const policyOf = (headers: Headers) =>
  new Map(
    (headers.get('content-security-policy') ?? '')
      .split(';')
      .map((part) => part.trim().split(/ (.*)/s) as [string, string]),
  )

test('the routes are those of the API, the pages and sign-in', () => expect(routes.length).toBeGreaterThan(50))

describe('every response:', () => {
  test.each([...routes, ...nowhere])('%s %s is not sniffed as another type', async (method, path) =>
    expect((await headersOf(method, path)).get('x-content-type-options')).toBe('nosniff'),
  )

  test.each([...routes, ...nowhere])(
    '%s %s, if it is a page, has no inline script, no other origin, no framing and no referrer',
    async (method, path) => {
      const headers = await headersOf(method, path)
      if (!isHtml(headers)) return
      const policy = policyOf(headers)
      expect(policy.get('default-src')).toBe("'none'")
      expect(policy.get('frame-ancestors')).toBe("'none'")
      expect(policy.get('base-uri')).toBe("'none'")
      expect(policy.get('script-src') ?? "'none'").toMatch(/^'(none|self)'$/)
      expect(headers.get('referrer-policy')).toMatch(/^(same-origin|no-referrer)$/)
    },
  )

  test.each([...routes, ...nowhere])(
    '%s %s, if it is a page with an inline style, allows exactly that style',
    async (method, path) => {
      const response = await service.send(path, { method })
      const allowed = /^'sha256-(.*)'$/.exec(policyOf(response.headers).get('style-src') ?? '')
      const body = await response.text()
      if (!isHtml(response.headers) || !allowed) return
      const [, style] = /<style>([^]*)<\/style>/.exec(body)!
      expect(new Bun.CryptoHasher('sha256').update(style!).digest('base64')).toBe(allowed[1]!)
    },
  )

  test('the pages are among the routes', async () => {
    const html = await Promise.all(
      routes.map(async ([method, path]) => [path, isHtml(await headersOf(method, path))] as const),
    )
    for (const path of words`
      / /areas /ask /catalog /coverage /sources /account /sign-in /device /oauth/authorize /v1/docs
    `)
      expect(html.find(([it, is]) => it === path && is)).toBeDefined()
  })
})

describe('a page of another site can read nothing:', () => {
  const stranger = { origin: 'https://evil.example', cookie: '' }
  const forAll = [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource/v1',
  ]
  const corsOf = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))
  test.each([...routes, ...nowhere].filter(([, path]) => !forAll.includes(path)))('%s %s', async (method, path) =>
    expect(corsOf(await headersOf(method, path, stranger))).toEqual([]),
  )
  test.each([...new Set(routes.map(([, path]) => path))])(
    'it may not even ask whether it may: OPTIONS %s',
    async (path) => {
      expect(
        corsOf(
          await headersOf('OPTIONS', path, {
            ...stranger,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization',
          }),
        ),
      ).toEqual([])
    },
  )
  test.each(forAll)('except %s, which is public and contains no account data, and never with cookies', async (path) => {
    const headers = await headersOf('GET', path, stranger)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('a page of an origin in FIELDSTONE_CORS_ORIGINS', () => {
  const map = 'https://map.example'
  const open = openTestService({ FIELDSTONE_CORS_ORIGINS: `${map}, https://other.example` })
  afterAll(open.close)
  const path = '/v1/fetch?lat=39.7392&lng=-104.9903&fields=county'
  const corsOf = ({ headers }: Response) =>
    ['allow-origin', 'allow-credentials'].map((name) => headers.get(`access-control-${name}`))

  test('can read the data, and the headers of the interface, without cookies', async () => {
    const response = await open.send(path, { headers: { origin: map } })
    expect([response.status, ...corsOf(response)]).toEqual([200, map, null])
    expect(response.headers.get('vary')).toContain('origin')
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After')
    const rejected = await open.send('/v1/fetch', { headers: { origin: map } })
    expect([rejected.status, ...corsOf(rejected)]).toEqual([422, map, null])
  })

  test('may ask before it sends a token', async () => {
    const headers = {
      origin: map,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
      authorization: '',
    }
    const response = await open.send('/v1/fetch', { method: 'OPTIONS', headers })
    expect([response.status, ...corsOf(response)]).toEqual([204, map, null])
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
  })

  test('can read no page and no sign-in, and pages of other origins nothing', async () => {
    for (const closed of ['/', '/sign-in', '/oauth/authorize'])
      expect(corsOf(await open.send(closed, { headers: { origin: map } }))).toEqual([null, null])
    expect(corsOf(await open.send(path, { headers: { origin: 'https://evil.example' } }))).toEqual([null, null])
  })
})

describe('a response for one account is not cached:', () => {
  const isOpen = (path: string) =>
    /^\/(healthz|readyz|$|areas$|ask$|runs|catalog|coverage$|sources$|account|assets|guide|v1\/(meta|docs|openapi)|\.well-known)/.test(
      path,
    )
  // GET /v1/fetch has no caching headers. A response to a request with a token is not cached by its default.
  const requested = routes.filter(([method, path]) => method === 'GET' && !isOpen(path) && path !== '/v1/fetch')
  test.each([...requested, ['GET', '/v1/runs/run_x'], ['GET', '/v1/users/me/nothing']] as const)(
    '%s %s',
    async (method, path) =>
      expect((await headersOf(method, path)).get('cache-control')).toMatch(/\bno-store\b|^private, no-cache$/),
  )
  test('the list of these routes is not empty', () => expect(requested.length).toBeGreaterThan(12))
  test('a new token', async () => {
    const made = await service.post('/v1/users/me/tokens', { name: 'one', scopes: ['fetch'] })
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
  })
})
