import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Properties } from '../../src/model/source.ts'
import { LayerColumns } from '../../src/packs/layer/layer-columns.ts'
import { layOutColumns } from '../../scripts/embed/lay-out-columns.ts'

const text = fc.option(fc.string({ unit: 'grapheme' }))
const number = fc.option(fc.double({ noNaN: true }))
const rowsOf = fc.array(fc.record({ TEXT: text, NUMBER: number, FEW: fc.constantFrom('a', 'b', null) }), {
  maxLength: 40,
})

test('every row is returned unchanged, in any order', () => {
  fc.assert(
    fc.property(rowsOf, (rows) => {
      const columns = open(rows)
      for (const i of [...rows.keys()].toReversed()) {
        expect(columns.at(i)).toEqual(rows[i]!)
        expect(columns.valueAt(i, 'TEXT')).toBe(rows[i]!.TEXT)
        expect(columns.valueAt(i, 'NUMBER')).toBe(rows[i]!.NUMBER)
      }
    }),
    { numRuns: 300 },
  )
})

test('names that objects inherit are columns like others', () => {
  expect(open([{ constructor: 'a', toString: 1 }]).at(0)).toEqual({ constructor: 'a', toString: 1 } as never)
})

const texts = ['Doña Ana', 'Hagåtña', 'Utqiaġvik', 'Kīlauea', '東京', '🏔️', 'a\u0000b', '"quoted" \\ \n', '', 'e\u0301']

test.each(texts)('the text %j is returned unchanged', (NAME) => {
  expect(open([{ NAME: 'x' }, { NAME }, { NAME: null }]).at(1)).toEqual({ NAME })
})

test('more rows than stay decoded, with more texts than stay decoded, are complete', () => {
  const rows = Array.from({ length: 70_000 }, (_, i): Properties => ({
    many: `Straße ${i}`,
    few: i % 3 === 0 ? null : `n${i % 7}`,
    number: i % 5 === 0 ? null : i / 4,
  }))
  const columns = open(rows)
  for (const i of [0, 4_096, 0, 8_192, 4_095, 65_535, 65_536, 69_999, 0]) expect(columns.at(i)).toEqual(rows[i]!)
})

test('a row is decoded once while it is in use, and its object is shared', () => {
  const columns = open([{ NAME: 'a' }, { NAME: 'b' }])
  const first = columns.at(0)
  columns.at(1)
  expect(columns.at(0)).toBe(first)
})

test('rows are found by a text in any ASCII case, in their order', () => {
  const columns = open(['Aurora', 'AURORA', 'Doña Ana', 'doñA ana', 'DOÑA ANA', null].map((NAME) => ({ NAME, N: 1 })))
  expect(columns.rowsWithText('NAME', ['aurora'])).toEqual([0, 1])
  expect(columns.rowsWithText('NAME', ['doña ana', 'Aurora'])).toEqual([0, 1, 2, 3])
  expect(columns.rowsWithText('NAME', ['Denver'])).toEqual([])
  expect([columns.rowsWithText('N', ['1']), columns.rowsWithText('GHOST', ['1'])]).toEqual([[], []])
})

test('a column that does not exist has no values', () => {
  expect(open([{ NAME: 'a' }]).valueAt(0, 'GHOST')).toBeUndefined()
})

test('a column with texts and numbers is rejected', () => {
  expect(() => open([{ NAME: 'a' }, { NAME: 1 }])).toThrow('The column NAME has values of different types.')
})

function open(rows: Properties[]): LayerColumns {
  return new LayerColumns(layOutColumns(Object.keys(rows[0] ?? {}), rows), rows.length)
}
