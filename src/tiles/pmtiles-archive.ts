import { createByteCache } from '../packs/layer/byte-cache.ts'
import {
  decodeDirectory,
  decodeHeader,
  decompress,
  findEntry,
  PmtilesError,
  pmtilesStart_bytes,
  tileIdOf,
  type ByteRange,
  type DirectoryEntry,
  type PmtilesHeader,
} from './pmtiles-format.ts'
import type { TileRange } from './tile-ranges.ts'
import type { TilePosition } from './vector-tile.ts'
import { mapConcurrently } from '../async/map-concurrently.ts'

/** Reads a range of a file, or less at its end. */
export type ReadArchiveBytes = (range: ByteRange, signal: AbortSignal) => Promise<Uint8Array>

/** An open archive of vector tiles. */
export type PmtilesArchive = {
  header: PmtilesHeader
  /** The metadata as JSON; an empty object if the archive has none. */
  metadata: Record<string, unknown>
  /** Returns a tile as it is stored; null if the archive has none there. @throws {PmtilesError} if it is damaged. */
  readTile(position: TilePosition, signal: AbortSignal): Promise<Uint8Array | null>
  /** Returns the entries of tiles in ranges, cut at the ends of the ranges. @throws {PmtilesError} above two million. */
  listEntries(ranges: readonly TileRange[], signal: AbortSignal): Promise<DirectoryEntry[]>
}

/** Archives have a root, leaves, and rarely leaves of leaves. */
const directoryDepthMax = 4
const directoryMax_bytes = 8 * 1024 * 1024
const metadataMax_bytes = 4 * 1024 * 1024
const tileMax_bytes = 8 * 1024 * 1024
const directoryCache_bytes = 16 * 1024 * 1024
/** The memory of an entry of a directory, as an estimate. */
const entry_bytes = 64
/** Directories that are near each other can be read with one request. */
const directoriesAtOnce = 100
const listedEntriesMax = 2_000_000

/** Opens an archive: reads its header, its root directory and its metadata. @throws {PmtilesError} if it is none. */
export async function openPmtiles(read: ReadArchiveBytes, signal: AbortSignal): Promise<PmtilesArchive> {
  const start = await read({ offset: 0, length: pmtilesStart_bytes }, signal)
  const header = decodeHeader(start)
  const directories = createByteCache(directoryCache_bytes).openPartition<DirectoryEntry[]>()
  const readPart = async ({ offset, length }: ByteRange, max_bytes: number, partSignal: AbortSignal) => {
    if (length > max_bytes) throw new PmtilesError(`has a part of ${length} bytes. The limit is ${max_bytes}.`)
    const isInStart = offset + length <= start.length
    const bytes = isInStart ? start.subarray(offset, offset + length) : await read({ offset, length }, partSignal)
    if (bytes.length < length) throw new PmtilesError('is incomplete.')
    return bytes
  }
  const readDirectory = async (range: ByteRange, partSignal: AbortSignal) => {
    const known = directories.get(range.offset)
    if (known) return known
    const bytes = await readPart(range, directoryMax_bytes, partSignal)
    const entries = decodeDirectory(decompress(bytes, header.internalCompression))
    return directories.set(range.offset, entries, entries.length * entry_bytes)
  }
  const findTile = async (id: number, tileSignal: AbortSignal) => {
    let directory = header.root
    for (let depth = 0; depth < directoryDepthMax; depth++) {
      const entry = findEntry(await readDirectory(directory, tileSignal), id)
      if (entry === null || entry.runLength > 0) return entry
      directory = { offset: header.leaves.offset + entry.offset, length: entry.length }
    }
    throw new PmtilesError('has directories that are nested too deeply.')
  }
  const listEntries = async (ranges: readonly TileRange[], listSignal: AbortSignal) => {
    const found: DirectoryEntry[] = []
    let directories: ByteRange[] = [header.root]
    for (let depth = 0; directories.length > 0; depth++) {
      if (depth === directoryDepthMax) throw new PmtilesError('has directories that are nested too deeply.')
      const read = async (range: ByteRange) => readDirectory(range, listSignal)
      const lists = await mapConcurrently(directories, directoriesAtOnce, read)
      const entries = lists.flatMap((list) => entriesInRanges(list, ranges))
      const { true: leaves = [], false: tiles = [] } = Object.groupBy(entries, ({ runLength }) => `${runLength === 0}`)
      for (const entry of tiles) found.push(entry)
      if (found.length > listedEntriesMax)
        throw new PmtilesError(`has more than ${listedEntriesMax} tiles for this area.`)
      directories = leaves.map(({ offset, length }) => ({ offset: header.leaves.offset + offset, length }))
    }
    return found.toSorted((a, b) => a.id - b.id)
  }
  await readDirectory(header.root, signal)
  const { metadata } = header
  const text = metadata.length === 0 ? null : await readPart(metadata, metadataMax_bytes, signal)
  return {
    header,
    metadata: text === null ? {} : parseMetadata(decompress(text, header.internalCompression)),
    listEntries,
    async readTile(position, tileSignal) {
      const entry = await findTile(tileIdOf(position), tileSignal)
      if (!entry) return null
      const { offset, length } = entry
      return readPart({ offset: header.tiles.offset + offset, length }, tileMax_bytes, tileSignal)
    },
  }
}

/** The entries of a directory that have tiles in ranges. Entries of tiles are cut at the ends of the ranges. */
function entriesInRanges(entries: readonly DirectoryEntry[], ranges: readonly TileRange[]): DirectoryEntry[] {
  const found: DirectoryEntry[] = []
  let next = 0
  entries.forEach((entry, i) => {
    const isLeaf = entry.runLength === 0
    const end = isLeaf ? (entries[i + 1]?.id ?? Infinity) : entry.id + entry.runLength
    while (next < ranges.length && ranges[next]!.end <= entry.id) next++
    for (let at = next; at < ranges.length && ranges[at]!.first < end; at++) {
      if (isLeaf) return void found.push(entry)
      const id = Math.max(entry.id, ranges[at]!.first)
      found.push({ ...entry, id, runLength: Math.min(end, ranges[at]!.end) - id })
    }
  })
  return found
}

function parseMetadata(bytes: Uint8Array): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
  } catch (cause) {
    throw new PmtilesError('has metadata that are not JSON.', { cause })
  }
}
