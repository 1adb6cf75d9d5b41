import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Compressors } from 'hyparquet'
import { decompressLz4, decompressLz4Hadoop } from './lz4.ts'

/** How the pages of Parquet are unpacked; Snappy is in hyparquet itself. Nothing becomes longer than the page says that it is. */
export const parquetDecompressors: Compressors = {
  GZIP: (packed, length) => gunzipSync(packed, { maxOutputLength: outputLimit(length) }),
  BROTLI: (packed, length) => brotliDecompressSync(packed, { maxOutputLength: outputLimit(length) }),
  ZSTD: (packed, length) => zstdDecompressSync(packed, { maxOutputLength: outputLimit(length) }),
  LZ4: decompressLz4Hadoop,
  LZ4_RAW: decompressLz4,
}

/** A page may be empty, and no bound may be. */
function outputLimit(length: number): number {
  return Math.max(1, length)
}
