import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { snappyUncompress, type Compressors } from 'hyparquet'
import { decompressLz4, decompressLz4Hadoop } from './lz4.ts'

/** The maximum size of a decompressed page. Writers aim at 1 MB; a page with one huge geometry can be much larger. */
export const parquetPageMax_bytes = 256 * 1024 * 1024

/** The decompressors of Parquet pages. A page may exceed neither its declared length nor `parquetPageMax_bytes`. */
export const parquetDecompressors: Compressors = {
  GZIP: withLimit((packed, length) => gunzipSync(packed, { maxOutputLength: outputLimit(length) })),
  BROTLI: withLimit((packed, length) => brotliDecompressSync(packed, { maxOutputLength: outputLimit(length) })),
  ZSTD: withLimit((packed, length) => zstdDecompressSync(packed, { maxOutputLength: outputLimit(length) })),
  // hyparquet's own Snappy allocates whatever length the page declares.
  SNAPPY: withLimit((packed, length) => {
    const page = new Uint8Array(length)
    snappyUncompress(packed, page)
    return page
  }),
  LZ4: withLimit(decompressLz4Hadoop),
  LZ4_RAW: withLimit(decompressLz4),
}

type Decompressor = (packed: Uint8Array, length: number) => Uint8Array

function withLimit(decompress: Decompressor): Decompressor {
  return (packed, length) => {
    if (length > parquetPageMax_bytes)
      throw new Error(`a page declares ${length} bytes, and the maximum is ${parquetPageMax_bytes}`)
    return decompress(packed, length)
  }
}

/** A page may be empty, but zlib does not accept a limit of 0. */
function outputLimit(length: number): number {
  return Math.max(1, length)
}
