import { expect, test } from 'bun:test'
import { pluralize } from '../../src/model/text.ts'

test('every count except 1 takes the plural', () => {
  expect([0, 1, 2, 12_345].map((count) => pluralize(count, 'row'))).toEqual([
    '0 rows',
    '1 row',
    '2 rows',
    '12,345 rows',
  ])
  expect([1, 2].map((count) => pluralize(count, 'address'))).toEqual(['1 address', '2 addresses'])
})
