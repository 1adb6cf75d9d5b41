import { encode, encodings, type Encoding } from '../upstreams/encodings.ts'
import { answer, endless, say, type Misbehave } from './fault-server.ts'

/** The first line of an answer that means well. */
export const ok = 'HTTP/1.1 200 OK\n'
export const json = { 'Content-Type': 'application/json' }
/** An object of 50,000 letters, packed. */
export const packed = Bun.gzipSync(Buffer.from(JSON.stringify({ a: 'a'.repeat(50_000) })))
const bomb = Bun.gzipSync(Buffer.alloc(256 * 1024 * 1024))
const wrongChecksum = packed.with(packed.length - 8, packed.at(-8)! ^ 1)
/** An answer that is right but for its encoding. */
const encoded = (encoding: Encoding): Misbehave =>
  answer(encode(Buffer.from('{"a": 1}'), encoding), 200, { ...json, 'Content-Encoding': encoding })

/** What a server does wrong, row by row, and what it is called. */
export const broken: Record<string, [Misbehave, string]> = {
  'a reset': [(socket) => socket.terminate(), 'connection_failed, retryable'],
  'a close without a byte': [(socket) => socket.end(), 'connection_failed, retryable'],
  'a reset within the body': [
    (socket) => {
      say(socket, `${ok}Content-Length: 100\n\n{"a":`)
      socket.flush()
      setImmediate(() => socket.terminate())
    },
    'connection_failed, retryable',
  ],
  'a Content-Length that is too long': [
    (socket) => {
      say(socket, `${ok}Content-Length: 100\n\n{"a": 1}`)
      socket.end()
    },
    'connection_failed, retryable',
  ],
  'chunks without their end': [
    (socket) => {
      say(socket, `${ok}Transfer-Encoding: chunked\n\n9\n{"a":`)
      socket.end()
    },
    'connection_failed, retryable',
  ],
  garbage: [
    (socket) => {
      say(socket, '\u0000\u0001 not of this world\n\n')
      socket.end()
    },
    'bad_response, retryable',
  ],
  'another protocol': [
    (socket) => {
      say(socket, 'SSH-2.0-OpenSSH_9.6\n')
      socket.end()
    },
    'bad_response, retryable',
  ],
  'a bad chunk': [(socket) => say(socket, `${ok}Transfer-Encoding: chunked\n\nzz\nab\n`), 'bad_response, retryable'],
  'a body that is not gzip': [answer('not gzip', 200, { 'Content-Encoding': 'gzip' }), 'bad_response, retryable'],
  'half a gzip': [answer(packed.subarray(0, -30), 200, { 'Content-Encoding': 'gzip' }), 'bad_response, retryable'],
  'a gzip with a wrong checksum': [
    answer(wrongChecksum, 200, { 'Content-Encoding': 'gzip' }),
    'bad_response, retryable',
  ],
  'a gzip with bytes after its end': [
    answer(Buffer.concat([packed, Buffer.from('more')]), 200, { 'Content-Encoding': 'gzip' }),
    'bad_response, retryable',
  ],
  'a gzip with a Content-Length that is too short': [
    answer(packed, 200, { 'Content-Encoding': 'gzip', 'Content-Length': String(packed.length - 1) }),
    'bad_response, retryable',
  ],
  'a gzip with a Content-Length that is too long': [
    (socket, request) => {
      answer(packed, 200, { 'Content-Encoding': 'gzip', 'Content-Length': String(packed.length + 1) })(socket, request)
      socket.end()
    },
    'connection_failed, retryable',
  ],
  'an empty body that is called gzip': [
    answer('', 200, { ...json, 'Content-Encoding': 'gzip' }),
    'bad_response, retryable',
  ],
  ...Object.fromEntries(
    encodings
      .filter((encoding) => encoding !== 'gzip')
      .map((encoding) => [
        `JSON in ${encoding}`,
        [encoded(encoding), 'bad_response, retryable'] satisfies [Misbehave, string],
      ]),
  ),
  'JSON in an encoding that nobody knows': [
    answer('{"a": 1}', 200, { ...json, 'Content-Encoding': 'utf-8' }),
    'bad_response, retryable',
  ],
  'two Content-Lengths': [
    (socket) => say(socket, `${ok}Content-Length: 3\nContent-Length: 5\n\nabcde`),
    'bad_response, retryable',
  ],
  'headers without end': [endless(`${ok}X-Long: `), 'bad_response, retryable'],
  'too many headers': [
    (socket) =>
      say(socket, `${ok}${Array.from({ length: 3000 }, (_none, i) => `X-${i}: a\n`).join('')}Content-Length: 2\n\n{}`),
    'bad_response, retryable',
  ],
  'JSON cut off': [answer('{"a": [1, 2', 200, json), 'bad_response, retryable'],
  'NaN in JSON': [answer('{"a": NaN}', 200, json), 'bad_response, retryable'],
  'a page of HTML': [
    answer('<!doctype html><p>Down for maintenance', 200, { 'Content-Type': 'text/html' }),
    'bad_response, retryable',
  ],
  'a page that says it is JSON': [answer('\n <html></html>', 200, json), 'bad_response, retryable'],
  'a number that says it is a page': [
    answer('5', 200, { 'Content-Type': 'text/html; charset=utf-8' }),
    'bad_response, retryable',
  ],
  'an empty body': [answer('', 200, json), 'bad_response, retryable'],
  'a body of blanks': [answer(' \n', 200, json), 'bad_response, retryable'],
  '204': [(socket) => say(socket, 'HTTP/1.1 204 No Content\n\n'), 'bad_response, retryable'],
  'deep JSON': [answer('['.repeat(200_000) + ']'.repeat(200_000), 200, json), 'bad_response, retryable'],
  '304 that nobody asked for': [answer('', 304), 'bad_response, retryable'],
  '500': [answer('{}', 500), 'upstream_5xx, retryable'],
  '502': [answer('{}', 502), 'upstream_5xx, retryable'],
  '503': [answer('{}', 503), 'upstream_5xx, retryable'],
  '504': [answer('{}', 504), 'upstream_5xx, retryable'],
  '429': [answer('{}', 429), 'rate_limited, retryable'],
  '400': [answer('{}', 400), 'upstream_rejected'],
  '401': [answer('{}', 401), 'upstream_rejected'],
  '403': [answer('{}', 403), 'upstream_rejected'],
  '404': [answer('{}', 404), 'upstream_rejected'],
  'an endless body': [endless(`${ok}\n`), 'too_large'],
  'an endless body in chunks': [endless(`${ok}Transfer-Encoding: chunked\n\nfffffff\n`), 'too_large'],
  'a body said to be too long': [(socket) => say(socket, `${ok}Content-Length: 99999999999\n\n`), 'too_large'],
  'a bomb of gzip': [answer(bomb, 200, { 'Content-Encoding': 'gzip' }), 'too_large'],
}

/** What never comes to an end: by the clock, a time-out. */
export const slow: Record<string, Misbehave> = {
  hang: () => {},
  'slow-header': (socket) => say(socket, `${ok}X-Slow: `),
  'slow-body': (socket) => say(socket, `${ok}Content-Length: 100\n\n{"a":`),
  drip: (socket) => say(socket, `${ok}Transfer-Encoding: chunked\n\n1\n{\n`),
  'endless-100': (socket) => say(socket, 'HTTP/1.1 100 Continue\n\nHTTP/1.1 100 Continue\n\n'),
}
