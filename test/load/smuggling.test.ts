import { connect } from 'node:net'
import { afterAll, describe, expect, test } from 'bun:test'
import { startService } from '../../scripts/soak/service-process.ts'

const it = await startService({ FIELDSTONE_OFFLINE: '1' })
afterAll(it.stop)

const body = '{"lat":39.7392,"lng":-104.9903,"fields":["county"]}'
const size = body.length.toString(16)
const chunks = `${size}\r\n${body}\r\n0\r\n\r\n`
/** The smuggled request. It must never be answered. */
const hidden = 'GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n'

const post = (headers: string[], rest: string) =>
  ['POST /v1/fetch HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...headers, '', rest].join('\r\n')
const measured = (header: string) => post([header, `Content-Length: ${body.length}`], body)
const get = (line: string, headers: string[] = ['Host: localhost']) => [line, ...headers, '', ''].join('\r\n')
const chunked = (rest: string) => post(['Transfer-Encoding: chunked'], rest)
const coded = (coding: string) => post([coding], chunks)

/** Requests that a proxy may parse differently. They are rejected and the connection is closed. */
const refused: Record<string, [status: number, bytes: string]> = {
  'a length and chunks': [400, post([`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'], chunks)],
  'chunks and a length': [400, post(['Transfer-Encoding: chunked', 'Content-Length: 5'], chunks)],
  'two lengths': [400, post(['Content-Length: 5', `Content-Length: ${body.length}`], body)],
  'a list of lengths': [400, post([`Content-Length: ${body.length}, ${body.length}`], body)],
  'a length with a plus': [400, post([`Content-Length: +${body.length}`], body)],
  'a length in sixteens': [400, post(['Content-Length: 0x33'], body)],
  'a negative length': [400, post(['Content-Length: -1'], body)],
  'an empty length': [400, post(['Content-Length: '], body)],
  'a length in two parts': [400, post(['Content-Length: 5 1'], body)],
  'a length beyond 64 bits': [400, post(['Content-Length: 18446744073709551667'], body)],
  'a blank before the colon of a length': [400, post([`Content-Length : ${body.length}`], body)],
  'an unknown coding': [400, coded('Transfer-Encoding: xchunked')],
  'the coding identity': [400, coded('Transfer-Encoding: identity')],
  'two codings': [400, coded('Transfer-Encoding: gzip, chunked')],
  'chunks that are not last': [400, coded('Transfer-Encoding: chunked, identity')],
  'two headers of codings': [400, coded('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity')],
  'chunks twice': [400, coded('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked')],
  'a blank before the colon of a coding': [400, coded('Transfer-Encoding : chunked')],
  'a vertical tab before a coding': [400, coded('Transfer-Encoding: \u000bchunked')],
  'a coding in quotes': [400, coded('Transfer-Encoding: "chunked"')],
  'a coding on a folded line': [400, coded('Transfer-Encoding:\r\n chunked')],
  'chunks in HTTP/1.0': [400, coded('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0')],
  'a folded header': [400, measured('X-A: b\r\n c')],
  'a header folded with a tab': [400, measured('X-A: b\r\n\tc')],
  'a first header that is folded': [400, measured('X-A: b').replace('Host', ' X: y\r\nHost')],
  'bare line feeds': [505, measured('X-A: b').replaceAll('\r\n', '\n')],
  'a bare line feed in a header': [400, measured('X-A: b\nX-B: c')],
  'a bare carriage return in a header': [400, measured('X-A: b\rX-B: c')],
  'NUL in a value': [400, measured('X-A: \0')],
  'NUL in a name': [400, measured('X\0A: b')],
  'NUL in the target': [505, get('GET /heal\0thz HTTP/1.1')],
  'a header without a colon': [400, measured('nonsense')],
  'a header without a name': [400, measured(': x')],
  'a blank in a name': [400, measured('X A: b')],
  'a header of 20,000 letters': [431, measured(`X-A: ${'a'.repeat(20_000)}`)],
  'a target of 20,000 letters': [431, get(`GET /${'a'.repeat(20_000)} HTTP/1.1`)],
  '300 headers': [431, measured(Array.from({ length: 300 }, (_none, i) => `X-${i}: a`).join('\r\n'))],
  'no Host': [400, get('GET /healthz HTTP/1.1', [])],
  'a blank before the colon of Host': [400, get('GET /healthz HTTP/1.1', ['Host : localhost'])],
  'a target that is a star': [400, get('OPTIONS * HTTP/1.1')],
  'a method with a letter beyond ASCII': [505, get('G\u00cbT /healthz HTTP/1.1')],
  'HTTP/2 without being asked': [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'HTTP/1.2': [505, get('GET /healthz HTTP/1.2')],
  'HTTP/9.9': [505, get('GET /healthz HTTP/9.9')],
  'no version': [505, get('GET /healthz')],
  'two blanks in the first line': [400, get('GET  /healthz HTTP/1.1')],
  'tabs in the first line': [505, get('GET\t/healthz\tHTTP/1.1')],
  'a chunk of no number': [400, chunked(`zz\r\n${body}\r\n0\r\n\r\n`)],
  'a chunk of a negative size': [400, chunked(`-1\r\n${body}\r\n0\r\n\r\n`)],
  'a chunk with 0x': [400, chunked(`0x${size}\r\n${body}\r\n0\r\n\r\n`)],
  'a chunk beyond 64 bits': [400, chunked(`fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`)],
  'a bare line feed after a size': [400, chunked(`${size}\n${body}\n0\n\n`)],
  'a bare line feed in an extension': [400, chunked(`${size};a\nb\r\n${body}\r\n0\r\n\r\n`)],
  'a chunk that is longer than its size': [400, chunked(`${size}\r\n${body}XX0\r\n\r\n`)],
  'the greeting of TLS': [400, '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
}

/** Unambiguous requests that are rejected. */
const judged: Record<string, [status: number, bytes: string]> = {
  'two lengths that are the same': [
    400,
    post([`Content-Length: ${body.length}`, `Content-Length: ${body.length}`], body),
  ],
  'two Hosts': [400, get('GET /healthz HTTP/1.1', ['Host: localhost', 'Host: evil.example'])],
  'the same Host twice': [400, get('GET /healthz HTTP/1.1', ['Host: localhost', 'Host: localhost'])],
  'a Host with a name before it': [421, get('GET /healthz HTTP/1.1', ['Host: localhost@evil.example'])],
  'a Host with a path': [421, get('GET /healthz HTTP/1.1', ['Host: localhost/x'])],
  'a foreign Host beside a whole address': [421, get('GET http://localhost/healthz HTTP/1.1', ['Host: evil.example'])],
  TRACE: [405, get('TRACE /healthz HTTP/1.1')],
  'CONNECT to a path': [405, get('CONNECT /healthz HTTP/1.1')],
}

/** Unusual but allowed requests. Each gets one response, and then the next request is answered. */
const sound: Record<string, string> = {
  'a length': measured('X-A: b'),
  'a coding after a tab': coded('Transfer-Encoding:\tchunked'),
  'a coding in large letters': coded('Transfer-Encoding: CHUNKED'),
  'an extension of a chunk': chunked(`${size};a=b\r\n${body}\r\n0\r\n\r\n`),
  'a whole address': get('GET http://localhost/healthz HTTP/1.1'),
  'a body where none is read': get('GET /healthz HTTP/1.1', ['Host: localhost', 'Content-Length: 5']) + 'hello',
  'an offer of another protocol': get('GET /healthz HTTP/1.1', [
    'Host: localhost',
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  ]),
}

describe('an ambiguous request is rejected, and nothing after it is answered:', () => {
  test.each(Object.entries(refused))('%s', async (_name, [status, bytes]) =>
    expect(await statusesOf(bytes)).toEqual([status]),
  )
})

describe('an unambiguous request that is not allowed is rejected:', () => {
  test.each(Object.entries(judged))('%s', async (_name, [status, bytes]) =>
    expect(await statusesOf(bytes)).toEqual([status, 404]),
  )
})

describe('an unusual but allowed request is answered once:', () => {
  test.each(Object.entries(sound))('%s', async (_name, bytes) => expect(await statusesOf(bytes)).toEqual([200, 404]))
})

test.each(['FOO', 'get'])('a method %s that no server has is not answered: the connection is closed', async (method) =>
  expect(await statusesOf(get(`${method} /healthz HTTP/1.1`))).toEqual([]),
)

/** Returns the statuses of all responses to these bytes and the smuggled request after them. */
function statusesOf(bytes: string): Promise<number[]> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(it.url.port), '127.0.0.1', () => socket.write(Buffer.from(bytes + hidden, 'latin1')))
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      text += piece
      if (text.includes('/v1/hidden')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(statuses()))
  })
}
