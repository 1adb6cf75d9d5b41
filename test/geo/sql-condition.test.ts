import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileCondition, requireConditionAttributes } from '../../src/geo/text/sql-condition.ts'
import type { Properties, Value } from '../../src/model/source.ts'

const road: Properties = {
  MTFCC: 'S1100',
  lanes: '4',
  'Parameter Code': '88101',
  toll: null,
  'roads.NAME': "O'Hare Rd",
  speed: 55.5,
  paved: true,
}

test.each([
  ["MTFCC IN ('S1100','S1200')", true],
  ["mtfcc NOT IN ('S1100')", false],
  ['lanes IN (2, 4)', true],
  ['lanes >= 10', false],
  ["lanes <> '4'", false],
  ['"Parameter Code" = 88101', true],
  ["name = 'O''Hare Rd'", true],
  ["name LIKE 'O%Rd'", true],
  ["name LIKE '_''hare%'", false],
  ["name NOT LIKE '%Ave'", true],
  ["MTFCC LIKE 'S11__'", true],
  ["MTFCC LIKE 'S11_'", false],
  ['speed > 55 AND speed < 56', true],
  ['speed != -1 AND speed >= +5.55e1', true],
  ['paved = 1', true],
  ['toll IS NULL', true],
  ['toll IS NOT NULL', false],
  ['nowhere IS NULL', true],
  ['1=1', true],
  ['not speed > 60 and (lanes = 3 or lanes = 4)', true],
  ['lanes = 4 OR lanes = 5 AND lanes = 6', true],
  ['MTFCC = 5', false],
  ['MTFCC <> 5', true],
])('%s is %p', (condition, holds) => expect(compileCondition(condition)(road)).toBe(holds))

test.each([
  'toll = 1',
  'toll <> 1',
  'NOT toll = 1',
  'toll IN (1)',
  'toll NOT IN (1)',
  "toll LIKE '%'",
  "NOT toll LIKE '%'",
  'nowhere > 0',
  'toll = 1 AND lanes = 4',
])('an unknown result fails: %s', (condition) => expect(compileCondition(condition)(road)).toBe(false))

test('OR is true if one side is unknown and the other true', () => {
  expect(compileCondition('toll = 1 OR lanes = 4')(road)).toBe(true)
  expect(compileCondition('NOT (toll = 1 AND lanes = 5)')(road)).toBe(true)
})

test.each([
  ['', 'at character 1: expected an attribute or a value, found the end'],
  ['lanes =', 'at character 8: expected an attribute or a value, found the end'],
  ['lanes 4', 'at character 7: expected a comparison operator, found 4'],
  ['lanes IN 4', 'at character 10: expected (, found 4'],
  ['lanes IN ()', 'at character 11: expected an attribute or a value, found )'],
  ['(lanes = 4', 'at character 11: expected ), found the end'],
  ['lanes = 4)', 'at character 10: expected AND, OR or the end, found )'],
  ['lanes NOT 4', 'at character 11: expected IN or LIKE, found 4'],
  ['name LIKE 4', 'at character 11: expected quoted text, found 4'],
  ["name = 'O", 'at character 8'],
  ['lanes = 4; DROP', 'at character 10'],
])('a syntax error reports its position: %s', (condition, where) => {
  expect(() => compileCondition(condition)).toThrow(`The condition ${condition} has a syntax error`)
  expect(() => compileCondition(condition)).toThrow(where)
})

test('LIKE takes at most text length times pattern length steps', () => {
  expect(compileCondition(`name LIKE '${'%a'.repeat(50)}%b'`)({ name: 'a'.repeat(10_000) })).toBe(false)
})

type Tree = { leaf: string } | { not: Tree } | { all: Tree[] } | { any: Tree[] }

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record({ leaf: fc.constantFrom('a = 1', 'b = 1', 'c = 1') }),
    fc.record({ not: tie('tree') }),
    fc.record({ all: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }) }),
  ),
}))

function written(it: Tree): string {
  if ('leaf' in it) return it.leaf
  if ('not' in it) return `NOT (${written(it.not)})`
  return 'all' in it
    ? it.all.map((part) => `(${written(part)})`).join(' AND ')
    : it.any.map((part) => `(${written(part)})`).join(' OR ')
}

/** Truth as 0, 1/2 and 1: NOT is 1 - x, AND is the minimum, OR is the maximum. */
function truth(it: Tree, properties: Properties): number {
  if ('leaf' in it) return ({ null: 0.5, 1: 1 } as Record<string, number>)[String(properties[it.leaf[0]!])] ?? 0
  if ('not' in it) return 1 - truth(it.not, properties)
  return 'all' in it
    ? Math.min(...it.all.map((part) => truth(part, properties)))
    : Math.max(...it.any.map((part) => truth(part, properties)))
}

test('random conditions follow three-valued logic', () => {
  const value = fc.constantFrom<Value>(0, 1, null)
  fc.assert(
    fc.property(tree, fc.record({ a: value, b: value, c: value }), (it, properties) => {
      expect(compileCondition(written(it))(properties)).toBe(truth(it, properties) === 1)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ["status = 'Open'", '<Null>'],
  ["status = 'Open'", -9999],
  ['status IN (1, 2)', '-99999'],
  ['status <> 4', -9999],
  ['status > 0', 'N/A'],
  ['status > 0', 3.4e38],
  ['status IN (1, 2)', 'ZZ9'],
  ["status = '00060'", 'ZZ9'],
  ["status = '00060'", true],
  ["status = 'Open'", true],
  ["status LIKE '%pen'", 42],
])('nothing says whether %s holds for %p', (condition, status) => {
  expect(() => requireConditionAttributes([{ status: 1 }, { status }], condition)).toThrow('in place of a value')
})

test.each([
  ["status = 'Open'", null],
  ["status = 'Open'", 'Closed'],
  ["status LIKE '5%'", '4A'],
  ['status IN (1, 2)', true],
  ['status IN (1, 2)', '3'],
  ["status = '1'", 2],
  ['status > 0', ' '],
  ['status > 0', -9999],
])('%s says whether it holds for %p', (condition, status) => requireConditionAttributes([{ status }], condition))
