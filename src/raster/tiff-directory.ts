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
 * The tags of the first image of a TIFF. `numberAt` reads one number of a long list (such as tile offsets) on demand.
 */
export type TiffDirectory = {
  littleEndian: boolean
  numbers: (tag: number) => number[] | undefined
  text: (tag: number) => string | undefined
  count: (tag: number) => number
  numberAt: (tag: number, index: number, budget: Budget) => number | Promise<number>
}
type Entry = { type: number; count: number; offset: number }
type Segment = { start: number; bytes: Uint8Array }

/**
 * Reads the tags of the first image, and the values of `wantedTags`. Throws `bad_response` if the file is not a valid
 * TIFF.
 */
export async function readTiffDirectory(
  reader: RangeReader,
  wantedTags: readonly number[],
  budget: Budget,
): Promise<TiffDirectory> {
  const segments: Segment[] = [{ start: 0, bytes: await reader.read(0, firstRead_bytes, budget) }]
  const { littleEndian, bigTiff, offset } = readHeader(segments[0]!.bytes)
  if (!bufferedBytes(offset, bigTiff ? 8 : 2))
    segments.push({ start: offset, bytes: await reader.read(offset, firstRead_bytes, budget) })
  const entries = await readEntries()
  const values = new Map<number, number[] | string>()
  for (const tag of wantedTags) {
    const entry = entries.get(tag)
    if (entry) values.set(tag, await readValue(entry))
  }
  const blocks = new Map<string, number[]>()
  return {
    littleEndian,
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
      const size = valueSizeOf(entry.type)
      const buffered = bufferedBytes(entry.offset + index * size, size)
      if (buffered) return decodeNumbers(buffered, entry.type, littleEndian)[0]!
      const blockStart = index - (index % blockEntries)
      return (
        blocks.get(`${tag} ${blockStart}`)?.[index - blockStart] ??
        readBlock(tag, entry, blockStart, budget).then((block) => block[index - blockStart]!)
      )
    },
  }

  async function readEntries(): Promise<Map<number, Entry>> {
    const view = viewOf(await readBytes(offset, bigTiff ? 8 : 2, budget))
    const count = bigTiff ? toSafeNumber(view.getBigUint64(0, littleEndian)) : view.getUint16(0, littleEndian)
    if (count === 0 || count > entriesMax) throw corruptTiffError(`has ${count} tags in its first image`)
    const [start, entryBytes] = bigTiff ? [offset + 8, 20] : [offset + 2, 12]
    const table = viewOf(await readBytes(start, count * entryBytes, budget))
    const entriesByTag = new Map<number, Entry>()
    for (let i = 0; i < count; i++) {
      const entryOffset = i * entryBytes
      const type = table.getUint16(entryOffset + 2, littleEndian)
      const valueCount = bigTiff
        ? toSafeNumber(table.getBigUint64(entryOffset + 4, littleEndian))
        : table.getUint32(entryOffset + 4, littleEndian)
      const valueAt = entryOffset + (bigTiff ? 12 : 8)
      const isInline = valueCount * valueSizeOf(type) <= (bigTiff ? 8 : 4)
      const readOffset = () =>
        bigTiff ? toSafeNumber(table.getBigUint64(valueAt, littleEndian)) : table.getUint32(valueAt, littleEndian)
      entriesByTag.set(table.getUint16(entryOffset, littleEndian), {
        type,
        count: valueCount,
        offset: isInline ? start + valueAt : readOffset(),
      })
    }
    return entriesByTag
  }

  async function readValue({ type, count, offset }: Entry): Promise<number[] | string> {
    const length = count * valueSizeOf(type)
    if (type === asciiType ? length > textMax_bytes : count > numbersMax)
      throw corruptTiffError(`has a tag of ${count} values`)
    const bytes = await readBytes(offset, length, budget)
    return type === asciiType
      ? new TextDecoder('latin1').decode(bytes).replace(/\0[^]*$/, '')
      : decodeNumbers(bytes, type, littleEndian)
  }

  async function readBlock(
    tag: number,
    { type, count, offset }: Entry,
    blockStart: number,
    budget: Budget,
  ): Promise<number[]> {
    const size = valueSizeOf(type)
    const length = Math.min(blockEntries, count - blockStart) * size
    const block = decodeNumbers(await readBytes(offset + blockStart * size, length, budget), type, littleEndian)
    if (blocks.size >= blocksMax) blocks.clear()
    blocks.set(`${tag} ${blockStart}`, block)
    return block
  }

  function bufferedBytes(offset: number, length: number): Uint8Array | null {
    const segment = segments.find(({ start, bytes }) => offset >= start && offset + length <= start + bytes.length)
    return segment ? segment.bytes.subarray(offset - segment.start, offset - segment.start + length) : null
  }

  async function readBytes(offset: number, length: number, budget: Budget): Promise<Uint8Array> {
    const bytes = bufferedBytes(offset, length) ?? (await reader.read(offset, length, budget))
    if (bytes.length < length) throw corruptTiffError(`ends at byte ${offset + bytes.length}, within its header`)
    return bytes.subarray(0, length)
  }
}

/** The error for an invalid file. `problem` continues the sentence "the file ...". */
export function corruptTiffError(problem: string): UpstreamError {
  return new UpstreamError('bad_response', `Invalid GeoTIFF: the file ${problem}.`)
}

function readHeader(bytes: Uint8Array): { littleEndian: boolean; bigTiff: boolean; offset: number } {
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
