import { afterAll, describe, expect, test } from 'bun:test'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { words } from '../support/words.ts'

const service = await openHttpService({
  FIELDSTONE_ALLOWED_HOSTS: 'fieldstone.example, Other.Example',
  FIELDSTONE_BASE_URL: 'https://public.example:8443/base',
})
afterAll(service.close)

const body = JSON.stringify({ lat: 39.7392, lng: -104.9903, fields: ['county'] })

describe('the Host header', () => {
  const ours = words`
    localhost LOCALHOST localhost:8080 127.0.0.1 127.0.0.1:1 [::1] [::1]:8080 fieldstone.example other.example:443
    public.example
  `
  test.each(ours)('%s is allowed', async (host) =>
    expect((await service.ask('/healthz', { headers: { host } })).status).toBe(200),
  )

  const foreign = [
    'evil.example',
    'localhost.evil.example',
    'evil.example:8080',
    'fieldstone.example.evil',
    'localhost:80:80',
    'localhost:',
    'localhost:999999',
    '',
    '::1',
    '0.0.0.0',
    '127.0.0.2',
    'localhost@evil.example',
    'evil.example#localhost',
    '__proto__',
    'constructor',
  ]
  test.each(foreign)('%j is rejected with 421', async (host) => {
    const response = await service.ask('/healthz', { headers: { host } })
    expect([response.status, (await detailOf(response)).error]).toEqual([421, 'host_not_allowed'])
  })

  test('is rejected with 400 when there are two', async () => {
    const response = await service.ask('/healthz', { headers: { host: 'localhost, localhost' } })
    expect([response.status, (await detailOf(response)).error]).toEqual([400, 'bad_request'])
  })
})

describe('a path with other methods', () => {
  const get = words`
    / /healthz /readyz /v1/docs /v1/docs/start.js /v1/openapi.json /v1/meta/fields /v1/meta/sources /v1/meta/limits
  `
  const wrong = [
    ...get.flatMap((path) =>
      ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, path, 'GET, HEAD'] as const),
    ),
    ...['PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, '/v1/fetch', 'GET, HEAD, POST'] as const),
    ...['/v1/lookup', '/v1/fetch/batch'].flatMap((path) =>
      ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, path, 'POST'] as const),
    ),
  ]
  test.each(wrong)('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const response = await service.ask(path, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    if (method !== 'HEAD')
      expect(await detailOf(response)).toEqual({
        error: 'method_not_allowed',
        message: expect.any(String),
        retryable: false,
        documentation_url: '/guide/errors#method_not_allowed',
        allow,
      })
  })

  test.each(get)('HEAD %s is GET without its body', async (path) => {
    const [head, whole] = [await service.ask(path, { method: 'HEAD' }), await service.ask(path)]
    expect(await head.text()).toBe('')
    const same = ['content-type', 'etag', 'content-security-policy', 'location']
    expect([head.status, ...same.map((name) => head.headers.get(name))]).toEqual([
      whole.status,
      ...same.map((name) => whole.headers.get(name)),
    ])
  })
})

describe('a slash at the end of a path', () => {
  test.each(['/v1/meta/limits', '/healthz', '/v1/docs', '/v1/runs', '/ogc/collections', '/guide/start', '/areas'])(
    'is ignored: %s/',
    async (path) => {
      const { send } = service.testService
      const [plain, slashed] = [await send(path), await send(`${path}/`)]
      const withoutTime = async (response: Response) => (await response.text()).replace(/"uptime_s":[\d.]+/, '')
      expect([slashed.status, await withoutTime(slashed)]).toEqual([200, await withoutTime(plain)])
    },
  )

  test('is ignored with a query, and the token is required as without', async () => {
    const path = '/v1/fetch/?lat=39.7392&lng=-104.9903&fields=county'
    expect((await service.ask(path)).status).toBe(200)
    expect((await service.ask(path, { headers: { authorization: '' } })).status).toBe(401)
    expect((await service.ask('/v1/meta/fields/', { headers: { authorization: '' } })).status).toBe(200)
    expect((await service.ask('/v1/lookup/', { method: 'DELETE' })).status).toBe(405)
  })
})

describe('an unknown path', () => {
  const nowhere = [
    '/nothing',
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/fetch/batch/x',
    '/v1/docs/index.html',
    '/v1/meta/',
    '/v1/meta/fields/elevation',
    '/V1/FETCH',
    '/v1//fetch',
    '//v1/fetch',
    '/v1/%66etch',
    '/v1/fetch%00',
    '/v1/docs/..%2f..%2fetc/passwd',
    '/v1/docs/%2e%2e/%2e%2e/etc/passwd',
    '/__proto__',
    '/constructor',
    '/toString',
    '/v1/docs/swagger-ui.css.map',
    '/.env',
    '/package.json',
    `/${'x'.repeat(5000)}`,
  ]
  test.each(nowhere)('%s is 404', async (path) => {
    const response = await service.ask(path)
    expect(response.status).toBe(404)
    expect(await detailOf(response)).toEqual({
      error: 'not_found',
      message: expect.any(String),
      retryable: false,
      documentation_url: '/guide/errors#not_found',
    })
  })
})

describe('a body', () => {
  const send = (headers: Record<string, string | null>, bytes: string | Uint8Array<ArrayBuffer> = body) =>
    service.ask('/v1/fetch', { method: 'POST', headers, body: bytes })

  const json = [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"',
    'application/geo+json',
    'application/vnd.api+json',
  ]
  test.each(json)('of type %s is accepted', async (type) =>
    expect((await send({ 'content-type': type })).status).toBe(200),
  )

  const others = [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json, text/plain',
    'json',
    '',
    'application/+json',
  ]
  test.each(others)('of type %j is unsupported_media_type, 415', async (type) => {
    const response = await send({ 'content-type': type })
    expect(response.status).toBe(415)
    expect(await detailOf(response)).toEqual({
      error: 'unsupported_media_type',
      message: expect.any(String),
      retryable: false,
      documentation_url: '/guide/errors#unsupported_media_type',
    })
  })

  test('of no type is 415', async () => {
    const bytes = new TextEncoder().encode(body)
    expect((await send({ 'content-type': null }, bytes)).status).toBe(415)
  })

  test.each(['gzip', 'br', 'zstd', 'identity, gzip', 'x'])(
    'with Content-Encoding %s is 415, also when it is compressed',
    async (encoding) => expect((await send({ 'content-encoding': encoding }, Bun.gzipSync(body))).status).toBe(415),
  )

  test('with Content-Encoding identity is accepted', async () =>
    expect((await send({ 'content-encoding': 'identity' })).status).toBe(200))

  test('whose Content-Length is above 1 MiB is body_too_large, 413, on every route', async () => {
    for (const [method, path] of [
      ['POST', '/v1/fetch'],
      ['POST', '/v1/fetch/batch'],
      ['GET', '/healthz'],
      ['POST', '/nothing'],
    ] as const) {
      const response = await service.ask(path, { method, headers: { 'content-length': '1048577' } })
      expect(response.status).toBe(413)
      expect(await detailOf(response)).toEqual({
        error: 'body_too_large',
        message: expect.any(String),
        retryable: false,
        documentation_url: '/guide/errors#body_too_large',
        max_bytes: 1_048_576,
      })
    }
  })

  const padded = (size: number) => body.padEnd(size, ' ')
  test('of 1 MiB is accepted and one byte more is not, with and without Content-Length', async () => {
    const sizes = [
      [1_048_576, 200],
      [1_048_577, 413],
    ] as const
    for (const [size, status] of sizes) {
      expect((await send({}, padded(size))).status).toBe(status)
      expect((await send({ 'content-length': String(size) }, padded(size))).status).toBe(status)
    }
  })
})
