import { encodeBody, encodings, type Encoding } from '../upstreams/encodings.ts'
import { respondWith, respondEndlessly, writeMessage, type RespondRaw } from './fault-server.ts'

/** The status line of a successful response. */
export const okStatusLine = 'HTTP/1.1 200 OK\n'
export const jsonHeaders = { 'Content-Type': 'application/json' }
/** A compressed JSON object with 50,000 letters. */
export const gzippedJson = Bun.gzipSync(Buffer.from(JSON.stringify({ a: 'a'.repeat(50_000) })))
const bomb = Bun.gzipSync(Buffer.alloc(256 * 1024 * 1024))
const wrongChecksum = gzippedJson.with(gzippedJson.length - 8, gzippedJson.at(-8)! ^ 1)
/** A correct response with an encoding that was not requested. */
const encoded = (encoding: Encoding): RespondRaw =>
  respondWith(encodeBody(Buffer.from('{"a": 1}'), encoding), 200, { ...jsonHeaders, 'Content-Encoding': encoding })

/** Faulty responses by name, each with the expected error code. */
export const faultyResponses: Record<string, [RespondRaw, string]> = {
  'a reset': [(socket) => socket.terminate(), 'connection_failed, retryable'],
  'a close without a byte': [(socket) => socket.end(), 'connection_failed, retryable'],
  'a reset within the body': [
    (socket) => {
      writeMessage(socket, `${okStatusLine}Content-Length: 100\n\n{"a":`)
      socket.flush()
      setImmediate(() => socket.terminate())
    },
    'connection_failed, retryable',
  ],
  'a Content-Length that is too large': [
    (socket) => {
      writeMessage(socket, `${okStatusLine}Content-Length: 100\n\n{"a": 1}`)
      socket.end()
    },
    'connection_failed, retryable',
  ],
  'chunks without a final chunk': [
    (socket) => {
      writeMessage(socket, `${okStatusLine}Transfer-Encoding: chunked\n\n9\n{"a":`)
      socket.end()
    },
    'connection_failed, retryable',
  ],
  garbage: [
    (socket) => {
      writeMessage(socket, '\u0000\u0001 not of this world\n\n')
      socket.end()
    },
    'bad_response, retryable',
  ],
  'a different protocol': [
    (socket) => {
      writeMessage(socket, 'SSH-2.0-OpenSSH_9.6\n')
      socket.end()
    },
    'bad_response, retryable',
  ],
  'a bad chunk': [
    (socket) => writeMessage(socket, `${okStatusLine}Transfer-Encoding: chunked\n\nzz\nab\n`),
    'bad_response, retryable',
  ],
  'a body that is not gzip': [respondWith('not gzip', 200, { 'Content-Encoding': 'gzip' }), 'bad_response, retryable'],
  'truncated gzip': [
    respondWith(gzippedJson.subarray(0, -30), 200, { 'Content-Encoding': 'gzip' }),
    'bad_response, retryable',
  ],
  'gzip with a wrong checksum': [
    respondWith(wrongChecksum, 200, { 'Content-Encoding': 'gzip' }),
    'bad_response, retryable',
  ],
  'gzip with trailing bytes': [
    respondWith(Buffer.concat([gzippedJson, Buffer.from('more')]), 200, { 'Content-Encoding': 'gzip' }),
    'bad_response, retryable',
  ],
  'gzip with a Content-Length that is too small': [
    respondWith(gzippedJson, 200, { 'Content-Encoding': 'gzip', 'Content-Length': String(gzippedJson.length - 1) }),
    'bad_response, retryable',
  ],
  'gzip with a Content-Length that is too large': [
    (socket, request) => {
      respondWith(gzippedJson, 200, { 'Content-Encoding': 'gzip', 'Content-Length': String(gzippedJson.length + 1) })(
        socket,
        request,
      )
      socket.end()
    },
    'connection_failed, retryable',
  ],
  'an empty body with Content-Encoding gzip': [
    respondWith('', 200, { ...jsonHeaders, 'Content-Encoding': 'gzip' }),
    'bad_response, retryable',
  ],
  ...Object.fromEntries(
    encodings
      .filter((encoding) => encoding !== 'gzip')
      .map((encoding) => [
        `JSON in ${encoding}`,
        [encoded(encoding), 'bad_response, retryable'] satisfies [RespondRaw, string],
      ]),
  ),
  'JSON in an unknown encoding': [
    respondWith('{"a": 1}', 200, { ...jsonHeaders, 'Content-Encoding': 'utf-8' }),
    'bad_response, retryable',
  ],
  'two Content-Lengths': [
    (socket) => writeMessage(socket, `${okStatusLine}Content-Length: 3\nContent-Length: 5\n\nabcde`),
    'bad_response, retryable',
  ],
  'endless headers': [respondEndlessly(`${okStatusLine}X-Long: `), 'bad_response, retryable'],
  'too many headers': [
    (socket) =>
      writeMessage(
        socket,
        `${okStatusLine}${Array.from({ length: 3000 }, (_none, i) => `X-${i}: a\n`).join('')}Content-Length: 2\n\n{}`,
      ),
    'bad_response, retryable',
  ],
  'truncated JSON': [respondWith('{"a": [1, 2', 200, jsonHeaders), 'bad_response, retryable'],
  'NaN in JSON': [respondWith('{"a": NaN}', 200, jsonHeaders), 'bad_response, retryable'],
  'an HTML page': [
    respondWith('<!doctype html><p>Down for maintenance', 200, { 'Content-Type': 'text/html' }),
    'bad_response, retryable',
  ],
  'an HTML page with the content type of JSON': [
    respondWith('\n <html></html>', 200, jsonHeaders),
    'bad_response, retryable',
  ],
  'JSON with the content type of HTML': [
    respondWith('5', 200, { 'Content-Type': 'text/html; charset=utf-8' }),
    'bad_response, retryable',
  ],
  'an empty body': [respondWith('', 200, jsonHeaders), 'bad_response, retryable'],
  'a body of whitespace': [respondWith(' \n', 200, jsonHeaders), 'bad_response, retryable'],
  '204': [(socket) => writeMessage(socket, 'HTTP/1.1 204 No Content\n\n'), 'bad_response, retryable'],
  'deeply nested JSON': [
    respondWith('['.repeat(200_000) + ']'.repeat(200_000), 200, jsonHeaders),
    'bad_response, retryable',
  ],
  'an unexpected 304': [respondWith('', 304), 'bad_response, retryable'],
  '500': [respondWith('{}', 500), 'upstream_5xx, retryable'],
  '502': [respondWith('{}', 502), 'upstream_5xx, retryable'],
  '503': [respondWith('{}', 503), 'upstream_5xx, retryable'],
  '504': [respondWith('{}', 504), 'upstream_5xx, retryable'],
  '429': [respondWith('{}', 429), 'rate_limited, retryable'],
  '400': [respondWith('{}', 400), 'upstream_rejected'],
  '401': [respondWith('{}', 401), 'upstream_rejected'],
  '403': [respondWith('{}', 403), 'upstream_rejected'],
  '404': [respondWith('{}', 404), 'upstream_rejected'],
  'an endless body': [respondEndlessly(`${okStatusLine}\n`), 'too_large'],
  'an endless chunked body': [respondEndlessly(`${okStatusLine}Transfer-Encoding: chunked\n\nfffffff\n`), 'too_large'],
  'a Content-Length beyond the cap': [
    (socket) => writeMessage(socket, `${okStatusLine}Content-Length: 99999999999\n\n`),
    'too_large',
  ],
  'a gzip bomb': [respondWith(bomb, 200, { 'Content-Encoding': 'gzip' }), 'too_large'],
}

/** Responses that never end, which time out. */
export const hangingResponses: Record<string, RespondRaw> = {
  hang: () => {},
  'slow-header': (socket) => writeMessage(socket, `${okStatusLine}X-Slow: `),
  'slow-body': (socket) => writeMessage(socket, `${okStatusLine}Content-Length: 100\n\n{"a":`),
  drip: (socket) => writeMessage(socket, `${okStatusLine}Transfer-Encoding: chunked\n\n1\n{\n`),
  'endless-100': (socket) => writeMessage(socket, 'HTTP/1.1 100 Continue\n\nHTTP/1.1 100 Continue\n\n'),
}
