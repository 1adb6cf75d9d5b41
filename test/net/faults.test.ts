import { afterAll, describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../src/model/error.ts'
import { respondWith, respondEndlessly, openFaultServer, type RespondRaw } from './fault-server.ts'
import { faultyResponses, jsonHeaders, okStatusLine, gzippedJson, hangingResponses } from './faulty-responses.ts'
import { settledResult, noTimeout, openTestClient } from './test-client.ts'

const sound: Record<string, [RespondRaw, unknown]> = {
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
  'what is named identity': [
    respondWith('{"a": 1}', 200, { ...jsonHeaders, 'Content-Encoding': 'identity' }),
    { a: 1 },
  ],
  'an encoding without a name': [respondWith('{"a": 1}', 200, { ...jsonHeaders, 'Content-Encoding': '' }), { a: 1 }],
  '1e309, which the field judges': [respondWith('[1e309]', 200, jsonHeaders), [Infinity]],
  'brackets within strings': [
    respondWith(JSON.stringify({ a: `\\"${'['.repeat(500)}` }), 200, jsonHeaders),
    { a: `\\"${'['.repeat(500)}` },
  ],
  'one hundred and fifty levels': [
    respondWith(`${'['.repeat(150)}${']'.repeat(150)}`),
    JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`) as unknown,
  ],
  null: [respondWith('null'), null],
}

const pathOf = (name: string) => encodeURIComponent(name.replaceAll(' ', '-'))
const server = openFaultServer(
  Object.fromEntries(
    [...Object.entries(faultyResponses), ...Object.entries(sound)].map(([name, [row]]) => [pathOf(name), row]),
  ),
)
afterAll(() => server.close())
const to = (name: string, more = {}) => ({ url: `https://gis.example.gov/${pathOf(name)}?token=sesame`, ...more })

describe('what a server does is named for what it is, and nothing else is said of the address than the host:', () => {
  for (const [name, [, expected]] of Object.entries(faultyResponses)) {
    test(`${name} is ${expected}`, async () => {
      const { net } = openTestClient({ mirror: server.mirror })
      const error: unknown = await net.fetchJson(to(name), noTimeout).catch((fault: unknown) => fault)
      expect(await settledResult(Promise.reject(error as Error))).toBe(expected)
      expect((error as UpstreamError).message).toContain('gis.example.gov')
      expect(Bun.inspect(error) + String((error as UpstreamError).cause)).not.toContain('sesame')
    })
  }
})

describe('what is sound is read:', () => {
  for (const [name, [, expected]] of Object.entries(sound)) {
    test(name, async () =>
      expect(await openTestClient({ mirror: server.mirror }).net.fetchJson(to(name), noTimeout)).toEqual(expected),
    )
  }
})

test('a port where nobody listens is connection_failed', async () => {
  const closed = openFaultServer({})
  closed.close()
  expect(await settledResult(openTestClient({ mirror: closed.mirror }).net.send(to('any'), noTimeout))).toBe(
    'connection_failed, retryable',
  )
})

test('a name that does not exist is connection_failed, behind a mirror and without one', async () => {
  // A label of 64 letters is none that can exist: the resolver says so without asking anybody.
  const nobody = `${'a'.repeat(64)}.invalid`
  expect(await settledResult(openTestClient({ mirror: `http://${nobody}` }).net.send(to('any'), noTimeout))).toBe(
    'connection_failed, retryable',
  )
  expect(await settledResult(openTestClient({ mirror: null }).net.send({ url: `https://${nobody}/` }, noTimeout))).toBe(
    'connection_failed, retryable',
  )
})

test('what is no address is unsupported_request', async () => {
  expect(await settledResult(openTestClient({ mirror: null }).net.send({ url: 'no address' }, noTimeout))).toBe(
    'unsupported_request',
  )
})

test('the cap is that of the call, to the byte, and the connection is ended', async () => {
  const ten = openFaultServer({ ten: respondWith('0123456789'), endless: respondEndlessly(`${okStatusLine}\n`) })
  const { net } = openTestClient({ mirror: ten.mirror })
  expect(await net.fetchText({ url: 'https://a.gov/ten', cap_bytes: 10 }, noTimeout)).toBe('0123456789')
  expect(await settledResult(net.fetchText({ url: 'https://a.gov/ten', cap_bytes: 9 }, noTimeout))).toBe('too_large')
  const gone = ten.gone.length
  expect(await settledResult(net.fetchText({ url: 'https://a.gov/endless', cap_bytes: 100_000 }, noTimeout))).toBe(
    'too_large',
  )
  await ten.until(() => ten.gone.length > gone)
  ten.close()
})

test('a status that the caller reads comes back with its body, and counts as an answer', async () => {
  const { net } = openTestClient({ mirror: server.mirror })
  const reply = await net.send(to('404', { acceptedStatuses: [404] }), noTimeout)
  expect([reply.status, new TextDecoder().decode(reply.bytes)]).toEqual([404, '{}'])
  expect(await net.fetchJson(to('500', { acceptedStatuses: [500] }), noTimeout)).toEqual({})
  expect(await settledResult(net.send(to('403', { acceptedStatuses: [404] }), noTimeout))).toBe('upstream_rejected')
})

test('text is read in the encoding that is named, and without its byte order mark', async () => {
  const old = openFaultServer({ latin: respondWith(Buffer.from('Ca\xf1on', 'latin1')), mark: respondWith('\uFEFFid') })
  const { net } = openTestClient({ mirror: old.mirror })
  expect(await net.fetchText({ url: 'https://a.gov/latin', encoding: 'windows-1252' }, noTimeout)).toBe('Cañon')
  expect(await net.fetchText({ url: 'https://a.gov/latin' }, noTimeout)).toBe('Ca\uFFFDon')
  expect(await net.fetchText({ url: 'https://a.gov/mark' }, noTimeout)).toBe('id')
  old.close()
})

test('method, body, headers and who asks are sent', async () => {
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

describe('when the time is up,', () => {
  const given: [string, () => unknown, string][] = [
    ['by the clock', () => new DOMException('The operation timed out.', 'TimeoutError'), 'timeout, retryable'],
    [
      'by a budget further up',
      () => new UpstreamError('timeout', 'There was no answer within 20 s.'),
      'timeout, retryable',
    ],
  ]
  for (const name of Object.keys(hangingResponses)) {
    for (const [how, reason, expected] of given) {
      test(`${how}, ${name} is ${expected}, and the connection is ended`, async () => {
        const waiting = openFaultServer(hangingResponses)
        const { net } = openTestClient({ mirror: waiting.mirror })
        const time = new AbortController()
        const call = settledResult(
          net.fetchJson({ url: `https://a.gov/${name}` }, { signal: AbortSignal.any([time.signal, noTimeout.signal]) }),
        )
        await waiting.until(() => waiting.asked.length > 0)
        time.abort(reason())
        expect(await call).toBe(expected)
        await waiting.until(() => waiting.gone.length > 0)
        expect(waiting.asked).toHaveLength(1)
        waiting.close()
      })
    }
  }

  test('because the client went away, its reason is handed through as it is', async () => {
    const waiting = openFaultServer(hangingResponses)
    const { net } = openTestClient({ mirror: waiting.mirror })
    const client = new AbortController()
    const call = settledResult(net.fetchJson({ url: 'https://a.gov/slow-body' }, client))
    await waiting.until(() => waiting.asked.length > 0)
    const reason = new Error('The client went away.')
    client.abort(reason)
    expect(await call).toBe(reason)
    expect(await settledResult(net.fetchJson({ url: 'https://a.gov/hang' }, client))).toBe(reason)
    expect(waiting.asked).toHaveLength(1)
    waiting.close()
  })

  test('because the service is being stopped, calls under way and later ones are connection_failed', async () => {
    const waiting = openFaultServer(hangingResponses)
    const { net } = openTestClient({ mirror: waiting.mirror })
    const call = settledResult(net.fetchJson({ url: 'https://a.gov/hang' }, noTimeout))
    await waiting.until(() => waiting.asked.length > 0)
    net.close()
    expect(await call).toBe('connection_failed, retryable')
    expect(await settledResult(net.fetchJson({ url: 'https://a.gov/hang' }, noTimeout))).toBe(
      'connection_failed, retryable',
    )
    expect(waiting.asked).toHaveLength(1)
    waiting.close()
  })
})

test('health tells of a host that was asked when it answered last and how fast, and nothing of one that was not', async () => {
  const { net, clock } = openTestClient({ mirror: server.mirror })
  expect(net.health('gis.example.gov')).toBeNull()
  await settledResult(net.fetchJson(to('500'), noTimeout))
  expect(net.health('gis.example.gov')).toEqual({
    host: 'gis.example.gov',
    circuit: 'closed',
    last_success: null,
    latency_ms: null,
  })
  await net.fetchJson(to('gzip'), noTimeout)
  expect(net.health('gis.example.gov')).toEqual({
    host: 'gis.example.gov',
    circuit: 'closed',
    last_success: clock.now(),
    latency_ms: 0,
  })
})
