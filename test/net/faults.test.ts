import { afterAll, describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../src/model/error.ts'
import { respondWith, respondEndlessly, openFaultServer, type RespondRaw } from './fault-server.ts'
import { faultyResponses, jsonHeaders, okStatusLine, gzippedJson, hangingResponses } from './faulty-responses.ts'
import { settledResult, noTimeout, openTestClient } from './test-client.ts'

const validResponses: Record<string, [RespondRaw, unknown]> = {
  'a byte order mark': [respondWith('\uFEFF{"a": 1}', 200, jsonHeaders), { a: 1 }],
  gzip: [respondWith(gzippedJson, 200, { ...jsonHeaders, 'Content-Encoding': 'gzip' }), { a: 'a'.repeat(50_000) }],
  'gzip by its old name': [
    respondWith(gzippedJson, 200, { ...jsonHeaders, 'Content-Encoding': 'X-GZIP' }),
    { a: 'a'.repeat(50_000) },
  ],
  'gzip in two members': [
    respondWith(Buffer.concat([Bun.gzipSync('{"a":'), Bun.gzipSync(' 1}')]), 200, {
      ...jsonHeaders,
      'Content-Encoding': 'gzip',
    }),
    { a: 1 },
  ],
  'the encoding identity': [respondWith('{"a": 1}', 200, { ...jsonHeaders, 'Content-Encoding': 'identity' }), { a: 1 }],
  'an empty encoding': [respondWith('{"a": 1}', 200, { ...jsonHeaders, 'Content-Encoding': '' }), { a: 1 }],
  '1e309, which the field checks': [respondWith('[1e309]', 200, jsonHeaders), [Infinity]],
  'brackets in strings': [
    respondWith(JSON.stringify({ a: `\\"${'['.repeat(500)}` }), 200, jsonHeaders),
    { a: `\\"${'['.repeat(500)}` },
  ],
  '150 levels': [
    respondWith(`${'['.repeat(150)}${']'.repeat(150)}`),
    JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`) as unknown,
  ],
  null: [respondWith('null'), null],
}

const pathOf = (name: string) => encodeURIComponent(name.replaceAll(' ', '-'))
const server = openFaultServer(
  Object.fromEntries(
    [...Object.entries(faultyResponses), ...Object.entries(validResponses)].map(([name, [row]]) => [pathOf(name), row]),
  ),
)
afterAll(() => server.close())
const to = (name: string, more = {}) => ({ url: `https://gis.example.gov/${pathOf(name)}?token=sesame`, ...more })

describe('every fault of a server has its code, and the error names only the host of the URL:', () => {
  for (const [name, [, expected]] of Object.entries(faultyResponses)) {
    test(`${name} is ${expected}`, async () => {
      const { net } = openTestClient({ mirror: server.mirror })
      const error: unknown = await net.fetchJson(to(name), noTimeout).catch((thrown: unknown) => thrown)
      expect(await settledResult(Promise.reject(error as Error))).toBe(expected)
      expect((error as UpstreamError).message).toContain('gis.example.gov')
      expect(Bun.inspect(error) + String((error as UpstreamError).cause)).not.toContain('sesame')
    })
  }
})

describe('valid responses are accepted:', () => {
  for (const [name, [, expected]] of Object.entries(validResponses)) {
    test(name, async () =>
      expect(await openTestClient({ mirror: server.mirror }).net.fetchJson(to(name), noTimeout)).toEqual(expected),
    )
  }
})

test('a closed port is connection_failed', async () => {
  const closed = openFaultServer({})
  closed.close()
  expect(await settledResult(openTestClient({ mirror: closed.mirror }).net.send(to('any'), noTimeout))).toBe(
    'connection_failed, retryable',
  )
})

test('an unknown host name is connection_failed, with and without a mirror', async () => {
  // A label of 64 letters is invalid, so the resolver fails without a network request.
  const unknownHost = `${'a'.repeat(64)}.invalid`
  expect(await settledResult(openTestClient({ mirror: `http://${unknownHost}` }).net.send(to('any'), noTimeout))).toBe(
    'connection_failed, retryable',
  )
  expect(
    await settledResult(openTestClient({ mirror: null }).net.send({ url: `https://${unknownHost}/` }, noTimeout)),
  ).toBe('connection_failed, retryable')
})

test('an invalid URL is unsupported_request', async () => {
  expect(await settledResult(openTestClient({ mirror: null }).net.send({ url: 'no address' }, noTimeout))).toBe(
    'unsupported_request',
  )
})

test('the cap of the call applies to the byte, and the connection is closed', async () => {
  const tenBytes = openFaultServer({ ten: respondWith('0123456789'), endless: respondEndlessly(`${okStatusLine}\n`) })
  const { net } = openTestClient({ mirror: tenBytes.mirror })
  expect(await net.fetchText({ url: 'https://a.gov/ten', cap_bytes: 10 }, noTimeout)).toBe('0123456789')
  expect(await settledResult(net.fetchText({ url: 'https://a.gov/ten', cap_bytes: 9 }, noTimeout))).toBe('too_large')
  const closedBefore = tenBytes.closedConnections.length
  expect(await settledResult(net.fetchText({ url: 'https://a.gov/endless', cap_bytes: 100_000 }, noTimeout))).toBe(
    'too_large',
  )
  await tenBytes.until(() => tenBytes.closedConnections.length > closedBefore)
  tenBytes.close()
})

test('an accepted status is returned with its body and counts as a success', async () => {
  const { net } = openTestClient({ mirror: server.mirror })
  const reply = await net.send(to('404', { acceptedStatuses: [404] }), noTimeout)
  expect([reply.status, new TextDecoder().decode(reply.bytes)]).toEqual([404, '{}'])
  expect(await net.fetchJson(to('500', { acceptedStatuses: [500] }), noTimeout)).toEqual({})
  expect(await settledResult(net.send(to('403', { acceptedStatuses: [404] }), noTimeout))).toBe('upstream_rejected')
})

test('text is decoded in the given encoding, without a byte order mark', async () => {
  const old = openFaultServer({ latin: respondWith(Buffer.from('Ca\xf1on', 'latin1')), mark: respondWith('\uFEFFid') })
  const { net } = openTestClient({ mirror: old.mirror })
  expect(await net.fetchText({ url: 'https://a.gov/latin', encoding: 'windows-1252' }, noTimeout)).toBe('Cañon')
  expect(await net.fetchText({ url: 'https://a.gov/latin' }, noTimeout)).toBe('Ca\uFFFDon')
  expect(await net.fetchText({ url: 'https://a.gov/mark' }, noTimeout)).toBe('id')
  old.close()
})

test('method, body, headers and user agent are sent', async () => {
  let request = ''
  const listener = openFaultServer({
    soil: (socket, text) => {
      request = text
      respondWith('{}')(socket, text)
    },
  })
  await openTestClient({ mirror: listener.mirror }).net.fetchJson(
    {
      url: 'https://sdm.gov/soil',
      method: 'POST',
      body: 'query=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
    noTimeout,
  )
  listener.close()
  expect(request).toStartWith('POST /sdm.gov/soil HTTP/1.1\r\n')
  expect(request.toLowerCase()).toContain('\r\nuser-agent: fieldstone-test\r\n')
  expect(request.toLowerCase()).toContain('\r\ncontent-type: application/x-www-form-urlencoded\r\n')
  expect(request).toEndWith('\r\n\r\nquery=1')
})

describe('on abort,', () => {
  const given: [string, () => unknown, string][] = [
    ['by a timer', () => new DOMException('The operation timed out.', 'TimeoutError'), 'timeout, retryable'],
    [
      'by the budget of the request',
      () => new UpstreamError('timeout', 'There was no answer within 20 s.'),
      'timeout, retryable',
    ],
  ]
  for (const name of Object.keys(hangingResponses)) {
    for (const [how, reason, expected] of given) {
      test(`${how}, ${name} is ${expected}, and the connection is closed`, async () => {
        const waiting = openFaultServer(hangingResponses)
        const { net } = openTestClient({ mirror: waiting.mirror })
        const time = new AbortController()
        const call = settledResult(
          net.fetchJson({ url: `https://a.gov/${name}` }, { signal: AbortSignal.any([time.signal, noTimeout.signal]) }),
        )
        await waiting.until(() => waiting.requestPaths.length > 0)
        time.abort(reason())
        expect(await call).toBe(expected)
        await waiting.until(() => waiting.closedConnections.length > 0)
        expect(waiting.requestPaths).toHaveLength(1)
        waiting.close()
      })
    }
  }

  test('by the client, the abort reason is returned unchanged', async () => {
    const waiting = openFaultServer(hangingResponses)
    const { net } = openTestClient({ mirror: waiting.mirror })
    const client = new AbortController()
    const call = settledResult(net.fetchJson({ url: 'https://a.gov/slow-body' }, client))
    await waiting.until(() => waiting.requestPaths.length > 0)
    const reason = new Error('The client went away.')
    client.abort(reason)
    expect(await call).toBe(reason)
    expect(await settledResult(net.fetchJson({ url: 'https://a.gov/hang' }, client))).toBe(reason)
    expect(waiting.requestPaths).toHaveLength(1)
    waiting.close()
  })

  test('because the service stops, current and later calls are connection_failed', async () => {
    const waiting = openFaultServer(hangingResponses)
    const { net } = openTestClient({ mirror: waiting.mirror })
    const call = settledResult(net.fetchJson({ url: 'https://a.gov/hang' }, noTimeout))
    await waiting.until(() => waiting.requestPaths.length > 0)
    net.close()
    expect(await call).toBe('connection_failed, retryable')
    expect(await settledResult(net.fetchJson({ url: 'https://a.gov/hang' }, noTimeout))).toBe(
      'connection_failed, retryable',
    )
    expect(waiting.requestPaths).toHaveLength(1)
    waiting.close()
  })
})

test('health returns the last success, the latency and the failure of a called host, and null for others', async () => {
  const { net, clock } = openTestClient({ mirror: server.mirror })
  expect(net.health('gis.example.gov')).toBeNull()
  await settledResult(net.fetchJson(to('500'), noTimeout))
  expect(net.health('gis.example.gov')).toEqual({
    host: 'gis.example.gov',
    circuit: 'closed',
    last_success: null,
    latency_ms: null,
    failure: {
      error: 'upstream_5xx: gis.example.gov returned status 500. Expected 200.',
      since: clock.now(),
      next_try: null,
    },
  })
  await net.fetchJson(to('gzip'), noTimeout)
  expect(net.health('gis.example.gov')).toEqual({
    host: 'gis.example.gov',
    circuit: 'closed',
    last_success: clock.now(),
    latency_ms: 0,
    failure: null,
  })
})
