import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Compressors } from 'hyparquet'
import { unLz4, unLz4Hadoop } from './lz4.ts'

/** How the pages of Parquet are unpacked; Snappy is in hyparquet itself. Nothing becomes longer than the page says that it is. */
export const decompressors: Compressors = {
  GZIP: (packed, length) => gunzipSync(packed, { maxOutputLength: bound(length) }),
  BROTLI: (packed, length) => brotliDecompressSync(packed, { maxOutputLength: bound(length) }),
  ZSTD: (packed, length) => zstdDecompressSync(packed, { maxOutputLength: bound(length) }),
  LZ4: unLz4Hadoop,
  LZ4_RAW: unLz4,
}

/** A page may be empty, and no bound may be. */
function bound(length: number): number {
  return Math.max(1, length)
}
