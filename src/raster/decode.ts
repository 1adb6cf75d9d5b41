import { constants, inflateSync, zstdDecompressSync } from 'node:zlib'
import { UpstreamError } from '../model/error.ts'
import { decodeLzw } from './lzw.ts'

/** The maximum size of a decompressed tile or strip. */
export const maxChunk_bytes = 64 * 1_048_576
/** The maximum memory of the zstd decoder, as a power of two: 128 MiB, which encoders use at the highest level. */
const zstdWindowLogMax = 27

/** The supported cell types with their arrays. */
export const sampleArrays = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
}
/** The type of a cell. */
export type SampleType = keyof typeof sampleArrays
/** The cells of a tile. */
export type CellArray = InstanceType<(typeof sampleArrays)[SampleType]>

/** The supported compressions by TIFF code. */
export const compressions = { 1: 'none', 5: 'lzw', 8: 'deflate', 32946: 'deflate', 50000: 'zstd' } as const
type Compression = (typeof compressions)[keyof typeof compressions]

/**
 * The format of a tile or strip. `stride`: numbers per cell. `sampleIndex`: which of them to read. `rows`: rows that
 * must be present. `fullRows`: rows that may be present. `isPacked`: a cell has one bit, and becomes 0 or 1.
 */
export type ChunkFormat = {
  width: number
  rows: number
  fullRows: number
  stride: number
  sampleIndex: number
  sampleType: SampleType
  isPacked?: boolean
  compression: Compression
  predictor: number
  littleEndian: boolean
}

/** Decodes one band, row by row. Throws `bad_response` if the tile is invalid or incomplete. */
export function decodeChunk(bytes: Uint8Array, format: ChunkFormat): CellArray {
  const { width, rows, stride, sampleType, isPacked, predictor, littleEndian } = format
  const size = sampleArrays[sampleType].BYTES_PER_ELEMENT
  const rowBytes = isPacked ? Math.ceil((width * stride) / 8) : width * stride * size
  const raw = decompress(bytes, format.compression, Math.min(rowBytes * format.fullRows, maxChunk_bytes))
  if (raw.length < rowBytes * rows)
    throw new UpstreamError('bad_response', `A raster tile has ${raw.length} bytes. Expected ${rowBytes * rows}.`)
  // Copied to get an ArrayBuffer of its own: zlib returns a Buffer, whose slices share memory.
  const plain = new Uint8Array(raw.subarray(0, rowBytes * rows))
  if (isPacked) return extractBand(unpackBits(plain, rowBytes, width * stride), stride, format.sampleIndex)
  if (predictor === 3) unshuffle(plain, rowBytes, stride, size)
  else if (!littleEndian) swapBytes(plain, size)
  if (predictor === 2) accumulate(plain, rowBytes / size, stride, size)
  return extractBand(new sampleArrays[sampleType](plain.buffer), stride, format.sampleIndex)
}

function decompress(bytes: Uint8Array, compression: Compression, max_bytes: number): Uint8Array {
  if (compression === 'none') return bytes
  try {
    if (compression === 'deflate') return inflateSync(bytes, { maxOutputLength: max_bytes })
    if (compression === 'zstd')
      return zstdDecompressSync(bytes, {
        maxOutputLength: max_bytes,
        params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax },
      })
  } catch (cause) {
    throw new UpstreamError(
      'bad_response',
      `A raster tile is invalid ${compression} data, or decompresses to more than ${max_bytes} bytes.`,
      { cause },
    )
  }
  const plain = decodeLzw(bytes, max_bytes)
  if (plain === null) throw new UpstreamError('bad_response', 'A raster tile is invalid LZW data.')
  return plain
}

/** Returns a number for each bit. The rows begin with a byte, and the first bit is the highest of a byte. */
function unpackBits(packed: Uint8Array, rowBytes: number, rowBits: number): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array((packed.length / rowBytes) * rowBits)
  for (let i = 0; i < bits.length; i++) {
    const column = i % rowBits
    const byte = packed[((i - column) / rowBits) * rowBytes + (column >> 3)]!
    bits[i] = (byte >> (7 - (column & 7))) & 1
  }
  return bits
}

/**
 * Predictor 3: a row holds the first bytes of all its numbers, then all second bytes, and so on, each as a difference
 * to the previous.
 */
function unshuffle(plain: Uint8Array, rowBytes: number, stride: number, size: number): void {
  const count = rowBytes / size
  const planes = new Uint8Array(rowBytes)
  for (let start = 0; start < plain.length; start += rowBytes) {
    planes.set(plain.subarray(start, start + rowBytes))
    for (let i = stride; i < rowBytes; i++) planes[i] = planes[i]! + planes[i - stride]!
    for (let byte = 0; byte < size; byte++) {
      let from = (size - 1 - byte) * count
      for (let to = start + byte; to < start + rowBytes; to += size) plain[to] = planes[from++]!
    }
  }
}

function swapBytes(plain: Uint8Array<ArrayBuffer>, size: number): void {
  const bytes = Buffer.from(plain.buffer)
  if (size === 2) bytes.swap16()
  else if (size === 4) bytes.swap32()
  else if (size === 8) bytes.swap64()
}

/** Predictor 2: each number is the difference to the cell on its left, in integer arithmetic for all cell types. */
function accumulate({ buffer }: Uint8Array<ArrayBuffer>, rowLength: number, stride: number, size: number): void {
  if (size === 8) {
    const numbers = new BigUint64Array(buffer)
    for (let i = 0; i < numbers.length; i++) if (i % rowLength >= stride) numbers[i]! += numbers[i - stride]!
    return
  }
  const numbers = size === 1 ? new Uint8Array(buffer) : size === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer)
  for (let start = 0; start < numbers.length; start += rowLength) {
    for (let i = start + stride; i < start + rowLength; i++) numbers[i]! += numbers[i - stride]!
  }
}

function extractBand(all: CellArray, stride: number, sampleIndex: number): CellArray {
  if (stride === 1) return all
  const band = all.slice(0, all.length / stride)
  for (let i = 0; i < band.length; i++) band[i] = all[i * stride + sampleIndex]!
  return band
}
