import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { RangeReader } from './raster.ts'

const firstRead_bytes = 32_768
const entriesMax = 512
const textMax_bytes = 1_048_576
const numbersMax = 65_536
/** Long lists (tile offsets and sizes) are read in blocks of this many entries. */
const blockEntries = 512
/** The maximum number of blocks in memory. */
const blocksMax = 64

/**
 * The tags of an image of a TIFF. `numberAt` reads one number of a long list (such as tile offsets) on demand. `next`
 * reads the tags of the image after it; null if it is the last one.
 */
export type TiffDirectory = {
  littleEndian: boolean
  numbers: (tag: number) => number[] | undefined
  text: (tag: number) => string | undefined
  count: (tag: number) => number
  numberAt: (tag: number, index: number, budget: Budget) => number | Promise<number>
  next: ((budget: Budget) => Promise<TiffDirectory>) | null
  /** What GDAL writes into the header of a COG about the whole file. */
  structure: string
}
type Entry = { type: number; count: number; offset: number }
type Segment = { start: number; bytes: Uint8Array }
/** `offset`: the position of the first directory. */
type TiffHeader = { littleEndian: boolean; bigTiff: boolean; offset: number }

/**
 * Reads the tags of the first image, and the values of `valueTags`. Throws `bad_response` if the file is not a valid
 * TIFF.
 */
export async function readTiffDirectory(
  reader: RangeReader,
  valueTags: readonly number[],
  budget: Budget,
): Promise<TiffDirectory> {
  const head = { start: 0, bytes: await reader.read(0, firstRead_bytes, budget) }
  const header = readHeader(head.bytes)
  return readDirectoryAt(header.offset, { reader, header, head, valueTags }, budget)
}

type OpenTiff = { reader: RangeReader; header: TiffHeader; head: Segment; valueTags: readonly number[] }

async function readDirectoryAt(offset: number, tiff: OpenTiff, budget: Budget): Promise<TiffDirectory> {
  const { reader, header, head, valueTags } = tiff
  const isBuffered = offset + (header.bigTiff ? 8 : 2) <= head.bytes.length
  const segments = isBuffered
    ? [head]
    : [head, { start: offset, bytes: await reader.read(offset, firstRead_bytes, budget) }]
  const file = new TiffFile(reader, { ...header, offset }, segments)
  const { entries, next } = await file.readEntries(budget)
  const values = new Map<number, number[] | string>()
  for (const tag of valueTags) {
    const entry = entries.get(tag)
    if (entry) values.set(tag, await file.readValue(entry, budget))
  }
  return {
    littleEndian: file.littleEndian,
    numbers: (tag) => {
      const value = values.get(tag)
      return typeof value === 'string' ? undefined : value
    },
    text: (tag) => {
      const value = values.get(tag)
      return typeof value === 'string' ? value : undefined
    },
    count: (tag) => entries.get(tag)?.count ?? 0,
    numberAt(tag, index, budget) {
      const entry = entries.get(tag)
      if (!entry || index >= entry.count) throw corruptTiffError(`has no entry for tile ${index}`)
      return file.readNumber(entry, index, budget)
    },
    next: next === 0 ? null : (nextBudget) => readDirectoryAt(next, tiff, nextBudget),
    structure: structureOf(head.bytes, header),
  }
}

const structureMax_bytes = 512

/** The text begins after the header. Its size is in its first line. */
function structureOf(bytes: Uint8Array, { bigTiff }: TiffHeader): string {
  const begin = bigTiff ? 16 : 8
  const text = new TextDecoder('latin1').decode(bytes.subarray(begin, begin + structureMax_bytes))
  const [line, size] = /^GDAL_STRUCTURAL_METADATA_SIZE=(\d{6}) bytes\n/.exec(text) ?? []
  return line === undefined ? '' : text.slice(line.length, line.length + Number(size))
}

/** Reads the directory and the values of its entries, from the buffered segments where possible. */
class TiffFile {
  readonly littleEndian: boolean
  readonly #bigTiff: boolean
  readonly #offset: number
  readonly #reader: RangeReader
  readonly #segments: readonly Segment[]
  readonly #blocks = new Map<string, number[]>()

  constructor(reader: RangeReader, header: TiffHeader, segments: readonly Segment[]) {
    this.littleEndian = header.littleEndian
    this.#bigTiff = header.bigTiff
    this.#offset = header.offset
    this.#reader = reader
    this.#segments = segments
  }

  /** Reads the entries of the directory, and the position of the next one; 0 if there is none. */
  async readEntries(budget: Budget): Promise<{ entries: Map<number, Entry>; next: number }> {
    const [count_bytes, entry_bytes, inline_bytes] = this.#bigTiff ? [8, 20, 8] : [2, 12, 4]
    const view = viewOf(await this.#readBytes(this.#offset, count_bytes, budget))
    const count = this.#bigTiff ? this.#wordAt(view, 0) : view.getUint16(0, this.littleEndian)
    if (count === 0 || count > entriesMax) throw corruptTiffError(`has ${count} tags in an image`)
    const start = this.#offset + count_bytes
    const table = viewOf(await this.#readBytes(start, count * entry_bytes + inline_bytes, budget))
    const entries = new Map<number, Entry>()
    for (let i = 0; i < count; i++) {
      const entryOffset = i * entry_bytes
      const type = table.getUint16(entryOffset + 2, this.littleEndian)
      const valueCount = this.#wordAt(table, entryOffset + 4)
      const valueAt = entryOffset + 4 + inline_bytes
      const isInline = valueCount * valueSizeOf(type) <= inline_bytes
      entries.set(table.getUint16(entryOffset, this.littleEndian), {
        type,
        count: valueCount,
        offset: isInline ? start + valueAt : this.#wordAt(table, valueAt),
      })
    }
    return { entries, next: this.#wordAt(table, count * entry_bytes) }
  }

  async readValue({ type, count, offset }: Entry, budget: Budget): Promise<number[] | string> {
    const length = count * valueSizeOf(type)
    if (type === asciiType ? length > textMax_bytes : count > numbersMax)
      throw corruptTiffError(`has a tag of ${count} values`)
    const bytes = await this.#readBytes(offset, length, budget)
    return type === asciiType
      ? new TextDecoder('latin1').decode(bytes).replace(/\0[^]*$/, '')
      : decodeNumbers(bytes, type, this.littleEndian)
  }

  /** Returns one number of a list. Returns a promise only if the number must be read. */
  readNumber(entry: Entry, index: number, budget: Budget): number | Promise<number> {
    const size = valueSizeOf(entry.type)
    const buffered = this.#bufferedBytes(entry.offset + index * size, size)
    if (buffered) return decodeNumbers(buffered, entry.type, this.littleEndian)[0]!
    const indexInBlock = index % blockEntries
    const firstIndex = index - indexInBlock
    return (
      this.#blocks.get(blockKeyOf(entry, firstIndex))?.[indexInBlock] ??
      this.#readBlock(entry, firstIndex, budget).then((block) => block[indexInBlock]!)
    )
  }

  async #readBlock(entry: Entry, firstIndex: number, budget: Budget): Promise<number[]> {
    const { type, count, offset } = entry
    const size = valueSizeOf(type)
    const start = offset + firstIndex * size
    const length = Math.min(blockEntries, count - firstIndex) * size
    const block = decodeNumbers(await this.#readBytes(start, length, budget), type, this.littleEndian)
    if (this.#blocks.size >= blocksMax) this.#blocks.clear()
    this.#blocks.set(blockKeyOf(entry, firstIndex), block)
    return block
  }

  /** An offset or a count: 64 bits in a BigTIFF, otherwise 32 bits. */
  #wordAt(view: DataView, at: number): number {
    return this.#bigTiff
      ? toSafeNumber(view.getBigUint64(at, this.littleEndian))
      : view.getUint32(at, this.littleEndian)
  }

  #bufferedBytes(offset: number, length: number): Uint8Array | null {
    const segment = this.#segments.find(
      ({ start, bytes }) => offset >= start && offset + length <= start + bytes.length,
    )
    return segment ? segment.bytes.subarray(offset - segment.start, offset - segment.start + length) : null
  }

  async #readBytes(offset: number, length: number, budget: Budget): Promise<Uint8Array> {
    const bytes = this.#bufferedBytes(offset, length) ?? (await this.#reader.read(offset, length, budget))
    if (bytes.length < length) throw corruptTiffError(`ends at byte ${offset + bytes.length}, within its header`)
    return bytes.subarray(0, length)
  }
}

/** Includes type and count, because the lists of a corrupt file may overlap. */
function blockKeyOf({ type, count, offset }: Entry, firstIndex: number): string {
  return `${offset} ${type} ${count} ${firstIndex}`
}

/** The error for an invalid file. `problem` continues the sentence "the file ...". */
export function corruptTiffError(problem: string): UpstreamError {
  return new UpstreamError('bad_response', `Invalid GeoTIFF: the file ${problem}.`)
}

function readHeader(bytes: Uint8Array): TiffHeader {
  if (bytes.length < 16) throw corruptTiffError(`has ${bytes.length} bytes`)
  const view = viewOf(bytes)
  const byteOrder = view.getUint16(0)
  const littleEndian = byteOrder === 0x4949
  const version = view.getUint16(2, littleEndian)
  if ((!littleEndian && byteOrder !== 0x4d4d) || (version !== 42 && version !== 43))
    throw corruptTiffError('does not start with a TIFF header')
  const bigTiff = version === 43
  return {
    littleEndian,
    bigTiff,
    offset: bigTiff ? toSafeNumber(view.getBigUint64(8, littleEndian)) : view.getUint32(4, littleEndian),
  }
}

const asciiType = 2
const valueSizes: Record<number, number> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
}

/** The size of a TIFF type. Unknown types count as bytes; only unused tags have them. */
function valueSizeOf(type: number): number {
  return valueSizes[type] ?? 1
}

function decodeNumbers(bytes: Uint8Array, type: number, littleEndian: boolean): number[] {
  const view = viewOf(bytes)
  const readers: Record<number, (at: number) => number> = {
    3: (at) => view.getUint16(at, littleEndian),
    4: (at) => view.getUint32(at, littleEndian),
    11: (at) => view.getFloat32(at, littleEndian),
    12: (at) => view.getFloat64(at, littleEndian),
    13: (at) => view.getUint32(at, littleEndian),
    16: (at) => toSafeNumber(view.getBigUint64(at, littleEndian)),
  }
  const size = valueSizeOf(type)
  const readNumber = readers[type] ?? ((at: number) => view.getUint8(at))
  return Array.from({ length: bytes.length / size }, (_, i) => readNumber(i * size))
}

function toSafeNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw corruptTiffError(`points to byte ${value}`)
  return Number(value)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
