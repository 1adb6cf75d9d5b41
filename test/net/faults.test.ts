import { afterAll, describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../src/model/error.ts'
import { answer, endless, openFaultServer, type Misbehave } from './fault-server.ts'
import { broken, json, ok, packed, slow } from './misbehaviour.ts'
import { fate, patient, wayOut } from './way-out.ts'

const sound: Record<string, [Misbehave, unknown]> = {
  'a byte order mark': [answer('\uFEFF{"a": 1}', 200, json), { a: 1 }],
  gzip: [answer(packed, 200, { ...json, 'Content-Encoding': 'gzip' }), { a: 'a'.repeat(50_000) }],
  'gzip by its old name': [answer(packed, 200, { ...json, 'Content-Encoding': 'X-GZIP' }), { a: 'a'.repeat(50_000) }],
  'gzip in two members': [
    answer(Buffer.concat([Bun.gzipSync('{"a":'), Bun.gzipSync(' 1}')]), 200, { ...json, 'Content-Encoding': 'gzip' }),
    { a: 1 },
  ],
  'what is named identity': [answer('{"a": 1}', 200, { ...json, 'Content-Encoding': 'identity' }), { a: 1 }],
  'an encoding without a name': [answer('{"a": 1}', 200, { ...json, 'Content-Encoding': '' }), { a: 1 }],
  '1e309, which the field judges': [answer('[1e309]', 200, json), [Infinity]],
  'brackets within strings': [
    answer(JSON.stringify({ a: `\\"${'['.repeat(500)}` }), 200, json),
    { a: `\\"${'['.repeat(500)}` },
  ],
  'one hundred and fifty levels': [
    answer(`${'['.repeat(150)}${']'.repeat(150)}`),
    JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`) as unknown,
  ],
  null: [answer('null'), null],
}

const pathOf = (name: string) => encodeURIComponent(name.replaceAll(' ', '-'))
const server = openFaultServer(
  Object.fromEntries([...Object.entries(broken), ...Object.entries(sound)].map(([name, [row]]) => [pathOf(name), row])),
)
afterAll(() => server.close())
const to = (name: string, more = {}) => ({ url: `https://gis.example.gov/${pathOf(name)}?token=sesame`, ...more })

describe('what a server does is named for what it is, and nothing else is said of the address than the host:', () => {
  for (const [name, [, expected]] of Object.entries(broken)) {
    test(`${name} is ${expected}`, async () => {
      const { net } = wayOut({ mirror: server.mirror })
      const error: unknown = await net.fetchJson(to(name), patient).catch((fault: unknown) => fault)
      expect(await fate(Promise.reject(error as Error))).toBe(expected)
      expect((error as UpstreamError).message).toContain('gis.example.gov')
      expect(Bun.inspect(error) + String((error as UpstreamError).cause)).not.toContain('sesame')
    })
  }
})

describe('what is sound is read:', () => {
  for (const [name, [, expected]] of Object.entries(sound)) {
    test(name, async () =>
      expect(await wayOut({ mirror: server.mirror }).net.fetchJson(to(name), patient)).toEqual(expected),
    )
  }
})

test('a port where nobody listens is connection_failed', async () => {
  const closed = openFaultServer({})
  closed.close()
  expect(await fate(wayOut({ mirror: closed.mirror }).net.send(to('any'), patient))).toBe(
    'connection_failed, retryable',
  )
})

test('a name that does not exist is connection_failed, behind a mirror and without one', async () => {
  // A label of 64 letters is none that can exist: the resolver says so without asking anybody.
  const nobody = `${'a'.repeat(64)}.invalid`
  expect(await fate(wayOut({ mirror: `http://${nobody}` }).net.send(to('any'), patient))).toBe(
    'connection_failed, retryable',
  )
  expect(await fate(wayOut({ mirror: null }).net.send({ url: `https://${nobody}/` }, patient))).toBe(
    'connection_failed, retryable',
  )
})

test('what is no address is unsupported_request', async () => {
  expect(await fate(wayOut({ mirror: null }).net.send({ url: 'no address' }, patient))).toBe('unsupported_request')
})

test('the cap is that of the call, to the byte, and the connection is ended', async () => {
  const ten = openFaultServer({ ten: answer('0123456789'), endless: endless(`${ok}\n`) })
  const { net } = wayOut({ mirror: ten.mirror })
  expect(await net.fetchText({ url: 'https://a.gov/ten', cap_bytes: 10 }, patient)).toBe('0123456789')
  expect(await fate(net.fetchText({ url: 'https://a.gov/ten', cap_bytes: 9 }, patient))).toBe('too_large')
  const gone = ten.gone.length
  expect(await fate(net.fetchText({ url: 'https://a.gov/endless', cap_bytes: 100_000 }, patient))).toBe('too_large')
  await ten.until(() => ten.gone.length > gone)
  ten.close()
})

test('a status that the caller reads comes back with its body, and counts as an answer', async () => {
  const { net } = wayOut({ mirror: server.mirror })
  const reply = await net.send(to('404', { acceptedStatuses: [404] }), patient)
  expect([reply.status, new TextDecoder().decode(reply.bytes)]).toEqual([404, '{}'])
  expect(await net.fetchJson(to('500', { acceptedStatuses: [500] }), patient)).toEqual({})
  expect(await fate(net.send(to('403', { acceptedStatuses: [404] }), patient))).toBe('upstream_rejected')
})

test('text is read in the encoding that is named, and without its byte order mark', async () => {
  const old = openFaultServer({ latin: answer(Buffer.from('Ca\xf1on', 'latin1')), mark: answer('\uFEFFid') })
  const { net } = wayOut({ mirror: old.mirror })
  expect(await net.fetchText({ url: 'https://a.gov/latin', encoding: 'windows-1252' }, patient)).toBe('Cañon')
  expect(await net.fetchText({ url: 'https://a.gov/latin' }, patient)).toBe('Ca\uFFFDon')
  expect(await net.fetchText({ url: 'https://a.gov/mark' }, patient)).toBe('id')
  old.close()
})

test('method, body, headers and who asks are sent', async () => {
  let request = ''
  const listener = openFaultServer({
    soil: (socket, text) => {
      request = text
      answer('{}')(socket, text)
    },
  })
  await wayOut({ mirror: listener.mirror }).net.fetchJson(
    {
      url: 'https://sdm.gov/soil',
      method: 'POST',
      body: 'query=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
    patient,
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
  for (const name of Object.keys(slow)) {
    for (const [how, reason, expected] of given) {
      test(`${how}, ${name} is ${expected}, and the connection is ended`, async () => {
        const waiting = openFaultServer(slow)
        const { net } = wayOut({ mirror: waiting.mirror })
        const time = new AbortController()
        const call = fate(
          net.fetchJson({ url: `https://a.gov/${name}` }, { signal: AbortSignal.any([time.signal, patient.signal]) }),
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
    const waiting = openFaultServer(slow)
    const { net } = wayOut({ mirror: waiting.mirror })
    const client = new AbortController()
    const call = fate(net.fetchJson({ url: 'https://a.gov/slow-body' }, client))
    await waiting.until(() => waiting.asked.length > 0)
    const reason = new Error('The client went away.')
    client.abort(reason)
    expect(await call).toBe(reason)
    expect(await fate(net.fetchJson({ url: 'https://a.gov/hang' }, client))).toBe(reason)
    expect(waiting.asked).toHaveLength(1)
    waiting.close()
  })

  test('because the service is being stopped, calls under way and later ones are connection_failed', async () => {
    const waiting = openFaultServer(slow)
    const { net } = wayOut({ mirror: waiting.mirror })
    const call = fate(net.fetchJson({ url: 'https://a.gov/hang' }, patient))
    await waiting.until(() => waiting.asked.length > 0)
    net.close()
    expect(await call).toBe('connection_failed, retryable')
    expect(await fate(net.fetchJson({ url: 'https://a.gov/hang' }, patient))).toBe('connection_failed, retryable')
    expect(waiting.asked).toHaveLength(1)
    waiting.close()
  })
})

test('health tells of a host that was asked when it answered last and how fast, and nothing of one that was not', async () => {
  const { net, clock } = wayOut({ mirror: server.mirror })
  expect(net.health('gis.example.gov')).toBeNull()
  await fate(net.fetchJson(to('500'), patient))
  expect(net.health('gis.example.gov')).toEqual({
    host: 'gis.example.gov',
    circuit: 'closed',
    last_success: null,
    latency_ms: null,
  })
  await net.fetchJson(to('gzip'), patient)
  expect(net.health('gis.example.gov')).toEqual({
    host: 'gis.example.gov',
    circuit: 'closed',
    last_success: clock.now(),
    latency_ms: 0,
  })
})
