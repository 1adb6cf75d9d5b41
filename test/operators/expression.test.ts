import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Value } from '../../src/model/source.ts'
import { compileExpression, compileFormula } from '../../src/operators/expression.ts'

const variables = { a: 7, b: 2, zero: 0, none: null, text: 'x', number: '2.5', yes: true }
const evaluateFormula = (text: string) => compileExpression(text, Object.keys(variables))(variables)

test.each<[string, Value]>([
  ['a + b * 2', 11],
  ['(a + b) * 2', 18],
  ['a % b', 1],
  ['-a + 1', -6],
  ['a - -b', 9],
  ['number * 2', 5],
  ['1 + number', '12.5'],
  ["text + '-' + a", 'x-7'],
  ['a / zero', null],
  ['zero / zero', null],
  ['a + none', null],
  ['text + none', null],
  ['-none', null],
  ['ln(0)', null],
  ['ln(1)', 0],
  ['floor(2.7)', 2],
  ['100 * tan(radians(45))', 99.99999999999999],
  ['lerp(10, 20, 0.25)', 12.5],
  ['lerp(a, none, 1)', null],
  ["slice('abcdef', 2, 4)", 'cd'],
  ["slice('abcdef', 2)", 'cdef'],
  ['slice(none, 2)', null],
  ["one_of(text, 'w,x')", true],
  ["one_of(text, 'wx,y')", false],
  ["one_of(none, 'w,x')", null],
  ["a > b ? 'more' : 'less'", 'more'],
  ["none ? 'yes' : 'no'", 'no'],
  ['a > 5 && b > 5', false],
  ['a > 5 || none > 5', true],
  ['none > 5', false],
  ['none <= 5', false],
  ['none == null', true],
  ['a == 7 && a != b', true],
  ["a == '7'", true],
  ['!yes', false],
  ['!none', true],
  ["['N','NE','E'][1]", 'NE'],
  ["['N','NE','E'][3]", null],
  ["['N','NE','E'][-1]", null],
  ["['N','NE','E'][0.5]", null],
  ["['N']['length']", null],
  ['text[0]', null],
  ["slope < 0.5 ? 'flat' : 'steep'".replace('slope', 'zero'), 'flat'],
  ['weiss6(0.2, 5)', 'flat'],
  ['weiss6(0.2, 5.1)', 'middle_slope'],
  ['weiss6(-0.5, 9)', 'middle_slope'],
  ['weiss6(-0.51, 9)', 'lower_slope'],
  ['weiss6(-1.01, 9)', 'valley'],
  ['weiss6(1, 9)', 'upper_slope'],
  ['weiss6(1.01, 9)', 'ridge'],
  ['weiss6(none, 9)', null],
])('%s is %p', (text, value) => expect(evaluateFormula(text)).toBe(value))

test.each([
  ['a + c', 'unknown name c. Known names: a, b'],
  ['zero ? c : a', 'unknown name c'],
  ['constructor', 'unknown name constructor'],
  ['this', 'ThisExpression is not allowed'],
  ['a.b', 'member access is not allowed, except to list elements by index'],
  ["text.constructor('x')", 'only named functions can be called'],
  ["a['constructor']['constructor']('x')", 'only named functions can be called'],
  ['eval(text)', 'unknown function eval. Known functions: floor, ln'],
  ['toString()', 'unknown function toString'],
  ['floor(1, 2)', 'floor takes 1 argument'],
  ['slice(text)', 'slice takes 2 to 3 arguments'],
  ['a; b', 'Compound is not allowed'],
  ['', 'Compound is not allowed'],
  ['a & b', 'unknown operator &'],
  ['a ** b', 'unknown operator **'],
  ['a === b', 'unknown operator ==='],
  ['~a', 'unknown unary operator ~'],
  ['[1,,2][0]', 'a list has an empty element'],
  ['a +', 'has a syntax error'],
  ["'open", 'has a syntax error'],
])('%p is rejected when it is compiled', (text, reason) => {
  expect(() => compileExpression(text, Object.keys(variables))).toThrow(reason)
})

test('a list is not a value, and text is not a number', () => {
  expect(() => evaluateFormula('[1, 2]')).toThrow('uses a list where a single value is required')
  expect(() => evaluateFormula('[1, 2] + 1')).toThrow('uses a list where a single value is required')
  expect(() => evaluateFormula('text * 2')).toThrow('Expected a number.')
  expect(() => evaluateFormula('floor(text)')).toThrow('Expected a number.')
})

test('a known variable without a value is null', () => {
  expect(compileExpression('constructor', ['constructor'])({})).toBeNull()
})

test('a formula looks up each name once', () => {
  const names: string[] = []
  const lookUp = (name: string) => names.push(name)
  expect(compileFormula('100*(units_1+floor(units_2))/units_1')(lookUp)).toBe(300)
  expect(names).toEqual(['units_1', 'units_2'])
})

const signs: Record<string, (x: number, y: number) => number> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '/': (x, y) => x / y,
  '%': (x, y) => x % y,
}
type Tree = { text: string; of: (a: number, b: number) => number }

test('arithmetic agrees with JavaScript if the result is a number', () => {
  const leaves: Tree[] = [
    { text: 'a', of: (a) => a },
    { text: 'b', of: (_, b) => b },
    { text: '3', of: () => 3 },
    { text: '0.5', of: () => 0.5 },
  ]
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...leaves),
      fc.tuple(tie('tree'), fc.constantFrom(...Object.keys(signs)), tie('tree')).map(([left, sign, right]) => ({
        text: `(${left.text}) ${sign} (${right.text})`,
        of: (a: number, b: number) => signs[sign]!(left.of(a, b), right.of(a, b)),
      })),
      fc.tuple(tie('tree'), fc.constantFrom('+', '-'), fc.constantFrom(...leaves)).map(([left, sign, right]) => ({
        text: `(${left.text}) ${sign} ${right.text} * 3`,
        of: (a: number, b: number) => signs[sign]!(left.of(a, b), right.of(a, b) * 3),
      })),
      fc.tuple(tie('tree'), fc.constantFrom(...leaves)).map(([left, right]) => ({
        text: `(${left.text}) / ${right.text} * 3`,
        of: (a: number, b: number) => (left.of(a, b) / right.of(a, b)) * 3,
      })),
    ),
  }))
  fc.assert(
    fc.property(tree, fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 9 }), ({ text, of }, a, b) => {
      const value = compileExpression(text, ['a', 'b'])({ a, b })
      if (value !== null) expect(value).toBe(of(a, b))
    }),
    { numRuns: 300 },
  )
})
