import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Compressors } from 'hyparquet'
import { decompressLz4, decompressLz4Hadoop } from './lz4.ts'

/** The decompressors of Parquet pages. hyparquet has its own for Snappy. No page may exceed its declared length. */
export const parquetDecompressors: Compressors = {
  GZIP: (packed, length) => gunzipSync(packed, { maxOutputLength: outputLimit(length) }),
  BROTLI: (packed, length) => brotliDecompressSync(packed, { maxOutputLength: outputLimit(length) }),
  ZSTD: (packed, length) => zstdDecompressSync(packed, { maxOutputLength: outputLimit(length) }),
  LZ4: decompressLz4Hadoop,
  LZ4_RAW: decompressLz4,
}

/** A page may be empty, but zlib accepts no limit of 0. */
function outputLimit(length: number): number {
  return Math.max(1, length)
}
