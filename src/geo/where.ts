import type { Properties, Value } from '../model/source.ts'
import { attributeOf, compared } from './attribute.ts'

/** True, false, or null for "unknown", as SQL has it. */
type Truth = boolean | null
type Test = (properties: Properties) => Truth
type Operand = (properties: Properties) => Value
type Token = { kind: 'text' | 'number' | 'name' | 'word' | 'sign' | 'end'; text: string; at: number }
type Reader = { condition: string; tokens: Token[]; next: number }

/**
 * A condition in SQL form, as a predicate on attributes: AND, OR, NOT, parentheses, = <> != < <= > >=, [NOT] IN, [NOT] LIKE with % and _
 * (case counts), IS [NOT] NULL. An attribute that is not there is NULL. Numbers and text that reads as a number compare as numbers.
 * Throws an Error that says where the text has the wrong form.
 */
export function conditionOf(condition: string): (properties: Properties) => boolean {
  const reader: Reader = { condition, tokens: tokensOf(condition), next: 0 }
  const test = anyOf(reader)
  if (peek(reader).kind !== 'end') throw wrong(reader, 'AND, OR or the end')
  return (properties) => test(properties) === true
}

function anyOf(reader: Reader): Test {
  const tests = [allOf(reader)]
  while (took(reader, 'OR')) tests.push(allOf(reader))
  return tests.length === 1 ? tests[0]! : (properties) => decided(tests, properties, true)
}

function allOf(reader: Reader): Test {
  const tests = [negated(reader)]
  while (took(reader, 'AND')) tests.push(negated(reader))
  return tests.length === 1 ? tests[0]! : (properties) => decided(tests, properties, false)
}

/** One test that comes out as `decisive` decides; else one that is unknown leaves the whole unknown. */
function decided(tests: Test[], properties: Properties, decisive: boolean): Truth {
  let unknown = false
  for (const test of tests) {
    const truth = test(properties)
    if (truth === decisive) return decisive
    unknown ||= truth === null
  }
  return unknown ? null : !decisive
}

function negated(reader: Reader): Test {
  if (took(reader, 'NOT')) return not(negated(reader))
  if (!took(reader, '(')) return predicate(reader)
  const inner = anyOf(reader)
  expect(reader, ')')
  return inner
}

function predicate(reader: Reader): Test {
  const left = operand(reader)
  if (took(reader, 'IS')) {
    const negative = took(reader, 'NOT')
    expect(reader, 'NULL')
    return (properties) => (left(properties) === null) !== negative
  }
  const negative = took(reader, 'NOT')
  const test = membership(reader, left)
  if (negative && !test) throw wrong(reader, 'IN or LIKE')
  return negative ? not(test!) : (test ?? comparison(reader, left))
}

function membership(reader: Reader, left: Operand): Test | null {
  if (took(reader, 'IN')) return within(reader, left)
  if (took(reader, 'LIKE')) return alike(reader, left)
  return null
}

function within(reader: Reader, left: Operand): Test {
  expect(reader, '(')
  const tests: Test[] = []
  do tests.push(comparing(left, operand(reader), comparisons['=']!))
  while (took(reader, ','))
  expect(reader, ')')
  return (properties) => decided(tests, properties, true)
}

function alike(reader: Reader, left: Operand): Test {
  const token = take(reader)
  if (token.kind !== 'text') throw wrong(reader, 'a text in quotes', token)
  return (properties) => {
    const value = left(properties)
    return value === null ? null : like(String(value), token.text)
  }
}

/** Two hands on the text and the pattern, going back to the last % only: never more steps than their lengths multiplied. */
function like(text: string, pattern: string): boolean {
  let [i, j, star, mark] = [0, 0, -1, 0]
  while (i < text.length) {
    if (pattern[j] === '%') [star, mark, j] = [j, i, j + 1]
    else if (pattern[j] === '_' || pattern[j] === text[i]) [i, j] = [i + 1, j + 1]
    else if (star >= 0) [i, j, mark] = [mark + 1, star + 1, mark + 1]
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

function comparison(reader: Reader, left: Operand): Test {
  const sign = take(reader)
  if (sign.kind !== 'sign' || !Object.hasOwn(comparisons, sign.text)) throw wrong(reader, 'a comparison', sign)
  return comparing(left, operand(reader), comparisons[sign.text]!)
}

function comparing(left: Operand, right: Operand, holds: (order: number) => boolean): Test {
  return (properties) => {
    const [a, b] = [left(properties), right(properties)]
    return a === null || b === null ? null : holds(compared(a, b))
  }
}

function not(test: Test): Test {
  return (properties) => {
    const truth = test(properties)
    return truth === null ? null : !truth
  }
}

function operand(reader: Reader): Operand {
  const token = take(reader)
  if (token.kind === 'text') return () => token.text
  if (token.kind === 'number') return () => Number(token.text)
  if (token.kind === 'name') return (properties) => attributeOf(properties, token.text) ?? null
  throw wrong(reader, 'an attribute or a value', token)
}

const words = new Set(['AND', 'OR', 'NOT', 'IN', 'LIKE', 'IS', 'NULL'])
const form =
  /\s*(?:'(?<text>(?:[^']|'')*)'|"(?<name>(?:[^"]|"")+)"|(?<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z_][\w.]*)|(?<sign><=|>=|<>|!=|[=<>(),]))\s*/gy

function tokensOf(condition: string): Token[] {
  const matches = [...condition.matchAll(form)]
  const end = matches.reduce((sum, [all]) => sum + all.length, 0)
  if (end < condition.length) throw new Error(`The condition ${condition} has the wrong form at character ${end + 1}.`)
  return [...matches.map(({ groups, index }) => tokenOf(groups!, index)), { kind: 'end', text: '', at: end }]
}

function tokenOf({ text, name, number, word, sign }: Record<string, string | undefined>, at: number): Token {
  if (text !== undefined) return { kind: 'text', text: text.replaceAll("''", "'"), at }
  if (name !== undefined) return { kind: 'name', text: name.replaceAll('""', '"'), at }
  if (number !== undefined) return { kind: 'number', text: number, at }
  if (sign !== undefined) return { kind: 'sign', text: sign, at }
  return words.has(word!.toUpperCase()) ? { kind: 'word', text: word!.toUpperCase(), at } : { kind: 'name', text: word!, at }
}

function peek({ tokens, next }: Reader): Token {
  return tokens[next]!
}

function take(reader: Reader): Token {
  const token = peek(reader)
  if (token.kind !== 'end') reader.next++
  return token
}

function took(reader: Reader, text: string): boolean {
  const token = peek(reader)
  if ((token.kind !== 'word' && token.kind !== 'sign') || token.text !== text) return false
  reader.next++
  return true
}

function expect(reader: Reader, text: string) {
  if (!took(reader, text)) throw wrong(reader, text)
}

function wrong({ condition, tokens, next }: Reader, wanted: string, token = tokens[next]!): Error {
  const got = token.kind === 'end' ? 'it ends' : `there is ${token.text}`
  return new Error(`The condition ${condition} has the wrong form: at character ${token.at + 1} ${wanted} was expected, and ${got}.`)
}
