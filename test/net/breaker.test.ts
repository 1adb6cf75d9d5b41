import { describe, expect, test } from 'bun:test'
import { UpstreamError, type UpstreamCode } from '../../src/model/error.ts'
import { createBreaker } from '../../src/net/breaker.ts'
import { openFaultServer } from './fault-server.ts'
import { settledResult, createManualClock, noTimeout, nextMacrotask, openTestClient } from './test-client.ts'

function openTestBreaker(random = () => 0) {
  const { clock, advance } = createManualClock()
  const events: string[] = []
  const breaker = createBreaker(clock, random, { info: (event) => events.push(event) })
  const succeed = (host = 'a.gov') => settledResult(breaker.run(host, async () => 'data'))
  const fail = (code: UpstreamCode = 'timeout', host = 'a.gov') =>
    settledResult(breaker.run(host, () => Promise.reject(new UpstreamError(code, 'broke'))))
  const failTimes = async (times: number, code?: UpstreamCode) => {
    for (let i = 0; i < times; i++) await fail(code)
  }
  /** Starts work that the test ends. */
  const begin = () => {
    const end = Promise.withResolvers<string>()
    return { ...end, result: settledResult(breaker.run('a.gov', () => end.promise)) }
  }
  return { breaker, advance, events, succeed, fail, failTimes, begin, circuit: () => breaker.stateOf('a.gov') }
}
const suspended = 'source_suspended, retryable'

describe('the circuit of a host opens', () => {
  for (const code of ['timeout', 'connection_failed', 'upstream_5xx', 'bad_response'] as const) {
    test(`after five errors with code ${code}, and then blocks all calls`, async () => {
      const { failTimes, succeed, circuit, events } = openTestBreaker()
      await failTimes(4, code)
      expect(circuit()).toBe('closed')
      await failTimes(1, code)
      expect([circuit(), await succeed(), events]).toEqual(['open', suspended, ['source_suspended']])
    })
  }

  test('not for permanent rejections, which show that the host responds', async () => {
    const { fail, circuit } = openTestBreaker()
    for (const code of [
      'upstream_rejected',
      'rate_limited',
      'too_large',
      'bad_redirect',
      'tls_error',
      'upstream_rejected',
    ] as const)
      await fail(code)
    expect(circuit()).toBe('closed')
  })

  test('not for calls that the client aborted', async () => {
    const { breaker, circuit } = openTestBreaker()
    for (let i = 0; i < 9; i++)
      await settledResult(breaker.run('a.gov', () => Promise.reject(new DOMException('', 'AbortError'))))
    expect([circuit(), breaker.concurrencyLimit('a.gov')]).toEqual(['closed', Infinity])
  })

  test('not while there are as many successes as errors within a minute', async () => {
    const { succeed, failTimes, circuit } = openTestBreaker()
    for (let i = 0; i < 6; i++) await succeed()
    await failTimes(6)
    expect(circuit()).toBe('closed')
    await failTimes(1)
    expect(circuit()).toBe('open')
  })

  test('not for errors more than a minute apart', async () => {
    const { advance, failTimes, circuit } = openTestBreaker()
    await failTimes(4)
    advance(61)
    await failTimes(4)
    expect(circuit()).toBe('closed')
  })

  test('for that host only', async () => {
    const { failTimes, succeed } = openTestBreaker()
    await failTimes(5)
    expect(await succeed('b.gov')).toEqual({ result: 'data' })
  })
})

describe('while it is open,', () => {
  test('the error names the host and the time of the next attempt', async () => {
    const { breaker, failTimes, succeed } = openTestBreaker()
    await failTimes(5)
    expect(() => breaker.throwIfOpen('a.gov')).toThrow(
      'a.gov failed repeatedly, so calls to it are suspended. The next attempt is at 2026-01-02T03:04:10+00:00.',
    )
    expect(await succeed()).toBe(suspended)
  })

  test('a single probe is sent after 5 s, then after 10, 20, 30 and 30 s', async () => {
    const { breaker, advance, failTimes, succeed, begin, circuit } = openTestBreaker()
    await failTimes(5)
    for (const wait_s of [5, 10, 20, 30, 30]) {
      advance(wait_s - 0.001)
      expect(await succeed()).toBe(suspended)
      advance(0.001)
      const probe = begin()
      expect([circuit(), await succeed()]).toEqual(['half_open', suspended])
      expect(() => breaker.throwIfOpen('a.gov')).toThrow('A probe is in progress')
      probe.reject(new UpstreamError('connection_failed', 'broke'))
      await probe.result
      expect(circuit()).toBe('open')
    }
  })

  test('the waits are randomly up to 20 % longer', async () => {
    const { advance, failTimes, succeed } = openTestBreaker(() => 1)
    await failTimes(5)
    advance(5.999)
    expect(await succeed()).toBe(suspended)
    advance(0.001)
    expect(await succeed()).toEqual({ result: 'data' })
  })

  test('a successful probe closes it and clears the history', async () => {
    const { advance, failTimes, succeed, circuit, events } = openTestBreaker()
    await failTimes(5)
    advance(5)
    expect(await succeed()).toEqual({ result: 'data' })
    expect([circuit(), events]).toEqual(['closed', ['source_suspended', 'source_recovered']])
    await failTimes(4)
    expect(circuit()).toBe('closed')
    await failTimes(1)
    advance(4.999)
    expect(await succeed()).toBe(suspended)
  })

  test('a probe with a permanent rejection closes it', async () => {
    const { advance, failTimes, fail, circuit } = openTestBreaker()
    await failTimes(5)
    advance(5)
    await fail('upstream_rejected')
    expect(circuit()).toBe('closed')
  })

  test.each(['source_suspended', 'fetch_busy'] as const)(
    'a probe that was rejected locally (%s) does not close it',
    async (code) => {
      const { failTimes, fail, succeed, advance, circuit } = openTestBreaker()
      await failTimes(5)
      advance(5)
      await fail(code)
      expect(circuit()).toBe('open')
      expect([await succeed(), circuit()]).toEqual([{ result: 'data' }, 'closed'])
    },
  )

  test('after an aborted probe, the next call is the probe', async () => {
    const { advance, failTimes, begin, succeed, circuit } = openTestBreaker()
    await failTimes(5)
    advance(5)
    const probe = begin()
    probe.reject(new Error('The client went away.'))
    await probe.result
    expect(circuit()).toBe('open')
    expect(await succeed()).toEqual({ result: 'data' })
  })

  test('results of earlier calls are ignored', async () => {
    const { advance, failTimes, begin, succeed, circuit } = openTestBreaker()
    const late = Array.from({ length: 8 }, begin)
    await failTimes(5)
    late[0]!.resolve('late')
    await late[0]!.result
    expect(circuit()).toBe('open')
    advance(5)
    await succeed()
    for (const call of late) call.reject(new UpstreamError('timeout', 'late'))
    await Promise.all(late.map((call) => call.result))
    expect(circuit()).toBe('closed')
  })
})

test('after errors, a host gets only as many concurrent calls as are needed to open the circuit', async () => {
  const { breaker, succeed, fail } = openTestBreaker()
  const limit = () => breaker.concurrencyLimit('a.gov')
  const limits = [limit()]
  for (let i = 0; i < 5; i++) {
    await fail()
    limits.push(limit())
  }
  expect(limits).toEqual([Infinity, 4, 3, 2, 1, Infinity])
  await fail('timeout', 'b.gov')
  expect(breaker.concurrencyLimit('b.gov')).toBe(4)
  await succeed('b.gov')
  expect(breaker.concurrencyLimit('b.gov')).toBe(Infinity)
})

describe('a dead host receives at most 13 calls per minute', () => {
  test('with 100 concurrent calls and then one every 0.1 s', async () => {
    const server = openFaultServer({ dead: (socket) => socket.terminate() })
    const { net, advance, clock } = openTestClient({ mirror: server.mirror })
    const ask = () => settledResult(net.fetchJson({ url: 'https://a.gov/dead' }, noTimeout))
    const results = new Set(await Promise.all(Array.from({ length: 100 }, ask)))
    expect(results).toEqual(new Set(['connection_failed, retryable', suspended]))
    while (clock.monotonic_ms() < 60_000) {
      advance(0.1)
      await ask()
    }
    expect(server.requestPaths.length).toBeLessThanOrEqual(13)
    expect(server.requestPaths.length).toBeGreaterThanOrEqual(5 + 3)
    expect(net.health('a.gov')!.circuit).toBe('open')
    const { error, since, next_try } = net.health('a.gov')!.failure!
    expect(error).toStartWith('connection_failed: ')
    expect(since.getTime()).toBeLessThan(clock.now().getTime() - 50_000)
    expect(next_try!.getTime()).toBeGreaterThan(clock.now().getTime())
    server.close()
  })

  test('when it hangs with eight concurrent calls', async () => {
    const server = openFaultServer({ dead: () => {} })
    const { net } = openTestClient({ mirror: server.mirror })
    const time = new AbortController()
    const calls = Array.from({ length: 100 }, () => settledResult(net.fetchJson({ url: 'https://a.gov/dead' }, time)))
    await server.until(() => server.requestPaths.length === 8)
    await nextMacrotask()
    time.abort(new DOMException('', 'TimeoutError'))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['timeout, retryable']))
    expect(await settledResult(net.fetchJson({ url: 'https://a.gov/dead' }, noTimeout))).toBe(suspended)
    expect(server.requestPaths).toHaveLength(8)
    server.close()
  })
})
