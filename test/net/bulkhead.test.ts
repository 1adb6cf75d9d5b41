import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { UpstreamError } from '../../src/model/error.ts'
import { createBulkhead } from '../../src/net/bulkhead.ts'
import { settledResult, noTimeout, nextMacrotask, openTestClient } from './test-client.ts'
import { respondWith, openFaultServer } from './fault-server.ts'

/** Calls that the test starts and ends. */
function calls(concurrencyLimit: (host: string) => number = () => Infinity) {
  const clock = { now_ms: 0 }
  const bulkhead = createBulkhead({ concurrencyLimit, maxSilence_ms: () => 1_000, monotonic_ms: () => clock.now_ms })
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const start = (host: string, name: string, budget = noTimeout) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return settledResult(
      bulkhead.run(
        host,
        () => {
          begun.push(name)
          return end.promise
        },
        budget,
      ),
    )
  }
  const finish = async (name: string) => {
    ends.get(name)!.resolve(name)
    await nextMacrotask()
  }
  const fail = async (name: string, error = new Error('broke')) => {
    ends.get(name)!.reject(error)
    await nextMacrotask()
  }
  return { bulkhead, begun, start, finish, fail, clock }
}
const names = (host: string, count: number) => Array.from({ length: count }, (_none, i) => `${host}${i}`)

describe('the bulkhead', () => {
  test('runs eight calls per host, and the others in order as slots become free, also after a failure', async () => {
    const { begun, start, finish, fail } = calls()
    for (const name of names('a', 11)) void start('a', name)
    await nextMacrotask()
    expect(begun).toEqual(names('a', 8))
    await finish('a3')
    await fail('a0')
    expect(begun).toEqual(names('a', 10))
  })

  test('rejects waiting calls of a busy host that is silent, until it responds again', async () => {
    const { begun, start, finish, clock } = calls()
    for (const name of names('a', 8)) void start('a', name)
    const waits = start('a', 'waits')
    clock.now_ms = 1_001
    expect(await start('a', 'too late')).toBe('source_suspended, retryable')
    expect(await waits).toBe('source_suspended, retryable')
    await finish('a0')
    void start('a', 'next')
    await nextMacrotask()
    expect(begun).toEqual([...names('a', 8), 'next'])
    void start('a', 'started')
    await finish('a1')
    expect(begun.at(-1)).toBe('started')
  })

  test.each([
    ['upstream_rejected', 'started'],
    ['connection_failed', 'started'],
    ['timeout', 'rejected'],
  ] as const)('with %s, a waiting call is %s', async (code, fate) => {
    const { begun, start, fail, clock } = calls()
    for (const name of names('a', 9)) void start('a', name)
    clock.now_ms = 900
    await fail('a0', new UpstreamError(code, 'broke'))
    clock.now_ms = 1_800
    const next = start('a', 'next')
    await fail('a1', new UpstreamError(code, 'broke'))
    expect(fate === 'started' ? begun.at(-1) : await next).toBe(
      fate === 'started' ? 'next' : 'source_suspended, retryable',
    )
  })

  test('does not delay other hosts', async () => {
    const { bulkhead, begun, start } = calls()
    for (const name of names('a', 30)) void start('a', name)
    void start('b', 'b0')
    await nextMacrotask()
    expect([begun.at(-1), bulkhead.isFree('a'), bulkhead.isFree('b')]).toEqual(['b0', false, true])
  })

  test('rejects with fetch_busy when 1,024 calls wait', async () => {
    const { start } = calls()
    for (const name of names('a', 1_032)) void start('a', name)
    expect(await start('a', 'one too many')).toBe('fetch_busy, retryable')
  })

  test('removes a call from the queue when it times out', async () => {
    const { begun, start, finish } = calls()
    for (const name of names('a', 8)) void start('a', name)
    const time = new AbortController()
    const gone = Array.from({ length: 1_024 }, (_none, i) => start('a', `gone${i}`, time))
    await nextMacrotask()
    time.abort(new DOMException('', 'TimeoutError'))
    expect(new Set(await Promise.all(gone))).toEqual(new Set(['timeout, retryable']))
    expect(await start('a', 'too late', time)).toBe('timeout, retryable')
    void start('a', 'next')
    await finish('a0')
    expect(begun).toEqual([...names('a', 8), 'next'])
  })

  test('runs 200 calls in total, and then serves the hosts in turn', async () => {
    const { begun, start, finish } = calls()
    for (let host = 0; host < 25; host++) for (const name of names(`h${host}-`, 8)) void start(`h${host}`, name)
    for (const name of names('x', 3)) void start('x', name)
    for (const name of names('y', 3)) void start('y', name)
    await nextMacrotask()
    expect(begun).toHaveLength(200)
    for (const name of names('h0-', 4)) await finish(name)
    expect(begun.slice(200)).toEqual(['x0', 'y0', 'x1', 'y1'])
  })

  test('applies the concurrency limit of a host, and its removal', async () => {
    let room = 2
    const { begun, start, finish } = calls(() => room)
    for (const name of names('a', 9)) void start('a', name)
    await nextMacrotask()
    expect(begun).toEqual(names('a', 2))
    room = Infinity
    await finish('a0')
    expect(begun).toEqual(names('a', 9))
  })
})

test('with random calls, aborts and ends, the limit holds and no call is forgotten', async () => {
  const step = fc.oneof(
    fc.record({ come: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ end: fc.nat(50) }),
    fc.record({ leave: fc.nat(50) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 3 }), async (steps, room) => {
      const { bulkhead, begun, start, finish } = calls(() => room)
      const came: { name: string; host: string; leaving: AbortController; fate: unknown }[] = []
      const ended = new Set<string>()
      for (const it of steps) {
        if ('come' in it) {
          const call = {
            name: `${it.come}${came.length}`,
            host: it.come,
            leaving: new AbortController(),
            fate: null as unknown,
          }
          came.push(call)
          void start(call.host, call.name, call.leaving).then((fate) => (call.fate = fate))
        } else if ('leave' in it) came[it.leave]?.leaving.abort(new Error('gone'))
        else {
          const out = begun.filter((name) => !ended.has(name))
          const name = out[it.end % Math.max(1, out.length)]
          if (name !== undefined) {
            ended.add(name)
            await finish(name)
          }
        }
        await nextMacrotask()
        for (const host of ['a', 'b', 'c']) {
          const out = begun.filter((name) => name.startsWith(host) && !ended.has(name)).length
          const waiting = came.filter((call) => call.host === host && call.fate === null).length - out
          expect(out <= room && (waiting === 0 || out === room)).toBe(true)
          expect(bulkhead.isFree(host)).toBe(out < room)
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('with 30 concurrent calls to one host, the host never has more than eight', async () => {
  const held: (() => void)[] = []
  const server = openFaultServer({
    slow: (socket, request) => void held.push(() => respondWith('{}')(socket, request)),
  })
  const { net } = openTestClient({ mirror: server.mirror })
  const answers = Promise.all(Array.from({ length: 30 }, () => net.fetchJson({ url: 'https://a.gov/slow' }, noTimeout)))
  for (let done = 0; done < 30; done++) {
    await server.until(() => held.length > 0)
    await nextMacrotask()
    expect(server.requestPaths.length - done).toBeLessThanOrEqual(8)
    held.shift()!()
  }
  expect(await answers).toHaveLength(30)
  server.close()
})

test.each([
  [false, 'waits'],
  [true, 'source_suspended, retryable'],
])(
  'while other requests wait for admission (%p), a call to a host that has not responded for two seconds: %s',
  async (doRequestsWait, expected) => {
    const server = openFaultServer({ silent: () => {} })
    const { net, advance } = openTestClient({ mirror: server.mirror, hasWaitingRequests: () => doRequestsWait })
    const call = (i: number) => settledResult(net.send({ url: `https://a.gov/silent?${i}` }, noTimeout))
    const pending = Array.from({ length: 8 }, (_none, i) => call(i))
    await server.until(() => server.requestPaths.length === 8)
    advance(2)
    const ninth = call(8)
    expect(await Promise.race([ninth, nextMacrotask().then(() => 'waits')])).toBe(expected)
    net.close()
    await Promise.all([...pending, ninth])
    server.close()
  },
)
