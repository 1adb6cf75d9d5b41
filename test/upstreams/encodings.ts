import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

const encoders = {
  gzip: (bytes: Uint8Array) => gzipSync(bytes),
  deflate: (bytes: Uint8Array) => deflateSync(bytes),
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (bytes: Uint8Array) => zstdCompressSync(bytes),
}

/** A value of Content-Encoding: one encoding, or several in the order in which they were applied. */
export type Encoding = (typeof encodings)[number]
export const encodings = ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'zstd, gzip'] as const

/** Encodes the bytes. */
export function encodeBody(bytes: Uint8Array, encoding: Encoding): Uint8Array {
  return namesIn(encoding).reduce((encoded: Uint8Array, name) => encoders[name](encoded), bytes)
}

/** Decompressed size of a bomb. */
export const bombSize_bytes = 256 * 1024 * 1024
const bombs = new Map<Encoding, Uint8Array>()

/** Spaces that compress to a small size. Each bomb is created once, which takes a second. */
export function createBomb(encoding: Encoding): Uint8Array {
  const bomb = bombs.get(encoding) ?? encodeBody(Buffer.alloc(bombSize_bytes, ' '), encoding)
  bombs.set(encoding, bomb)
  return bomb
}

function namesIn(encoding: Encoding): (keyof typeof encoders)[] {
  return encoding.split(', ') as (keyof typeof encoders)[]
}
