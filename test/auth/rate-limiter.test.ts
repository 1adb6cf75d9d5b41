import { expect, test } from 'bun:test'
import type { Account } from '../../src/auth/accounts.ts'
import { createRateLimiter } from '../../src/auth/rate-limiter.ts'
import { ApiError } from '../../src/model/error.ts'

const minute_ms = 60_000
const account: Account = { id: 'a', name: 'a', scopes: new Set() }

function opened(limits: { per_minute: number; per_day: number }) {
  const clock = { time: Date.UTC(2026, 10, 21, 12) }
  const rate = createRateLimiter({ ...limits, usage: { requestsToday: () => 0 }, now: () => new Date(clock.time) })
  const send = () => {
    try {
      rate.admit(account)
      return 'admitted'
    } catch (error) {
      return error instanceof ApiError ? error.code : error
    }
  }
  return { clock, rate, sendRequest: send }
}

test('a request above the limit per minute is rejected until the minute ends, and the error says how long that is', () => {
  const { clock, rate, sendRequest } = opened({ per_minute: 2, per_day: 0 })
  clock.time += 1
  expect([sendRequest(), sendRequest(), sendRequest()]).toEqual(['admitted', 'admitted', 'rate_limited'])
  clock.time += minute_ms - 1000
  expect(rate.headers(account)).toEqual({ 'ratelimit-policy': '"minute";q=2;w=60', ratelimit: '"minute";r=0;t=1' })
  clock.time += 1000
  expect(sendRequest()).toBe('admitted')
})

test('a clock that is set back an hour locks out no account for an hour', () => {
  const { clock, sendRequest } = opened({ per_minute: 1, per_day: 0 })
  expect([sendRequest(), sendRequest()]).toEqual(['admitted', 'rate_limited'])
  clock.time -= 60 * minute_ms
  expect(sendRequest()).toBe('admitted')
})

test('a day is a UTC day, and a request above its limit has the code quota_exceeded', () => {
  const { clock, sendRequest } = opened({ per_minute: 0, per_day: 1 })
  expect([sendRequest(), sendRequest()]).toEqual(['admitted', 'quota_exceeded'])
  clock.time = Date.UTC(2026, 10, 21, 23, 59, 59, 999)
  expect(sendRequest()).toBe('quota_exceeded')
  clock.time += 1
  expect(sendRequest()).toBe('admitted')
})
