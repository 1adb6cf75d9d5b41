import { expect, test } from 'bun:test'
import { counted } from '../../src/model/counted.ts'

test('one is one, and everything else is many', () => {
  expect([0, 1, 2, 12_345].map((count) => counted(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows', '12,345 rows'])
  expect([1, 2].map((count) => counted(count, 'address'))).toEqual(['1 address', '2 addresses'])
})
