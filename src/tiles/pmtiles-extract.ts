import {
  decompress,
  PmtilesError,
  type ByteRange,
  type DirectoryEntry,
  degreeScale,
  pmtilesHeader_bytes,
  pmtilesStart_bytes,
  vectorTiles,
  version,
  type PmtilesHeader,
} from './pmtiles-format.ts'
import type { PmtilesArchive } from './pmtiles-archive.ts'
import type { TileRange } from './tile-ranges.ts'
import { gzipSync } from 'node:zlib'

/** A part of an archive that becomes an archive of its own. */
export type PmtilesExtract = {
  /** The number of tiles. Equal tiles are stored once. */
  tiles: number
  /** The header, the directories and the metadata of the new archive. */
  start: Uint8Array
  /** Where the stored tiles are in the source, in the order of the new archive. */
  contents: readonly ByteRange[]
  /** The length of the new archive. */
  bytes: number
  /** The entries of the new archive. */
  entries: readonly DirectoryEntry[]
}

type ExtractRequest = {
  ranges: readonly TileRange[]
  maxzoom: number
  bounds: [west: number, south: number, east: number, north: number]
}

/** Reads the directories of an archive and selects the tiles of the ranges. @throws {PmtilesError} if it is damaged. */
export async function planExtract(
  archive: PmtilesArchive,
  { ranges, maxzoom, bounds }: ExtractRequest,
  signal: AbortSignal,
): Promise<PmtilesExtract> {
  const { header, metadata } = archive
  const contents: ByteRange[] = []
  const known = new Map<number, DirectoryEntry>()
  let tiles_bytes = 0
  const entries = (await archive.listEntries(ranges, signal)).map((entry) => {
    const { offset, length } = entry
    const equal = known.get(offset)
    if (equal && equal.length !== length) throw new PmtilesError('has a damaged directory.')
    const copied = { ...entry, offset: equal?.offset ?? tiles_bytes }
    if (equal) return copied
    known.set(offset, copied)
    contents.push({ offset: header.tiles.offset + offset, length })
    tiles_bytes += length
    return copied
  })
  const { minzoom, tileCompression } = header
  const content = { entries, contents: contents.length, tiles_bytes, metadata }
  const start = encodeArchiveStart({ ...content, minzoom, maxzoom, bounds, tileCompression })
  const tiles = entries.reduce((sum, { runLength }) => sum + runLength, 0)
  return { tiles, start, contents, bytes: start.length + tiles_bytes, entries }
}

/** Consecutive tiles of an extract that are copied together. `from` and `end` are positions in the new archive. */
export type ExtractBatch = { contents: readonly ByteRange[]; from: number; end: number }

const batchMax_bytes = 4 * 1024 * 1024
const batchMaxTiles = 2_000

/** Divides the tiles of an extract into batches, in order. */
export function* batchesOf({ start, contents }: Pick<PmtilesExtract, 'start' | 'contents'>): Generator<ExtractBatch> {
  let batch: ByteRange[] = []
  let [from, end] = [start.length, start.length]
  for (const content of contents) {
    if (batch.length === batchMaxTiles || (batch.length > 0 && end - from + content.length > batchMax_bytes)) {
      yield { contents: batch, from, end }
      ;[batch, from] = [[], end]
    }
    batch.push(content)
    end += content.length
  }
  if (batch.length > 0) yield { contents: batch, from, end }
}

/** Whether the bytes of a batch are tiles that can be decompressed. Tiles without compression cannot be checked. */
export function isIntactBatch(bytes: Uint8Array, { contents }: ExtractBatch, { header }: PmtilesArchive): boolean {
  let offset = 0
  try {
    for (const { length } of contents) {
      if (offset + length > bytes.length) return false
      decompress(bytes.subarray(offset, offset + length), header.tileCompression)
      offset += length
    }
    return true
  } catch (error) {
    if (error instanceof PmtilesError) return false
    throw error
  }
}

/** What the start of an archive says about its tiles. The offsets of the entries count from the first tile. */
type ArchiveContent = Pick<PmtilesHeader, 'tileCompression' | 'minzoom' | 'maxzoom' | 'bounds'> & {
  entries: readonly DirectoryEntry[]
  /** How many different tiles there are, and their length together. */
  contents: number
  tiles_bytes: number
  metadata: Record<string, unknown>
}

/** Returns the start of an archive: its header, directories and metadata. The tiles follow, in the order of the entries. */
function encodeArchiveStart(content: ArchiveContent): Uint8Array {
  const { root, leaves } = encodeDirectories(content.entries)
  const metadata = gzipSync(JSON.stringify(content.metadata))
  const parts = [root, metadata, leaves]
  const header = encodeHeader(
    content,
    parts.map(({ length }) => length),
  )
  return new Uint8Array(Buffer.concat([header, ...parts]))
}

const leafEntries = 4096

/** Writes one directory, or a root directory of leaf directories if it would be too large. */
function encodeDirectories(entries: readonly DirectoryEntry[]): { root: Uint8Array; leaves: Uint8Array } {
  const rootMax_bytes = pmtilesStart_bytes - pmtilesHeader_bytes
  let directories = { root: encodeDirectory(entries), leaves: new Uint8Array() }
  for (let size = leafEntries; directories.root.length > rootMax_bytes; size *= 2)
    directories = encodeLeaves(entries, size)
  return directories
}

function encodeLeaves(
  entries: readonly DirectoryEntry[],
  size: number,
): { root: Uint8Array; leaves: Uint8Array<ArrayBuffer> } {
  const root: DirectoryEntry[] = []
  const leaves: Uint8Array[] = []
  for (let i = 0, offset = 0; i < entries.length; i += size) {
    const leaf = encodeDirectory(entries.slice(i, i + size))
    root.push({ id: entries[i]!.id, runLength: 0, offset, length: leaf.length })
    leaves.push(leaf)
    offset += leaf.length
  }
  return { root: encodeDirectory(root), leaves: new Uint8Array(Buffer.concat(leaves)) }
}

function encodeDirectory(entries: readonly DirectoryEntry[]): Uint8Array {
  const bytes: number[] = []
  const add = (number: number) => {
    let rest = number
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  add(entries.length)
  entries.forEach(({ id }, i) => add(id - (entries[i - 1]?.id ?? 0)))
  for (const { runLength } of entries) add(runLength)
  for (const { length } of entries) add(length)
  entries.forEach(({ offset }, i) => {
    const before = entries[i - 1]
    // 0 stands for: right after the entry before.
    add(before && before.offset + before.length === offset ? 0 : offset + 1)
  })
  return gzipSync(Uint8Array.from(bytes))
}

/** `lengths`: of the root directory, the metadata and the leaf directories. */
function encodeHeader(content: ArchiveContent, lengths: readonly number[]): Uint8Array {
  const { entries, contents, tiles_bytes, tileCompression, minzoom, maxzoom, bounds } = content
  const [west, south, east, north] = bounds
  const header = Buffer.alloc(pmtilesHeader_bytes)
  header.write('PMTiles')
  header.writeUInt8(version, 7)
  let offset = pmtilesHeader_bytes
  for (const [i, length] of [...lengths, tiles_bytes].entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + i * 16)
    header.writeBigUInt64LE(BigInt(length), 16 + i * 16)
    offset += length
  }
  const addressed = entries.reduce((sum, { runLength }) => sum + runLength, 0)
  for (const [i, count] of [addressed, entries.length, contents].entries())
    header.writeBigUInt64LE(BigInt(count), 72 + i * 8)
  const [isClustered, gzip, none] = [1, 2, 1]
  header.set([isClustered, gzip, tileCompression === 'gzip' ? gzip : none, vectorTiles, minzoom, maxzoom], 96)
  const writeDegrees = (degrees: number, i: number) => header.writeInt32LE(Math.round(degrees * degreeScale), i)
  bounds.forEach((degrees, i) => writeDegrees(degrees, 102 + i * 4))
  header.writeUInt8(maxzoom, 118)
  writeDegrees((west + east) / 2, 119)
  writeDegrees((south + north) / 2, 123)
  return header
}
