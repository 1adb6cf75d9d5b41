import { expect, test } from 'bun:test'
import { compilePattern } from '../../src/model/pattern.ts'

test.each([
  ['^V(E|[0-9]+)?$', 'V30', true],
  ['^V(E|[0-9]+)?$', 'AE', false],
  ['^\\d+(st|nd|rd|th) X$', '119th X', true],
  ['a\\+b', 'a+b', true],
  ['[+*]', '*', true],
  ['^\\d{4} (?:x|y)$', '2020 y', true],
])('the pattern %s matches %s: %p', (pattern, text, matches) => expect(compilePattern(pattern)(text)).toBe(matches))

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
  `${'a?'.repeat(30)}${'a'.repeat(30)}`,
  `${'(a|a)'.repeat(30)}b`,
  'a{0,5000}a{0,5000}a{0,5000}b',
  '^(x?|[a-z]{1,300}y)',
])('the pattern %s is not supported', (pattern) => expect(() => compilePattern(pattern)).toThrow('Unsupported pattern'))

test.each([`^${'a?'.repeat(8)}${'a'.repeat(8)}b$`, `${'(a|a)'.repeat(8)}b`, '^a*a{0,255}b$', 'a{0,15}a{0,15}b'])(
  'the pattern %s, which has as many choices as are allowed, reads the longest text at once',
  (pattern) => {
    const matches = compilePattern(pattern)
    for (const end of ['', 'c', 'ab'])
      expect(matches('a'.repeat(9_990) + end)).toBe(end === 'ab' && !pattern.startsWith('^a?'))
  },
)

test('a text of more than 10,000 characters never matches', () => {
  expect(compilePattern('a')('a'.repeat(10_001))).toBe(false)
})
