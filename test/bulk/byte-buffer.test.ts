import { expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import { ByteBuffer } from '../../src/bulk/byte-buffer.ts'
import type { Field } from '../../src/catalog/records.ts'
import { checkedValueOf } from '../../src/fetch/checked-outcome.ts'

const decoder = new TextDecoder()
const random = randomOf(20_261_126)
/** Numbers of all sizes, many of them halfway between two results. */
const numbers = Array.from({ length: 50_000 }, (_, i) => {
  const number = (random() - 0.3) * 10 ** (random() * 14 - 4)
  return i % 3 === 0 ? number : Number(number.toFixed(i % 8)) + (i % 7 === 0 ? 0.5 : 0)
})

test('numbers are written as JSON does, or not at all', () => {
  const buffer = new ByteBuffer()
  let written = 0
  const wrong = [...numbers, 0, -0, 1, 10, 999_999_999, 1e9, 1e21, 0.5].filter((number) => {
    const isWritten = buffer.addNumber(number)
    if (isWritten) written++
    return decoder.decode(buffer.take()) !== (isWritten ? JSON.stringify(number) : '')
  })
  expect(wrong).toEqual([])
  expect(written).toBeGreaterThan(numbers.length / 4)
})

test('numbers are rounded to nine digits as toPrecision does, and to decimals as toFixed does', () => {
  for (const decimals of [undefined, 0, 1, 3, 6]) {
    const field = { name: 'a', type: 'float', ...(decimals !== undefined && { decimals }) } as Field
    const rounded = (number: number) => {
      const value = Number(number.toPrecision(9))
      return decimals === undefined ? value : Number(value.toFixed(decimals)) + 0
    }
    expect(numbers.filter((number) => checkedValueOf(field, number) !== rounded(number))).toEqual([])
  }
})

test('a text with a character that is not plain is not written', () => {
  const buffer = new ByteBuffer()
  const isPlain = Uint8Array.from({ length: 256 }, (_, code) => Number(code !== 44))
  const isPlainAtStart = Uint8Array.from({ length: 256 }, (_, code) => Number(code !== 61))
  const results = ['ab', '', 'a,b', '=a', 'a=', 'é', 'Ā'].map((text) => [
    buffer.addPlainText(text, isPlainAtStart, isPlain),
    decoder.decode(buffer.take()),
  ])
  expect(results).toEqual([
    [true, 'ab'],
    [true, ''],
    [false, ''],
    [false, ''],
    [true, 'a='],
    [false, ''],
    [false, ''],
  ])
})
