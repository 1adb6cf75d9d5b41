import { expect, test } from 'bun:test'
import { createThrottle } from '../../src/auth/throttle.ts'

const hour_ms = 3_600_000

function opened() {
  const clock = { time: Date.UTC(2026, 10, 21, 12) }
  return { clock, attempts: createThrottle({ limit: 2, window_ms: hour_ms, now: () => new Date(clock.time) }) }
}

test('a key has a limited number of attempts, and all of them again when the window of the first has ended', () => {
  const { clock, attempts } = opened()
  const tried = () => {
    attempts.record('a')
    return attempts.allows('a')
  }
  expect([attempts.allows('a'), tried(), tried(), attempts.allows('b')]).toEqual([true, true, false, true])
  expect(attempts.retryAfter_s('a')).toBe(3600)
  clock.time += hour_ms
  expect([attempts.allows('a'), attempts.retryAfter_s('a')]).toEqual([true, 1])
})

test('a clock that was set back does not extend a window', () => {
  const { clock, attempts } = opened()
  attempts.record('a')
  attempts.record('a')
  clock.time -= 24 * hour_ms
  expect([attempts.allows('a'), attempts.retryAfter_s('a')]).toEqual([true, 1])
})

test('ten thousand more keys evict only the oldest key', () => {
  const { attempts } = opened()
  for (const name of ['oldest', 'next']) for (let i = 0; i < 2; i++) attempts.record(name)
  for (let i = 0; i < 9_999; i++) attempts.record(`name ${i}`)
  expect([attempts.allows('oldest'), attempts.allows('next')]).toEqual([true, false])
})
