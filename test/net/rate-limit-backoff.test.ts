import { describe, expect, test } from 'bun:test'
import { createRateLimitBackoff } from '../../src/net/http-client.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import { respondWith, openFaultServer } from './fault-server.ts'
import { settledResult, createManualClock, noTimeout, nextMacrotask, openTestClient } from './test-client.ts'

function backoffAfter(status: number, retryAfter: string | null) {
  const { clock, advance } = createManualClock()
  const backoff = createRateLimitBackoff(clock)
  backoff.recordResponse('a.gov', status, new Headers(retryAfter === null ? {} : { 'Retry-After': retryAfter }))
  const isLimited = () => {
    try {
      backoff.throwIfLimited('a.gov')
      return false
    } catch {
      return true
    }
  }
  return { backoff, advance, isLimited }
}

describe('a host is not called during its backoff:', () => {
  const rows: [number, string | null, number][] = [
    [429, '120', 120],
    [429, ' 7 ', 7],
    [429, 'Fri, 02 Jan 2026 03:05:05 GMT', 60],
    [429, '999999', 3600],
    [429, 'Fri, 02 Jan 2026 23:00:00 GMT', 3600],
    [429, null, 30],
    [429, 'soon', 30],
    [429, '-5', 30],
    [503, '10', 10],
    [503, 'Fri, 02 Jan 2026 03:04:15 GMT', 10],
  ]
  for (const [status, retryAfter, seconds] of rows) {
    test(`${status} with Retry-After ${retryAfter} is ${seconds} s`, () => {
      const { advance, isLimited } = backoffAfter(status, retryAfter)
      advance(seconds - 0.001)
      expect(isLimited()).toBe(true)
      advance(0.001)
      expect(isLimited()).toBe(false)
    })
  }

  for (const [status, retryAfter] of [
    [429, '0'],
    [429, 'Fri, 02 Jan 2026 03:00:00 GMT'],
    [503, null],
    [503, 'soon'],
    [500, '10'],
    [200, '10'],
  ] as const) {
    test(`${status} with Retry-After ${retryAfter} starts no backoff`, () =>
      expect(backoffAfter(status, retryAfter).isLimited()).toBe(false))
  }

  test('a shorter backoff does not end a longer one', () => {
    const { backoff, advance, isLimited } = backoffAfter(429, '120')
    backoff.recordResponse('a.gov', 429, new Headers({ 'Retry-After': '1' }))
    advance(119)
    expect(isLimited()).toBe(true)
  })
})

test('during the backoff no call reaches the host, including waiting calls, and errors name its end', async () => {
  const held: (() => void)[] = []
  const server = openFaultServer({
    busy: (socket, request) => void held.push(() => respondWith('', 429, { 'Retry-After': '60' })(socket, request)),
    data: respondWith('{}'),
  })
  const { net, advance } = openTestClient({ mirror: server.mirror })
  const calls = Array.from({ length: 20 }, () => settledResult(net.fetchJson({ url: 'https://a.gov/busy' }, noTimeout)))
  await server.until(() => held.length === 8)
  await nextMacrotask()
  for (const say of held) say()
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['rate_limited, retryable']))
  expect(server.requestPaths).toHaveLength(8)
  advance(59)
  expect(await rejectionMessage(net.fetchJson({ url: 'https://a.gov/data' }, noTimeout))).toBe(
    'rate_limited: a.gov limits requests. The next attempt is at 2026-01-02T03:05:05+00:00.',
  )
  expect(await net.fetchJson({ url: 'https://b.gov/data' }, noTimeout)).toEqual({})
  expect(server.requestPaths).toHaveLength(9)
  advance(1)
  expect(await net.fetchJson({ url: 'https://a.gov/data' }, noTimeout)).toEqual({})
  expect(net.health('a.gov')!.circuit).toBe('closed')
  server.close()
})
