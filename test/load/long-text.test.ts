import { expect, test } from 'bun:test'
import { excerptOf } from '../../src/drivers/reply.ts'
import { csvCellOf } from '../../src/runs/artifact-csv.ts'

/** A pattern that takes the square of this many steps would not come to an end within a test. */
const letters = 2_000_000

test('a cell of millions of digits that is no number is written as a text', () => {
  const text = `+${'0'.repeat(letters)}x`
  expect(csvCellOf(text) === `'${text}`).toBe(true)
})

test('a cell of millions of digits that is a number is left as it is', () => {
  const text = `-${'0'.repeat(letters)}.${'1'.repeat(letters)}e5`
  expect(csvCellOf(text) === text).toBe(true)
})

test('what an upstream said at great length is shown in short, without an address that may hold a key', () => {
  expect(excerptOf('0'.repeat(letters)).length).toBeLessThan(1_000)
  expect(excerptOf('see https://example.org/?key=sesame for more')).toBe('see … for more')
})
