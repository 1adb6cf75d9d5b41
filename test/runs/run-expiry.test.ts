import { describe, expect, test } from 'bun:test'
import { runExpiryOf, isBeforeExpiry, oldestValidKeyTime, isRunId, createRunId } from '../../src/runs/run-id.ts'

const day_ms = 86_400_000

/** Every day from 2024 to 2032, at its first instant, at one in its middle and at its last. */
const instants = Array.from(
  { length: (Date.UTC(2033, 0, 1) - Date.UTC(2024, 0, 1)) / day_ms },
  (_, i) => Date.UTC(2024, 0, 1) + i * day_ms,
).flatMap((day) => [day, day + 45_296_789, day + day_ms - 1])

test('a run expires after exactly 30 days, to the millisecond, also across leap days and ends of months', () => {
  const wrong = instants.filter((at) => {
    const expires = runExpiryOf(at)
    return (
      expires - at !== 30 * day_ms ||
      !isBeforeExpiry(expires, at) ||
      !isBeforeExpiry(expires, at + 30 * day_ms - 1) ||
      isBeforeExpiry(expires, at + 30 * day_ms)
    )
  })
  expect([instants.length, wrong]).toEqual([3 * 3288, []])
})

test('an idempotency key is valid for 24 hours', () => {
  expect(instants.filter((at) => oldestValidKeyTime(at + day_ms) !== at)).toEqual([])
})

describe('a run id', () => {
  const made = (at: number, byte: number) => createRunId(new Date(at), (size) => new Uint8Array(size).fill(byte))

  test('is run_ and 26 characters, and sorts by time', () => {
    const ids = instants.map((at) => made(at, 255))
    expect(ids.filter((id) => !isRunId(id))).toEqual([])
    expect(ids).toEqual(ids.toSorted())
  })

  test('of any random bytes is valid', () => {
    for (let byte = 0; byte < 256; byte++) expect(isRunId(made(0, byte))).toBe(true)
  })

  test.each([
    '',
    'run_',
    'run_../../../etc/passwd00000',
    'RUN_01M7Z0HB9CS3T7BCXR9VYGP3H7',
    'run_01M7Z0HB9CS3T7BCXR9VYGP3H',
    'run_01M7Z0HB9CS3T7BCXR9VYGP3H77',
    'run_01M7Z0HB9CS3T7BCXR9VYGP3HI',
    'run_91M7Z0HB9CS3T7BCXR9VYGP3H7',
    'run_01m7z0hb9cs3t7bcxr9vygp3h7',
    '__proto__',
  ])('%s is not a run id', (text) => expect(isRunId(text)).toBe(false))
})
