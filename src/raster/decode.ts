import { inflateSync, zstdDecompressSync } from 'node:zlib'
import { UpstreamError } from '../model/error.ts'
import { decodeLzw } from './lzw.ts'

/** The kinds of numbers a cell may be, and the array that holds them. */
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
export type SampleType = keyof typeof sampleArrays
export type CellArray = InstanceType<(typeof sampleArrays)[SampleType]>

/** The compressions we undo, by their numbers in TIFF. */
export const compressions = { 1: 'none', 5: 'lzw', 8: 'deflate', 32946: 'deflate', 50000: 'zstd' } as const
type Compression = (typeof compressions)[keyof typeof compressions]

/** How a tile or strip lies in its bytes: `stride` numbers to a cell, of which `take` is wanted; `rows` must be there, `fullRows` may. */
export type ChunkFormat = {
  width: number
  rows: number
  fullRows: number
  stride: number
  sampleIndex: number
  sampleType: SampleType
  compression: Compression
  predictor: number
  littleEndian: boolean
}

/** The cells of one band, row by row. Throws `bad_response` for anything but a whole tile. */
export function decodeChunk(bytes: Uint8Array, format: ChunkFormat): CellArray {
  const { width, rows, stride, sampleType, predictor, littleEndian } = format
  const size = sampleArrays[sampleType].BYTES_PER_ELEMENT
  const rowBytes = width * stride * size
  const raw = decompress(bytes, format.compression, rowBytes * format.fullRows)
  if (raw.length < rowBytes * rows)
    throw new UpstreamError(
      'bad_response',
      `A tile of the raster has ${raw.length} bytes where ${rowBytes * rows} were expected.`,
    )
  // A copy: what Node unpacks is a Buffer, whose slices are not.
  const plain = new Uint8Array(raw.subarray(0, rowBytes * rows))
  if (predictor === 3) unshuffle(plain, rowBytes, stride, size)
  else if (!littleEndian) swapBytes(plain, size)
  if (predictor === 2) accumulate(plain, rowBytes / size, stride, size)
  return extractBand(new sampleArrays[sampleType](plain.buffer), stride, format.sampleIndex)
}

function decompress(bytes: Uint8Array, compression: Compression, max_bytes: number): Uint8Array {
  if (compression === 'none') return bytes
  try {
    if (compression === 'deflate') return inflateSync(bytes, { maxOutputLength: max_bytes })
    if (compression === 'zstd') return zstdDecompressSync(bytes, { maxOutputLength: max_bytes })
  } catch (cause) {
    throw new UpstreamError(
      'bad_response',
      `A tile of the raster is not ${compression} of at most ${max_bytes} bytes.`,
      { cause },
    )
  }
  const plain = decodeLzw(bytes, max_bytes)
  if (plain === null) throw new UpstreamError('bad_response', 'A tile of the raster is not LZW.')
  return plain
}

/** Predictor 3: each row holds the first bytes of all its numbers, then the second ones …, each less the one before it. */
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

/** Predictor 2: each number is less the one of the cell to its left, whatever is made of its bits. */
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
