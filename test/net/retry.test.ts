import { describe, expect, test } from 'bun:test'
import { UpstreamError, type UpstreamCode } from '../../src/model/error.ts'
import { waitByTimer } from '../../src/net/host-abort.ts'
import { createRetryPolicy } from '../../src/net/retry.ts'
import { respondWith, openFaultServer, type RespondRaw } from './fault-server.ts'
import { settledResult, createManualClock, noTimeout, openTestClient } from './test-client.ts'

/** A server with a sequence of responses. The last one repeats. */
function openSequenceServer(...answers: RespondRaw[]) {
  return openFaultServer({
    data: (socket, request) => (answers.length > 1 ? answers.shift()! : answers[0]!)(socket, request),
  })
}
const success = respondWith('{"a":1}')
const call = { url: 'https://a.gov/data' }

describe('a call is retried', () => {
  const transient: Record<string, RespondRaw> = {
    'a reset': (socket) => socket.terminate(),
    'a 503': respondWith('', 503),
    'a body that is not gzip': respondWith('x', 200, { 'Content-Encoding': 'gzip' }),
  }
  for (const [name, row] of Object.entries(transient)) {
    test(`once after ${name}, after a short delay`, async () => {
      const server = openSequenceServer(row, success)
      const { net, waits } = openTestClient({ mirror: server.mirror, random: () => 0.5 })
      expect(await net.fetchJson(call, noTimeout)).toEqual({ a: 1 })
      expect([server.requestPaths.length, waits]).toEqual([2, [250]])
      server.close()
    })
  }

  test('only once, even if the retry fails', async () => {
    const server = openSequenceServer(respondWith('', 500), respondWith('', 404), success)
    expect(await settledResult(openTestClient({ mirror: server.mirror }).net.fetchJson(call, noTimeout))).toBe(
      'upstream_rejected',
    )
    expect(server.requestPaths).toHaveLength(2)
    server.close()
  })
})

describe('a call is not retried', () => {
  const permanent: Record<string, RespondRaw> = {
    'a 404': respondWith('', 404),
    'a 429': respondWith('', 429),
    'an HTML page instead of data': respondWith('<html>'),
    'truncated JSON': respondWith('{"a":'),
    'a body beyond the cap': respondWith('x', 200, { 'Content-Length': '99999999' }),
  }
  for (const [name, row] of Object.entries(permanent)) {
    test(`after ${name}`, async () => {
      const server = openSequenceServer(row, success)
      await settledResult(openTestClient({ mirror: server.mirror }).net.fetchJson(call, noTimeout))
      expect(server.requestPaths).toHaveLength(1)
      server.close()
    })
  }

  test('when calls are billed', async () => {
    const server = openSequenceServer((socket) => socket.terminate(), success)
    expect(
      await settledResult(
        openTestClient({ mirror: server.mirror }).net.fetchJson({ ...call, metered: true }, noTimeout),
      ),
    ).toBe('connection_failed, retryable')
    expect(server.requestPaths).toHaveLength(1)
    server.close()
  })

  test('when the host started a backoff, and the first error is thrown', async () => {
    const server = openSequenceServer(respondWith('', 503, { 'Retry-After': '60' }), success)
    expect(await settledResult(openTestClient({ mirror: server.mirror }).net.fetchJson(call, noTimeout))).toBe(
      'upstream_5xx, retryable',
    )
    expect(server.requestPaths).toHaveLength(1)
    server.close()
  })

  test('when it times out before', async () => {
    const server = openSequenceServer(respondWith('', 500), success)
    const time = new AbortController()
    const { net } = openTestClient({
      mirror: server.mirror,
      wait: (ms, signal, host) => {
        time.abort(new DOMException('', 'TimeoutError'))
        return waitByTimer(ms, signal, host)
      },
    })
    expect(await settledResult(net.fetchJson(call, time))).toBe('timeout, retryable')
    expect(server.requestPaths).toHaveLength(1)
    server.close()
  })
})

test('when all calls fail, retries are 10 % of the calls of a minute, and at least one', async () => {
  const { clock, advance } = createManualClock()
  const retries = createRetryPolicy(
    clock.monotonic_ms,
    () => 0,
    async () => {},
  )
  let sent = 0
  const ask = (code: UpstreamCode = 'connection_failed') =>
    settledResult(
      retries.run(
        call,
        'a.gov',
        () => {
          sent++
          return Promise.reject(new UpstreamError(code, 'broke'))
        },
        noTimeout,
      ),
    )
  await ask()
  expect(sent).toBe(2)
  for (let i = 1; i < 1000; i++) await ask()
  expect(sent).toBe(1100)
  advance(61)
  await ask()
  expect(sent).toBe(1102)
})

test('a wait ends after its time, and immediately on abort', async () => {
  expect(await settledResult(waitByTimer(0, noTimeout.signal, 'a.gov'))).toEqual({ result: undefined })
  expect(await settledResult(waitByTimer(1e9, AbortSignal.timeout(0), 'a.gov'))).toBe('timeout, retryable')
})
