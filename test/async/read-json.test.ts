import { Type } from '@sinclair/typebox'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bodyJson, type BodyPiece } from '../../src/http/request/body.ts'
import { readJson } from '../../src/async/read-json.ts'
import { ValidationError } from '../../src/model/error.ts'

const Body = Type.Object({
  kind: Type.Optional(Type.String()),
  names: Type.Optional(Type.Array(Type.String())),
  places: Type.Optional(
    Type.Array(Type.Object({ lat: Type.Optional(Type.Number()), note: Type.Optional(Type.String()) }), {
      maxItems: 100,
    }),
  ),
})
/** A text of more than one piece, so that it is read in steps. */
const blanks = ' '.repeat(40_000)

/** The pieces of a text, each of this many bytes. */
function piecesOf(text: string | Uint8Array, size = 10_000): BodyPiece[] {
  const bytes = Buffer.from(text as string)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_none, i) =>
    Uint8Array.from(bytes.subarray(i * size, (i + 1) * size)),
  )
}

/** Reads a text in steps and returns the value and the number of steps. */
function read(text: string | Uint8Array, schema: Parameters<typeof readJson>[1] = null, size = 10_000) {
  const reading = readJson(piecesOf(text, size), schema, bodyJson)
  for (let steps = 1; ; steps++) {
    const step = reading.next()
    if (step.done) return { value: step.value, steps }
  }
}

function messageOf(text: string | Uint8Array): string {
  try {
    read(text)
  } catch (error) {
    if (error instanceof ValidationError) return `${error.violations[0]!.type}: ${error.violations[0]!.msg}`
    throw error
  }
  return 'read'
}

describe('without a schema, a large text has the value that JSON.parse returns', () => {
  test('for any value, whatever its size and wherever its bytes are split', () => {
    const text = fc.oneof(fc.string({ maxLength: 50 }), fc.string({ unit: 'binary', maxLength: 50 }))
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
      leaf: fc.oneof(
        text,
        text.map((it) => it.repeat(2_000)),
        fc.double({ noNaN: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      list: fc.array(tie('value'), { maxLength: 20 }),
      object: fc.dictionary(text, tie('value'), { maxKeys: 20 }),
    }))
    fc.assert(
      fc.property(value, fc.integer({ min: 500, max: 70_000 }), fc.boolean(), (it, size, isSpaced) => {
        const json = `${blanks}${JSON.stringify(it, null, isSpaced ? 2 : 0)}`
        const parsed = JSON.parse(json) as unknown
        const found = read(json, null, size).value
        // A string of more than four pieces is cut.
        if (!json.includes('x'.repeat(120_000)) && json.length < 120_000) expect(found).toEqual(parsed)
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['many items', `[${'1,'.repeat(50_000)}1]`],
    ['many members', `{${Array.from({ length: 9_000 }, (_none, i) => `"k${i}":${i}`).join()}}`],
    ['large items', `[${Array.from({ length: 3 }, () => `[${'[1,2],'.repeat(9_000)}3]`).join(' , ')}]`],
    ['large members', `{"a" : [${'1,'.repeat(40_000)}1], "b":"x" ,"c":{"d":[${'1,'.repeat(40_000)}1]}}`],
    ['an empty list and an empty object after blanks', `[[${blanks}],{${blanks}},${blanks}[]${blanks}]`],
    ['a string of several pieces with escapes', `"${'\\u00e9\\n\\ud83d\\ude00'.repeat(4_000)}"`],
    ['a repeated member', `{"a":1,"b":"${'x'.repeat(40_000)}","a":2}`],
    ['the name __proto__', `{"__proto__":{"a":1},"b":"${'x'.repeat(40_000)}","__proto__":[${'1,'.repeat(40_000)}1]}`],
  ])('%s', (_name, json) => expect(read(json).value).toEqual(JSON.parse(json)))
})

describe('a large text that is not JSON is rejected like a small one', () => {
  const filler = `"${'x'.repeat(40_000)}"`
  test.each([
    ['a comma at the end of a list', `[${filler},]`],
    ['a comma at the beginning of a list', `[,${filler}]`],
    ['two commas', `[1,,${filler}]`],
    ['a comma at the end of an object', `{"a":${filler},}`],
    ['a wrong bracket', `[${filler}}`],
    ['no bracket', `[${filler}`],
    ['a missing colon', `{"a" ${filler}}`],
    ['a name without quotes', `{a:${filler}}`],
    ['a missing comma', `[${filler} ${filler}]`],
    ['text after the end', `[${filler}] x`],
    ['a control character in a string', `["a\nb",${filler}]`],
    ['an escape that is cut', `["${'x'.repeat(40_000)}\\u00"]`],
    ['a bracket too many', `[${filler}]]`],
    ['a wrong word', `[${filler},nul]`],
    ['only blanks', blanks],
    ['nothing', ''],
    ['a string without an end', `"${'x'.repeat(100_000)}`],
    ['a number of a hundred thousand digits', '1'.repeat(100_000)],
  ])('%s', (_name, json) => {
    expect(() => JSON.parse(json === '1'.repeat(100_000) ? 'x' : json) as unknown).toThrow()
    expect(messageOf(json)).toStartWith('json_invalid: The body ')
  })

  test('nesting of 32 levels is read, of 33 levels not, wherever it is', () => {
    const nested = (depth: number) => `[${filler},${'['.repeat(depth - 1)}1${']'.repeat(depth - 1)}]`
    expect(messageOf(nested(32))).toBe('read')
    expect(messageOf(nested(33))).toContain('more than 32 levels')
    expect(messageOf('['.repeat(1_000_000))).toContain('more than 32 levels')
  })

  test('bytes that are not UTF-8', () => {
    expect(messageOf(Buffer.concat([Buffer.from(`[${filler},"`), Buffer.from([0xff]), Buffer.from('"]')]))).toBe(
      'json_invalid: The body is not UTF-8.',
    )
  })
})

describe('of a large text, only what the schema describes is kept', () => {
  test('members that it does not name, at any depth', () => {
    const json = `{"x":[${'{},'.repeat(50_000)}1],"kind":"k","places":[{"lat":1,"y":[${'1,'.repeat(40_000)}1]},{"z":2,"note":"n"}]}`
    expect(read(json, Body).value).toEqual({ kind: 'k', places: [{ lat: 1 }, { note: 'n' }] })
  })

  test('one item more than the maximum of a list', () => {
    const { places } = read(`{"places":[${'{"lat":1,"x":2},'.repeat(9_000)}{}]}`, Body).value as { places: object[] }
    expect([places.length, places[100]]).toEqual([101, { lat: 1 }])
  })

  test('the different items of a list without a maximum', () => {
    const repeated = `{"names":[${'"county",'.repeat(50_000)}"timezone"]}`
    const { names } = read(repeated, Body).value as { names: string[] }
    expect([names.length, names.at(-1)]).toEqual([1001, 'timezone'])
    const different = `{"names":[${Array.from({ length: 90_000 }, (_none, i) => `"n${i}"`).join()}]}`
    expect((read(different, Body).value as { names: string[] }).names).toHaveLength(3000)
  })

  test('a wrong item after a thousand is reported with its index', () => {
    const json = `{"names":[${'"county",'.repeat(50_000)}5]}`
    expect(() => read(json, Body)).toThrow(ValidationError)
    try {
      read(json, Body)
    } catch (error) {
      expect((error as ValidationError).violations).toMatchObject([
        { type: 'string_type', loc: ['body', 'names', 50_000] },
      ])
    }
  })

  test('no content of a list where the schema wants a string', () => {
    expect(read(`{"kind":[${'1,'.repeat(40_000)}1],"names":{"x":[${'1,'.repeat(40_000)}1]}}`, Body).value).toEqual({
      kind: [],
      names: {},
    })
  })
})

test('a text is read in many short steps, and its pieces are freed', () => {
  const chunks = piecesOf(`[${'1,'.repeat(1_000_000)}1]`, 65_536)
  const sent = [...chunks]
  const reading = readJson(chunks, Body, bodyJson)
  let steps = 0
  while (!reading.next().done) steps++
  expect(steps).toBeGreaterThan(50)
  expect(sent.map(({ length }) => length)).toEqual(sent.map(() => 0))
})
