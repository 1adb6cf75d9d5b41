import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Properties } from '../../src/model/source.ts'
import { createRowPacker } from '../../src/packs/packed-rows.ts'

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((it) => it + 0),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)
const row = fc.dictionary(
  fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__'),
  value,
  { noNullPrototype: true },
)

test('every row is returned unchanged, in any order', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
      const packed = packRows(rows)
      expect(packed.length).toBe(rows.length)
      for (const i of rows.keys()) expect(packed.at(rows.length - 1 - i)).toEqual(rows[rows.length - 1 - i]!)
    }),
    { numRuns: 300 },
  )
})

const texts = [
  'Doña Ana',
  'Hagåtña',
  'Utqiaġvik',
  'Kīlauea',
  '東京',
  '🏔️',
  'a\u0000b',
  '"quoted" \\ and \n broken',
  '',
  '\u2028',
  'e\u0301',
]
test.each(texts)('the text %j is returned unchanged', (text) => {
  expect(packRows([{ before: 'x' }, { [text]: text }, { after: 'y' }]).at(1)).toEqual({ [text]: text })
})

test('rows larger than the initial buffer are complete', () => {
  const long = (letter: string, length: number): Properties => ({ text: letter.repeat(length) })
  const rows = [long('a', 10), long('é', 70_000), long('b', 200_000), long('🌋', 100_000), long('c', 1), {}]
  const packed = packRows(rows)
  expect(rows.map((_, i) => packed.at(i))).toEqual(rows)
})

test('many small rows are complete', () => {
  const rows = Array.from({ length: 20_000 }, (_, i): Properties => ({ i, name: `Straße ${i}` }))
  const packed = packRows(rows)
  expect([0, 1, 9_999, 19_999].map((i) => packed.at(i))).toEqual([0, 1, 9_999, 19_999].map((i) => rows[i]!))
})

test('a column with many different values is complete, and so is one whose values become diverse late', () => {
  const rows = Array.from({ length: 6_000 }, (_, i): Properties => ({
    many: `name ${i}`,
    few: i % 3 === 0 ? null : i % 7,
    later: i < 3_000 ? true : i,
    ...(i % 2 === 0 && { rarely: `é ${i}` }),
  }))
  const packed = packRows(rows)
  for (const i of rows.keys()) expect(packed.at(i)).toEqual(rows[i]!)
})

test('an empty list of rows is empty', () => {
  expect(packRows([]).length).toBe(0)
})

test('rows with different columns keep their own columns', () => {
  const rows: Properties[] = [{ a: 1, b: 2 }, { b: 3, a: 4 }, { a: 5 }, {}, { a: 6, c: 7 }, { a: 8, b: 9 }]
  const packed = packRows(rows)
  for (const [i, row] of rows.entries()) expect(packed.at(i)).toEqual(row)
  expect(Object.keys(packed.at(3))).toEqual([])
})

function packRows(rows: Properties[]) {
  const packed = createRowPacker()
  for (const row of rows) packed.add(row)
  return packed.rows()
}
