import { expect, test } from 'bun:test'
import { openAttempts } from '../../src/auth/attempts.ts'

const hour_ms = 3_600_000

function opened() {
  const clock = { time: Date.UTC(2026, 10, 21, 12) }
  return { clock, attempts: openAttempts({ most: 2, within_ms: hour_ms, now: () => new Date(clock.time) }) }
}

test('a name has as many tries as there are, and again when the time of the first is over', () => {
  const { clock, attempts } = opened()
  const tried = () => {
    attempts.count('a')
    return attempts.has('a')
  }
  expect([attempts.has('a'), tried(), tried(), attempts.has('b')]).toEqual([true, true, false, true])
  expect(attempts.wait_s('a')).toBe(3600)
  clock.time += hour_ms
  expect([attempts.has('a'), attempts.wait_s('a')]).toEqual([true, 1])
})

test('nobody is kept out longer because the clock was set back', () => {
  const { clock, attempts } = opened()
  attempts.count('a')
  attempts.count('a')
  clock.time -= 24 * hour_ms
  expect([attempts.has('a'), attempts.wait_s('a')]).toEqual([true, 1])
})

test('ten thousand further names make the oldest forgotten, and no other', () => {
  const { attempts } = opened()
  for (const name of ['oldest', 'next']) for (let i = 0; i < 2; i++) attempts.count(name)
  for (let i = 0; i < 9_999; i++) attempts.count(`name ${i}`)
  expect([attempts.has('oldest'), attempts.has('next')]).toEqual([true, false])
})
