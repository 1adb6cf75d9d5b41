import { deflateSync } from 'node:zlib'
import type { ChunkForm } from './decode.ts'

/** Tiles without a meaning: a worker that has decoded them has its code compiled before the first true one comes. */
export function firstTiles(): { bytes: Uint8Array; form: ChunkForm }[] {
  const [deflated, lzw] = [deflateSync(new Uint8Array(side * side)), lzwOf(codes)]
  return Array.from({ length: rounds }, () => [{ bytes: deflated, form: { ...form, compression: 'deflate' as const } }, { bytes: lzw, form: { ...form, compression: 'lzw' as const } }]).flat()
}

const side = 64
const rounds = 8
/** Half of them are of two bytes at least, so that they fill a tile. */
const codes = 3_500
const form = { width: side, rows: side, fullRows: side, stride: 1, take: 0, sample: 'uint8', predictor: 2, littleEndian: true } as const

/** Literals and codes that stand for what came before, in all widths that there are. */
function lzwOf(count: number): Uint8Array {
  const bytes = new Uint8Array(2 * count)
  let at = 0
  const put = (code: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--, at++) bytes[at >> 3]! |= ((code >> bit) & 1) << (7 - (at & 7))
  }
  put(256, 9)
  for (let n = 0; n < count; n++) put(n % 2 === 0 ? (7 * n) % 256 : 258 + (n >> 1), n < 254 ? 9 : n < 766 ? 10 : n < 1_790 ? 11 : 12)
  return bytes
}
