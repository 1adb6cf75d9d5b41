import { expect, test } from 'bun:test'
import { attributeOf, compareValues, numberOf } from '../../src/geo/attribute.ts'

test.each([
  ['an exact name', { NAME: 1, name: 2 }, 'name', 2],
  ['another case', { NAME: 1 }, 'name', 1],
  ['a prefix in the data', { 'layer.sub.Name': 1 }, 'NAME', 1],
  ['a prefix in the query', { FLOODCATEGORY: 'minor' }, 'status.observed.floodCategory', 'minor'],
  ['a null value', { a: null }, 'A', null],
  ['a missing name', { a: 1 }, 'b', undefined],
  ['a name on the object prototype', { a: 1 }, 'constructor', undefined],
] as const)('an attribute is found by %s', (_, properties, name, value) => {
  expect(attributeOf(properties, name)).toBe(value)
})

test.each([
  [5, 5],
  ['5', 5],
  [' -1.5e2 ', -150],
  ['.5', 0.5],
  ['', null],
  ['x', null],
  ['0x10', null],
  ['Infinity', null],
  ['1,000', null],
  [true, null],
  [null, null],
])('%p parses as the number %p', (value, number) => expect(numberOf(value)).toBe(number))

test('long text that is not a number fails in linear time', () => {
  expect(numberOf(`${'1'.repeat(1_000_000)}x`)).toBeNull()
})

test.each([
  [9, '10', -1],
  ['9', '10', -1],
  ['9', 'a', -1],
  ['b', 'a', 1],
  ['a', 'a', 0],
  ['1.0', 1, 0],
  [true, 1, 0],
  ['a', 1, NaN],
  [null, null, NaN],
])('comparing %p with %p gives %p', (a, b, order) => expect(Math.sign(compareValues(a, b))).toBe(order))
