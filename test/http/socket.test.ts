import { connect } from 'node:net'
import { afterAll, describe, expect, test } from 'bun:test'
import { createConformanceCheck, withoutReferences, type OpenApi } from './conformance.ts'
import { openRawService, type RawAnswer } from './socket.ts'

const listening = await openRawService()
afterAll(listening.close)

const { testService: service, port, answerTo } = listening
const origin = `http://localhost:${port}`
const authorization = `Bearer ${service.token}`
const document = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as OpenApi
const conforms = createConformanceCheck(withoutReferences(document))
const body = '{"lat":39.7392,"lng":-104.9903,"fields":["county"]}'

/** Returns the bytes of a request: its first line, headers and body. */
const bytes = (line: string, headers: string[] = [], rest = '') =>
  [
    line,
    'Host: localhost',
    `Authorization: ${authorization}`,
    'Content-Type: application/json',
    ...headers,
    '',
    rest,
  ].join('\r\n')
const errorOf = ({ status, body: text }: RawAnswer) => [
  status,
  (JSON.parse(text) as { detail: { error: string } }).detail.error,
]

describe('over a real socket the responses are the same', () => {
  const requests = [
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/v1/meta/fields', 200],
    ['GET', '/v1/meta/sources', 200],
    ['GET', '/v1/meta/limits', 200],
    ['GET', '/v1/docs', 200],
    ['GET', '/v1/docs/swagger-ui.css', 200],
    ['GET', '/v1/openapi.json', 200],
    ['HEAD', '/v1/meta/limits', 200],
    ['HEAD', '/v1/lookup', 405],
    ['OPTIONS', '/v1/fetch', 405],
    ['OPTIONS', '/v1/meta/limits', 405],
    ['PUT', '/healthz', 405],
    ['GET', '/v1/nothing', 404],
    ['POST', '/v1/fetch', 200],
    ['POST', '/v1/fetch/', 200],
    ['POST', '/v1/fetch/batch', 422],
  ] as const
  test.each(requests)('%s %s is %d', async (method, path, status) => {
    const headers = { authorization, 'accept-encoding': 'identity', 'content-type': 'application/json' }
    const response = await fetch(`${origin}${path}`, { method, headers, ...(method === 'POST' ? { body } : {}) })
    expect(response.status).toBe(status)
    await conforms(method, path, response)
  })

  test('a compressed response decodes to the same document', async () => {
    const plain = await (await fetch(`${origin}/v1/meta/fields`, { headers: { 'accept-encoding': 'identity' } })).text()
    expect(await (await fetch(`${origin}/v1/meta/fields`, { headers: { 'accept-encoding': 'gzip' } })).text()).toBe(
      plain,
    )
  })
})

describe('a raw request', () => {
  test.each([
    ['evil.example', 'localhost'],
    ['localhost', 'evil.example'],
    ['localhost', 'localhost'],
  ])('with the Hosts %s and %s is bad_request, 400', async (one, other) => {
    expect(errorOf(await answerTo(`GET /healthz HTTP/1.1\r\nHost: ${one}\r\nHost: ${other}\r\n\r\n`))).toEqual([
      400,
      'bad_request',
    ])
  })

  test('without a Host is 400, or 421 where HTTP/1.0 allows it', async () => {
    expect((await answerTo('GET /healthz HTTP/1.1\r\n\r\n')).status).toBe(400)
    expect(errorOf(await answerTo('GET /healthz HTTP/1.0\r\n\r\n'))).toEqual([421, 'host_not_allowed'])
  })

  const refused = [
    ['TRACE', 'TRACE /v1/lookup HTTP/1.1', 'POST'],
    ['CONNECT', 'CONNECT localhost:80 HTTP/1.1', 'GET, HEAD'],
    ['PROPFIND', 'PROPFIND /v1/meta/limits HTTP/1.1', 'GET, HEAD'],
  ] as const
  test.each(refused)('of method %s is 405 with Allow', async (_name, line, allow) => {
    const answer = await answerTo(bytes(line))
    expect(errorOf(answer)).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')).toBe(allow)
  })

  const smuggled = [
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
    ['a negative length', ['Content-Length: -1'], ''],
    ['a length that is no number', ['Content-Length: 2x'], '{}'],
    ['a folded header', ['X-A: b\r\n c'], ''],
    ['NUL in a header', ['X-A: \u0000'], ''],
  ] as const
  test.each(smuggled)('with %s is 400', async (_name, headers, rest) =>
    expect((await answerTo(bytes('POST /v1/fetch HTTP/1.1', [...headers], rest))).status).toBe(400),
  )

  const paths = [
    '/v1/docs/../../../etc/passwd',
    '/v1/docs/%00',
    '/v1/docs/%2e%2e%2f%2e%2e%2fetc/passwd',
    '/\u00ff\u00fe',
    '/v1/docs/..\\..\\etc',
    '/%',
    '/%zz',
    '/?%zz=%',
    '/v1/docs/swagger-ui.css/../../x',
    '/;a=b',
    '/.git/config',
  ]
  test.each(paths)('for %s is not found, or the start page', async (path) => {
    const { status } = await answerTo(bytes(`GET ${path} HTTP/1.1`))
    expect(status).toBe(path.startsWith('/?') ? 200 : 404)
  })
})

describe('a body that is too large', () => {
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  test('is 413 when it is chunked and never ends', async () => {
    const answer = await answerTo(bytes('POST /v1/fetch HTTP/1.1', ['Transfer-Encoding: chunked'], chunk.repeat(17)))
    expect(errorOf(answer)).toEqual([413, 'body_too_large'])
  })

  test('is 200 when its chunks are below 1 MiB', async () => {
    const answer = await answerTo(
      bytes(
        'POST /v1/fetch HTTP/1.1',
        ['Transfer-Encoding: chunked'],
        `${chunk.repeat(15)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
    )
    expect(answer.status).toBe(200)
  })

  test.each([1_048_577, 40 * 1_048_576 + 1, 200_000_000, 5_000_000_000])(
    'is 413 at once for a Content-Length of %d',
    async (size) => {
      const answer = await answerTo(bytes('POST /v1/fetch HTTP/1.1', [`Content-Length: ${size}`], '{'))
      expect(errorOf(answer)).toEqual([413, 'body_too_large'])
      expect(answer.headers.get('x-catalog-version')).toBe(service.app.catalog.version)
    },
  )
})

describe('a client that disconnects', () => {
  const hungUp = (request: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request, () => socket.destroy()))
      socket.on('close', () => resolve())
    })

  const halves = [
    ['a length', ['Content-Length: 100'], '{"lat'],
    ['chunks', ['Transfer-Encoding: chunked'], '5\r\n{"lat\r\n'],
  ] as const
  test.each(halves)('in the middle of a body with %s is not an error', async (_name, headers, rest) => {
    await hungUp(bytes('POST /v1/fetch HTTP/1.1', [...headers], rest))
    const answer = await fetch(`${origin}/v1/fetch`, {
      method: 'POST',
      body,
      headers: { authorization, 'content-type': 'application/json' },
    })
    expect([answer.status, service.logged]).toEqual([200, []])
  })
})
