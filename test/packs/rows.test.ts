import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Properties } from '../../src/model/source.ts'
import { packRows } from '../../src/packs/packed-rows.ts'

const value = fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }).map((it) => it + 0), fc.integer(), fc.boolean(), fc.constant(null))
const row = fc.dictionary(fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__'), value, { noNullPrototype: true })

test('every row comes out as it went in, in any order', () => {
  fc.assert(fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
    const packed = packRows(rows)
    expect(packed.length).toBe(rows.length)
    for (const i of rows.keys()) expect(packed.at(rows.length - 1 - i)).toEqual(rows[rows.length - 1 - i]!)
  }), { numRuns: 300 })
})

const texts = ['Doña Ana', 'Hagåtña', 'Utqiaġvik', 'Kīlauea', '東京', '🏔️', 'a\u0000b', '"quoted" \\ and \n broken', '', '\u2028', 'e\u0301']
test.each(texts)('the text %j is not touched', (text) => {
  expect(packRows([{ before: 'x' }, { [text]: text }, { after: 'y' }]).at(1)).toEqual({ [text]: text })
})

test('rows that are larger than the first stretch of memory are whole', () => {
  const long = (letter: string, length: number): Properties => ({ text: letter.repeat(length) })
  const rows = [long('a', 10), long('é', 70_000), long('b', 200_000), long('🌋', 100_000), long('c', 1), {}]
  const packed = packRows(rows)
  expect(rows.map((_, i) => packed.at(i))).toEqual(rows)
})

test('many small rows are whole', () => {
  const rows = Array.from({ length: 20_000 }, (_, i): Properties => ({ i, name: `Straße ${i}` }))
  const packed = packRows(rows)
  expect([0, 1, 9_999, 19_999].map((i) => packed.at(i))).toEqual([0, 1, 9_999, 19_999].map((i) => rows[i]!))
})

test('no rows are none', () => {
  expect(packRows([]).length).toBe(0)
})

test('rows are taken one at a time, as they come', () => {
  let given = 0
  packRows(function* () {
    for (const i of [1, 2, 3]) {
      given++
      yield { i }
    }
  }())
  expect(given).toBe(3)
})
