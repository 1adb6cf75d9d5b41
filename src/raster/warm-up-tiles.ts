import { deflateSync } from 'node:zlib'
import type { ChunkFormat } from './decode.ts'

/** Creates sample tiles. Decoding them makes the worker compile its code before the first real tile. */
export function createWarmUpTiles(): { bytes: Uint8Array; format: ChunkFormat }[] {
  const [deflated, lzw] = [deflateSync(new Uint8Array(side * side)), encodeLzw(codeCount)]
  return Array.from({ length: rounds }, () => [
    { bytes: deflated, format: { ...format, compression: 'deflate' as const } },
    { bytes: lzw, format: { ...format, compression: 'lzw' as const } },
  ]).flat()
}

const side = 64
const rounds = 8
/** Half of the codes stand for at least two bytes, so they fill a tile. */
const codeCount = 3_500
const format = {
  width: side,
  rows: side,
  fullRows: side,
  stride: 1,
  sampleIndex: 0,
  sampleType: 'uint8',
  predictor: 2,
  littleEndian: true,
} as const

/** LZW data with literals and back references in all code widths. */
function encodeLzw(count: number): Uint8Array {
  const bytes = new Uint8Array(2 * count)
  let bitOffset = 0
  const writeCode = (code: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--, bitOffset++)
      bytes[bitOffset >> 3]! |= ((code >> bit) & 1) << (7 - (bitOffset & 7))
  }
  writeCode(256, 9)
  for (let n = 0; n < count; n++)
    writeCode(n % 2 === 0 ? (7 * n) % 256 : 258 + (n >> 1), n < 254 ? 9 : n < 766 ? 10 : n < 1_790 ? 11 : 12)
  return bytes
}
