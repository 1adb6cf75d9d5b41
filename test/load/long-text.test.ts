import { expect, test } from 'bun:test'
import { excerptOf } from '../../src/drivers/rest/reply.ts'
import { csvCellOf } from '../../src/runs/artifacts/csv-cell.ts'

/** A pattern with quadratic time would not finish a text of this length within a test. */
const letters = 2_000_000

test('a cell of millions of digits that is not a number is written as text', () => {
  const text = `+${'0'.repeat(letters)}x`
  expect(csvCellOf(text) === `'${text}`).toBe(true)
})

test('a cell of millions of digits that is a number is unchanged', () => {
  const text = `-${'0'.repeat(letters)}.${'1'.repeat(letters)}e5`
  expect(csvCellOf(text) === text).toBe(true)
})

test('a long upstream message is truncated, and URLs that may contain a key are removed', () => {
  expect(excerptOf('0'.repeat(letters)).length).toBeLessThan(1_000)
  expect(excerptOf('see https://example.org/?key=sesame for more')).toBe('see … for more')
})
