import type { Properties, Value } from '../../model/source.ts'
import { attributeOf, compareValues, numberOf } from '../attribute.ts'
import { schemaChangedError } from '../../model/error.ts'
import { isPlaceholder, magnitudeMax, placeholderError } from '../../model/placeholder.ts'

/** SQL three-valued logic: null is unknown. */
type Truth = boolean | null
type Predicate = (properties: Properties) => Truth
type Operand = (properties: Properties) => Value
type Token = { kind: 'text' | 'number' | 'name' | 'word' | 'sign' | 'end'; text: string; at: number }
type TokenReader = { condition: string; tokens: Token[]; next: number }

/**
 * Compiles a SQL condition to a predicate on attributes. Supports AND, OR, NOT, parentheses, = <> != < <= > >=, [NOT]
 * IN, IS [NOT] NULL and case-sensitive [NOT] LIKE with % and _. A missing attribute is NULL. Numbers and text that
 * parses as a number compare as numbers. Throws an Error with the position of a syntax error. /
 */
export function compileCondition(condition: string): (properties: Properties) => boolean {
  const reader: TokenReader = { condition, tokens: tokensOf(condition), next: 0 }
  const test = parseOr(reader)
  if (peek(reader).kind !== 'end') throw syntaxError(reader, 'AND, OR or the end')
  return (properties) => test(properties) === true
}

/** Returns the names of the attributes in a SQL condition. */
export function namesInCondition(condition: string): string[] {
  return tokensOf(condition).flatMap(({ kind, text }) => (kind === 'name' ? [text] : []))
}

function parseOr(reader: TokenReader): Predicate {
  const tests = [parseAnd(reader)]
  while (takeIf(reader, 'OR')) tests.push(parseAnd(reader))
  return tests.length === 1 ? tests[0]! : (properties) => combineTruths(tests, properties, true)
}

function parseAnd(reader: TokenReader): Predicate {
  const tests = [parseNot(reader)]
  while (takeIf(reader, 'AND')) tests.push(parseNot(reader))
  return tests.length === 1 ? tests[0]! : (properties) => combineTruths(tests, properties, false)
}

/** Combines tests: the result is `decisive` if any test is, otherwise unknown if any test is unknown. */
function combineTruths(tests: Predicate[], properties: Properties, decisive: boolean): Truth {
  let unknown = false
  for (const test of tests) {
    const truth = test(properties)
    if (truth === decisive) return decisive
    unknown ||= truth === null
  }
  return unknown ? null : !decisive
}

function parseNot(reader: TokenReader): Predicate {
  if (takeIf(reader, 'NOT')) return not(parseNot(reader))
  if (!takeIf(reader, '(')) return parsePredicate(reader)
  const inner = parseOr(reader)
  expect(reader, ')')
  return inner
}

function parsePredicate(reader: TokenReader): Predicate {
  const left = parseOperand(reader)
  if (takeIf(reader, 'IS')) {
    const negative = takeIf(reader, 'NOT')
    expect(reader, 'NULL')
    return (properties) => (left(properties) === null) !== negative
  }
  const negative = takeIf(reader, 'NOT')
  const test = parseMembership(reader, left)
  if (negative && !test) throw syntaxError(reader, 'IN or LIKE')
  return negative ? not(test!) : (test ?? parseComparison(reader, left))
}

function parseMembership(reader: TokenReader, left: Operand): Predicate | null {
  if (takeIf(reader, 'IN')) return parseIn(reader, left)
  if (takeIf(reader, 'LIKE')) return parseLike(reader, left)
  return null
}

function parseIn(reader: TokenReader, left: Operand): Predicate {
  expect(reader, '(')
  const tests: Predicate[] = []
  do tests.push(compareOperands(left, parseOperand(reader), comparisons['=']!))
  while (takeIf(reader, ','))
  expect(reader, ')')
  return (properties) => combineTruths(tests, properties, true)
}

function parseLike(reader: TokenReader, left: Operand): Predicate {
  const token = take(reader)
  if (token.kind !== 'text') throw syntaxError(reader, 'quoted text', token)
  return (properties) => {
    const value = left(properties)
    return value === null ? null : matchesLike(String(value), token.text)
  }
}

/** Matches greedily and backtracks only to the last %: at most text length times pattern length steps. */
function matchesLike(text: string, pattern: string): boolean {
  let [i, j, star, starText] = [0, 0, -1, 0]
  while (i < text.length) {
    if (pattern[j] === '%') [star, starText, j] = [j, i, j + 1]
    else if (pattern[j] === '_' || pattern[j] === text[i]) [i, j] = [i + 1, j + 1]
    else if (star >= 0) [i, j, starText] = [starText + 1, star + 1, starText + 1]
    else return false
  }
  while (pattern[j] === '%') j++
  return j === pattern.length
}

const comparisons: Record<string, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function parseComparison(reader: TokenReader, left: Operand): Predicate {
  const sign = take(reader)
  if (sign.kind !== 'sign' || !Object.hasOwn(comparisons, sign.text))
    throw syntaxError(reader, 'a comparison operator', sign)
  return compareOperands(left, parseOperand(reader), comparisons[sign.text]!)
}

function compareOperands(left: Operand, right: Operand, holds: (order: number) => boolean): Predicate {
  return (properties) => {
    const [a, b] = [left(properties), right(properties)]
    return a === null || b === null ? null : holds(compareValues(a, b))
  }
}

function not(test: Predicate): Predicate {
  return (properties) => {
    const truth = test(properties)
    return truth === null ? null : !truth
  }
}

function parseOperand(reader: TokenReader): Operand {
  const token = take(reader)
  if (token.kind === 'text') return () => token.text
  if (token.kind === 'number') return () => Number(token.text)
  if (token.kind === 'name') return (properties) => attributeOf(properties, token.text) ?? null
  throw syntaxError(reader, 'an attribute or a value', token)
}

const keywords = new Set(['AND', 'OR', 'NOT', 'IN', 'LIKE', 'IS', 'NULL'])
const tokenPattern =
  /\s*(?:'(?<text>(?:[^']|'')*)'|"(?<name>(?:[^"]|"")+)"|(?<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z_][\w.]*)|(?<sign><=|>=|<>|!=|[=<>(),]))\s*/gy

function tokensOf(condition: string): Token[] {
  const matches = [...condition.matchAll(tokenPattern)]
  const end = matches.reduce((sum, [all]) => sum + all.length, 0)
  if (end < condition.length) throw new Error(`The condition ${condition} has a syntax error at character ${end + 1}.`)
  return [...matches.map(({ groups, index }) => tokenOf(groups!, index)), { kind: 'end', text: '', at: end }]
}

function tokenOf({ text, name, number, word, sign }: Record<string, string | undefined>, at: number): Token {
  if (text !== undefined) return { kind: 'text', text: text.replaceAll("''", "'"), at }
  if (name !== undefined) return { kind: 'name', text: name.replaceAll('""', '"'), at }
  if (number !== undefined) return { kind: 'number', text: number, at }
  if (sign !== undefined) return { kind: 'sign', text: sign, at }
  return keywords.has(word!.toUpperCase())
    ? { kind: 'word', text: word!.toUpperCase(), at }
    : { kind: 'name', text: word!, at }
}

function peek({ tokens, next }: TokenReader): Token {
  return tokens[next]!
}

function take(reader: TokenReader): Token {
  const token = peek(reader)
  if (token.kind !== 'end') reader.next++
  return token
}

function takeIf(reader: TokenReader, text: string): boolean {
  const token = peek(reader)
  if ((token.kind !== 'word' && token.kind !== 'sign') || token.text !== text) return false
  reader.next++
  return true
}

function expect(reader: TokenReader, text: string) {
  if (!takeIf(reader, text)) throw syntaxError(reader, text)
}

function syntaxError({ condition, tokens, next }: TokenReader, expected: string, token = tokens[next]!): Error {
  const found = token.kind === 'end' ? 'the end' : token.text
  return new Error(
    `The condition ${condition} has a syntax error at character ${token.at + 1}: expected ${expected}, found ${found}.`,
  )
}

/** Returns the records that meet a condition. @throws {UpstreamError} as `requireConditionAttributes`. */
export function recordsWhere<T>(records: readonly T[], where: string, propertiesOf: (record: T) => Properties): T[] {
  requireConditionAttributes(records.map(propertiesOf), where)
  const passes = compileCondition(where)
  return records.filter((record) => passes(propertiesOf(record)))
}

/**
 * Throws `schema_changed` if no record has an attribute of a condition: then the condition would hold for none of them.
 * Throws `bad_value` if a record has a placeholder in one, or a value of another type than the condition: then nothing
 * says whether the condition holds for it. A condition with a range, such as `AADT > 0`, says it for negative numbers.
 * Without records nothing is known.
 */
export function requireConditionAttributes(records: readonly Properties[], where: string): void {
  if (records.length === 0) return
  const names = namesInCondition(where)
  const missing = names.filter((name) => records.every((properties) => attributeOf(properties, name) === undefined))
  if (missing.length > 0) throw schemaChangedError(missing, Object.keys(records[0]!))
  const hasRange = /[<>]/.test(where.replaceAll('<>', ''))
  for (const [name, type] of comparedTypes(where))
    for (const properties of records) {
      const value = attributeOf(properties, name) ?? null
      const isComparable = value === null || type === null || isOfType(value, type)
      if (!isComparable || (isPlaceholder(value) && !(hasRange && isNegativeMeasure(value))))
        throw placeholderError(value)
    }
}

/** `digits`: a number in quotes. */
type ComparedType = 'text' | 'number' | 'digits'

/** The type of the values that a condition compares each name with; null for the start of a number, and for none. */
function comparedTypes(where: string): Map<string, ComparedType | null> {
  const types = new Map<string, ComparedType | null>()
  let name = ''
  for (const { kind, text } of tokensOf(where)) {
    if (kind === 'name') name = text
    if (kind === 'name' && !types.has(name)) types.set(name, null)
    if (kind === 'number' || (kind === 'text' && /^\d+$/.test(text)))
      types.set(name, kind === 'number' ? kind : 'digits')
    else if (kind === 'text' && /[^%_ ]/.test(text)) types.set(name, /[^\d%]/.test(text) ? 'text' : null)
  }
  return types
}

function isOfType(value: Value, type: ComparedType): boolean {
  if (type === 'text') return typeof value === 'string'
  if (typeof value === 'boolean') return type === 'number'
  return numberOf(value) !== null || String(value).trim() === ''
}

function isNegativeMeasure(value: Value): boolean {
  const number = Number(value)
  return number < 0 && number > -magnitudeMax
}
