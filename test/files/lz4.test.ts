import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { parquetDecompressors, parquetPageMax_bytes } from '../../src/files/parquet/parquet-decompressors.ts'
import { decompressLz4, decompressLz4Hadoop } from '../../src/files/parquet/lz4.ts'

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A hand-written block: `ab` 30 times, then literals only. */
const hand = Uint8Array.of(0x2f, 97, 98, 2, 0, 39, 0x80, ...bytesOf(', an end'))
const plain = `${'ab'.repeat(30)}, an end`

describe('an LZ4 block', () => {
  test('decompresses literals, overlapping matches and multi-byte lengths', () => {
    expect(textOf(decompressLz4(hand, plain.length))).toBe(plain)
    // 300 literals are encoded as 15, 255 and 30; a match of 1,000 as 15 + 4, three times 255, and 216.
    const long = Uint8Array.of(0xff, 255, 30, ...new Uint8Array(300).fill(120), 1, 0, 255, 255, 255, 216, 0x10, 121)
    expect(textOf(decompressLz4(long, 1301))).toBe(`${'x'.repeat(1300)}y`)
    expect(decompressLz4(Uint8Array.of(0), 0).length).toBe(0)
  })

  test.each([
    ['is truncated', hand.subarray(0, 9)],
    ['is truncated within a length', hand.subarray(0, 5)],
    ['refers to bytes before its start', Uint8Array.of(0x20, 97, 98, 3, 0, 0x00)],
    ['has a match offset of 0', Uint8Array.of(0x20, 97, 98, 0, 0)],
    ['is longer than declared', Uint8Array.of(0x2f, 97, 98, 2, 0, 255, 255, 255, 0)],
    ['is shorter than declared', Uint8Array.of(0x20, 97, 98)],
    ['is nothing', new Uint8Array(0)],
  ])('that %s is rejected', (_what, bytes) => expect(() => decompressLz4(bytes, plain.length)).toThrow('An LZ4 block'))

  test('decompresses with and without Hadoop frames', () => {
    const head = (length: number, packed: number) => [0, 0, 0, length, 0, 0, 0, packed]
    const two = Uint8Array.of(...head(plain.length, hand.length), ...hand, ...head(plain.length, hand.length), ...hand)
    expect(textOf(decompressLz4Hadoop(two, 2 * plain.length))).toBe(plain + plain)
    expect(textOf(decompressLz4Hadoop(hand, plain.length))).toBe(plain)
    expect(() => decompressLz4Hadoop(two.subarray(0, -1), 2 * plain.length)).toThrow('An LZ4 block')
  })

  test.skipIf(Bun.which('lz4') === null)('written by the lz4 program decompresses', () => {
    const text = Array.from({ length: 3_000 }, (_none, i) => `${i % 7} ${(i * i) % 101} ${i}\n`).join('')
    const file = Bun.spawnSync(['lz4', '-9', '-B4', '-c', '--no-frame-crc'], { stdin: bytesOf(text) }).stdout
    // Its frame has a header of seven bytes, then blocks preceded by their lengths, up to a length of 0.
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
    expect(view.getUint32(7, true) >>> 31).toBe(0)
    expect(textOf(decompressLz4(file.subarray(11, 11 + view.getUint32(7, true)), text.length))).toBe(text)
  })
})

test.each([
  ['GZIP', gzipSync],
  ['BROTLI', brotliCompressSync],
  ['ZSTD', zstdCompressSync],
] as const)('a %s page decompresses, and one longer than declared is rejected', (name, pack) => {
  const packed = new Uint8Array(pack(bytesOf(plain)))
  expect(textOf(parquetDecompressors[name]!(packed, plain.length))).toBe(plain)
  expect(parquetDecompressors[name]!(new Uint8Array(pack(new Uint8Array(0))), 0).length).toBe(0)
  expect(() => parquetDecompressors[name]!(new Uint8Array(pack(new Uint8Array(1_000_000))), 100)).toThrow()
})

test.each(Object.entries(parquetDecompressors))(
  'a %s page that declares more than the maximum is rejected',
  (_name, decompress) => {
    expect(() => decompress(new Uint8Array(100), parquetPageMax_bytes + 1)).toThrow(
      `a page declares ${parquetPageMax_bytes + 1} bytes`,
    )
  },
)
