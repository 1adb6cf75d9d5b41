import { expect, test } from 'bun:test'
import { compilePattern } from '../../src/model/pattern.ts'

test.each([
  ['^V(E|[0-9]+)?$', 'V30', true],
  ['^V(E|[0-9]+)?$', 'AE', false],
  ['^\\d+(st|nd|rd|th) X$', '119th X', true],
  ['a\\+b', 'a+b', true],
  ['[+*]', '*', true],
  ['^\\d{4} (?:x|y)$', '2020 y', true],
])('the pattern %s matches %s: %p', (pattern, text, matches) => {
  expect(compilePattern(pattern)(text)).toBe(matches)
})

test.each([
  '(a+)+',
  'a+',
  '^a|b*',
  '(a|b)*',
  'a+b+',
  '.*x.*',
  '(ab){2,}',
  '(a){9}',
  '(?=a)',
  '(?<!a)b',
  '(a)\\1',
  '(?<n>a)\\k<n>',
])('the pattern %s is not supported', (pattern) => {
  expect(() => compilePattern(pattern)).toThrow('Unsupported pattern')
})

test('a text of more than 10,000 characters never matches', () => {
  expect(compilePattern('a')('a'.repeat(10_001))).toBe(false)
})
