import { decompress, PmtilesError, type ByteRange, type DirectoryEntry } from './pmtiles-format.ts'
import type { PmtilesArchive } from './pmtiles-archive.ts'
import { encodeArchiveStart } from './pmtiles-encode.ts'
import type { TileRange } from './tile-ranges.ts'

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
