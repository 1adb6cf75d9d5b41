import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { parquetDecompressors } from '../../../src/packs/import/parquet-decompressors.ts'
import { decompressLz4, decompressLz4Hadoop } from '../../../src/packs/import/lz4.ts'

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** 30 times `ab`, a word that follows, and an end of literals alone: as the format says it by hand. */
const hand = Uint8Array.of(0x2f, 97, 98, 2, 0, 39, 0x80, ...bytesOf(', an end'))
const plain = `${'ab'.repeat(30)}, an end`

describe('a block of LZ4', () => {
  test('is unpacked: literals, copies that overlap, lengths over several bytes', () => {
    expect(textOf(decompressLz4(hand, plain.length))).toBe(plain)
    // 300 literals are 15, 255 and 30; 1,000 more of the last are 15 + 4, three times 255, and 216.
    const long = Uint8Array.of(0xff, 255, 30, ...new Uint8Array(300).fill(120), 1, 0, 255, 255, 255, 216, 0x10, 121)
    expect(textOf(decompressLz4(long, 1301))).toBe(`${'x'.repeat(1300)}y`)
    expect(decompressLz4(Uint8Array.of(0), 0).length).toBe(0)
  })

  test.each([
    ['is cut off', hand.subarray(0, 9)],
    ['is cut off in a length', hand.subarray(0, 5)],
    ['points before its beginning', Uint8Array.of(0x20, 97, 98, 3, 0, 0x00)],
    ['points at itself', Uint8Array.of(0x20, 97, 98, 0, 0)],
    ['is longer than is said', Uint8Array.of(0x2f, 97, 98, 2, 0, 255, 255, 255, 0)],
    ['is shorter than is said', Uint8Array.of(0x20, 97, 98)],
    ['is nothing', new Uint8Array(0)],
  ])('that %s is refused', (_what, bytes) => {
    expect(() => decompressLz4(bytes, plain.length)).toThrow('A block of LZ4')
  })

  test('is found within the frames of Hadoop, and without them', () => {
    const head = (length: number, packed: number) => [0, 0, 0, length, 0, 0, 0, packed]
    const two = Uint8Array.of(...head(plain.length, hand.length), ...hand, ...head(plain.length, hand.length), ...hand)
    expect(textOf(decompressLz4Hadoop(two, 2 * plain.length))).toBe(plain + plain)
    expect(textOf(decompressLz4Hadoop(hand, plain.length))).toBe(plain)
    expect(() => decompressLz4Hadoop(two.subarray(0, -1), 2 * plain.length)).toThrow('A block of LZ4')
  })

  test.skipIf(Bun.which('lz4') === null)('that the program lz4 wrote is unpacked', () => {
    const text = Array.from({ length: 3_000 }, (_none, i) => `${i % 7} ${(i * i) % 101} ${i}\n`).join('')
    const file = Bun.spawnSync(['lz4', '-9', '-B4', '-c', '--no-frame-crc'], { stdin: bytesOf(text) }).stdout
    // Of its frame: a head of seven bytes, then blocks, each behind its length, up to one of none.
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
    expect(view.getUint32(7, true) >>> 31).toBe(0)
    expect(textOf(decompressLz4(file.subarray(11, 11 + view.getUint32(7, true)), text.length))).toBe(text)
  })
})

test.each([
  ['GZIP', gzipSync],
  ['BROTLI', brotliCompressSync],
  ['ZSTD', zstdCompressSync],
] as const)('a page in %s is unpacked, and one that becomes longer than it says is refused', (name, pack) => {
  const packed = new Uint8Array(pack(bytesOf(plain)))
  expect(textOf(parquetDecompressors[name]!(packed, plain.length))).toBe(plain)
  expect(parquetDecompressors[name]!(new Uint8Array(pack(new Uint8Array(0))), 0).length).toBe(0)
  expect(() => parquetDecompressors[name]!(new Uint8Array(pack(new Uint8Array(1_000_000))), 100)).toThrow()
})
