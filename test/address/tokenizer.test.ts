import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { displayNameOf, titleCase, tokenizeAddress } from '../../src/address/tokenizer.ts'

const plainText = fc.string({ unit: fc.constantFrom(..."aBc1 ,.'/-") })

test('a text of plain characters has the same words as within a text with other symbols', () => {
  fc.assert(fc.property(plainText, (text) => expect(tokenizeAddress(text)).toEqual(tokenizeAddress(`${text}(`))))
})

test('a comma ends the word before it', () => {
  expect(
    tokenizeAddress('1 Main St., Ft. Collins').map(({ text, key, endsSegment }) => [text, key, endsSegment]),
  ).toEqual([
    ['1', '1', false],
    ['Main', 'MAIN', false],
    ['St', 'ST', true],
    ['Ft', 'FT', false],
    ['Collins', 'COLLINS', true],
  ])
})

test.each([
  ['MAIN', 'Main'],
  ['ñandú', 'Ñandú'],
  ['o-brien', 'O-Brien'],
  ["MARY'S", "Mary's"],
  ['7TH', '7th'],
  ['a1a', 'A1A'],
])('%s is displayed as %s', (word, expected) => expect(titleCase(word)).toBe(expected))

test.each([
  ['McKinley', 'McKinley'],
  ['mckinley park', 'Mckinley Park'],
  ['ÉLAN vital', 'ÉLAN vital'],
  ['MAIN', 'Main'],
])('the name %s is displayed as %s', (name, expected) => expect(displayNameOf(tokenizeAddress(name))).toBe(expected))
