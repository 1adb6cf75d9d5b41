import { expect, test } from 'bun:test'
import { joinLines, pluralize } from '../../src/model/text.ts'

test('every count except 1 takes the plural', () => {
  expect([0, 1, 2, 12_345].map((count) => pluralize(count, 'row'))).toEqual([
    '0 rows',
    '1 row',
    '2 rows',
    '12,345 rows',
  ])
  expect([1, 2].map((count) => pluralize(count, 'address'))).toEqual(['1 address', '2 addresses'])
})

test.each([
  ['12 Main St', '12 Main St'],
  ['12 Main St,\nDenver, CO', '12 Main St, Denver, CO'],
  [' 12 Main St , \n , \r\n Denver \n', '12 Main St, Denver'],
  ['12 Main St\n,\n\nDenver', '12 Main St, Denver'],
  [`12 ${' '.repeat(50_000)}Main St\nDenver`, `12 ${' '.repeat(50_000)}Main St, Denver`],
])('the lines of an address are joined by commas (%#)', (text, joined) => {
  expect(joinLines(text)).toBe(joined)
})
