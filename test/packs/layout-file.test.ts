import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createChecksum, decodeLayout, encodeLayout, readHeader } from '../../src/packs/embedded/layout-file.ts'

const typedArray = fc.oneof(
  fc.uint8Array(),
  fc.uint16Array(),
  fc.uint32Array(),
  fc.int16Array(),
  fc.int32Array(),
  fc.float32Array({ noNaN: true }),
  fc.float64Array({ noNaN: true }),
)
const tree = fc.record(
  {
    text: fc.string({ unit: 'grapheme' }),
    nothing: fc.constant(null),
    list: fc.array(typedArray, { maxLength: 5 }),
    layers: fc.dictionary(
      fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter((name) => name !== '__proto__' && name !== '$array'),
      fc.record({ shapes: typedArray, count: fc.integer() }, { noNullPrototype: true }),
      { maxKeys: 5, noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
)

test.each([false, true])('a tree with typed arrays is read back unchanged (packed: %p)', (packed) => {
  fc.assert(
    fc.property(tree, (content) => {
      expect(decodeLayout<typeof content>(encodeLayout(content, { packed }))).toEqual(content)
    }),
    { numRuns: 200 },
  )
})

test('coordinates and ascending numbers at the limits of their type are read back unchanged', () => {
  const coordinates = Int32Array.of(-(2 ** 31), 2 ** 31 - 1, 2 ** 31 - 1, -(2 ** 31), 0, -1, 5, 7)
  const starts = Uint32Array.from({ length: 10_000 }, (_, i) => 429_496 * i)
  const content = { coordinates, starts, large: Uint32Array.of(2 ** 32 - 1, 0, 2 ** 31) }
  expect(decodeLayout<typeof content>(encodeLayout(content, { packed: true }))).toEqual(content)
})

test('arrays are views of the file at multiples of 64 bytes', () => {
  const file = encodeLayout({ a: Uint8Array.of(1, 2, 3), b: Float64Array.of(1.5) })
  const { a, b } = decodeLayout<{ a: Uint8Array; b: Float64Array }>(file)
  expect([a.buffer, b.buffer]).toEqual([file.buffer, file.buffer])
  expect([a.byteOffset % 64, b.byteOffset % 64, file.length % 64]).toEqual([0, 0, 0])
})

test('the checksum is the CRC-32 of what follows the header, in blocks of any size', () => {
  const file = encodeLayout({ a: Float64Array.from({ length: 1000 }, (_, i) => i) })
  const { checksum } = readHeader(file, file.length)
  expect(checksum).toBe(Bun.hash.crc32(file.subarray(64)))
  const blocks = createChecksum()
  for (let at = 0; at < file.length; at += 1000) blocks.update(file.subarray(at, at + 1000))
  expect(blocks.value()).toBe(checksum)
})

test.each([
  ['another first word', 0, 'The file does not begin with FSLAYOUT.'],
  ['another version', 8, 'The file has format version 254, expected 1.'],
  ['another byte order', 12, 'The file has the byte order of another processor.'],
  ['another length', 16, /^The file has \d+ bytes, expected /],
])('a file with %s is rejected', (_name, at, message) => {
  const file = encodeLayout({ a: Uint8Array.of(1) })
  file[at]! ^= 0xff
  expect(() => decodeLayout(file)).toThrow(message)
})

test('a file that is cut is rejected', () => {
  const file = encodeLayout({ a: Uint8Array.of(1) })
  expect(() => decodeLayout(file.slice(0, 64))).toThrow(`The file has 64 bytes, expected ${file.length}.`)
  expect(() => decodeLayout(new Uint8Array(0))).toThrow('The file does not begin with FSLAYOUT.')
})
