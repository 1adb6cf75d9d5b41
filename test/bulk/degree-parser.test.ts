import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DegreeParser } from '../../src/bulk/row-block.ts'

const parser = new DegreeParser()
const parse = (text: string) => {
  const bytes = new TextEncoder().encode(`x${text}y`)
  return parser.parse(bytes, 1, bytes.length - 1) ? { value: parser.value, isCanonical: parser.isCanonical } : null
}

test('a decimal number has the value that the engine parses, and is canonical if JSON writes it alike', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 9 })
  const numbers = fc.tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.'), digits)
  fc.assert(
    fc.property(numbers, (parts) => {
      const text = parts.join('')
      const parsed = parse(text)
      if (!/^-?\d+(\.\d*)?$/.test(text) || text.replace(/\D/g, '').length > 15) return expect(parsed).toBeNull()
      expect(parsed).toEqual({ value: Number(text) + 0, isCanonical: JSON.stringify(Number(text)) === text })
    }),
    { numRuns: 20_000 },
  )
})

test.each(['', '-', '.', '.5', '+1', '1e2', ' 1', '1 ', '1,5', '1.2.3', '--1', '0x1', '1234567890123456', 'NaN'])(
  '%j is left to the reader of unusual numbers',
  (text) => expect(parse(text)).toBeNull(),
)

test.each([
  ['0', 0, true],
  ['-0', 0, false],
  ['0.0000001', 1e-7, false],
  ['0.000001', 1e-6, true],
  ['-104.9903', -104.9903, true],
])('%j is %j', (text, value, isCanonical) => expect(parse(text)).toEqual({ value, isCanonical }))
