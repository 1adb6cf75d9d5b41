import { gunzipSync } from 'node:zlib'
import type { TilePosition } from './vector-tile.ts'

/** A file that is not a valid PMTiles archive. The message continues the name of the file. */
export class PmtilesError extends Error {}

/** A range of bytes of an archive. */
export type ByteRange = { offset: number; length: number }

/** How directories, metadata and tiles are compressed. The format also knows brotli and zstd, which are rare. */
type PmtilesCompression = 'none' | 'gzip'

/** The header of an archive. Offsets of leaf directories and of tiles count from `leaves` and `tiles`. */
export type PmtilesHeader = {
  root: ByteRange
  metadata: ByteRange
  leaves: ByteRange
  tiles: ByteRange
  internalCompression: PmtilesCompression
  tileCompression: PmtilesCompression
  minzoom: number
  maxzoom: number
  bounds: [west: number, south: number, east: number, north: number]
}

/** An entry of a directory: `runLength` tiles from `id` on with the same bytes, or, if it is 0, a leaf directory. */
export type DirectoryEntry = ByteRange & { id: number; runLength: number }

/** The length of the header. */
export const pmtilesHeader_bytes = 127
/** The header and the root directory are within the first bytes of an archive. */
export const pmtilesStart_bytes = 16_384
/** The supported version of the format, and the number of Mapbox vector tiles in the header. */
export const [version, vectorTiles] = [3, 1]
const compressions: readonly (PmtilesCompression | undefined)[] = [undefined, 'none', 'gzip']
const zoomMax = 22
const entriesMax = 1_000_000
const inflatedMax_bytes = 32 * 1024 * 1024
/** The header has degrees as integers, multiplied by this. */
export const degreeScale = 1e7

/** Reads the header. @throws {PmtilesError} if the file has none, or another version or kind of tiles. */
export function decodeHeader(bytes: Uint8Array): PmtilesHeader {
  if (bytes.length < pmtilesHeader_bytes || new TextDecoder().decode(bytes.subarray(0, 7)) !== 'PMTiles')
    throw new PmtilesError('is not a PMTiles archive.')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint8(7) !== version)
    throw new PmtilesError(
      `has version ${view.getUint8(7)} of the PMTiles format. Only version ${version} is supported.`,
    )
  if (view.getUint8(99) !== vectorTiles)
    throw new PmtilesError('has no vector tiles. Only archives of Mapbox vector tiles are supported.')
  const rangeAt = (position: number) => ({ offset: numberAt(view, position), length: numberAt(view, position + 8) })
  const degreesAt = (position: number) => view.getInt32(position, true) / degreeScale
  const [minzoom, maxzoom] = [view.getUint8(100), view.getUint8(101)]
  if (minzoom > maxzoom || maxzoom > zoomMax)
    throw new PmtilesError(`has an invalid zoom range: ${minzoom} to ${maxzoom}.`)
  return {
    root: rangeAt(8),
    metadata: rangeAt(24),
    leaves: rangeAt(40),
    tiles: rangeAt(56),
    internalCompression: compressionAt(view, 97),
    tileCompression: compressionAt(view, 98),
    minzoom,
    maxzoom,
    bounds: [degreesAt(102), degreesAt(106), degreesAt(110), degreesAt(114)],
  }
}

function numberAt(view: DataView, position: number): number {
  const number = view.getBigUint64(position, true)
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw new PmtilesError('declares a size that is too large.')
  return Number(number)
}

function compressionAt(view: DataView, position: number): PmtilesCompression {
  const compression = compressions[view.getUint8(position)]
  if (compression === undefined)
    throw new PmtilesError('uses an unsupported compression. Only gzip and no compression are supported.')
  return compression
}

/** Returns the bytes without their compression. @throws {PmtilesError} if they are damaged or far too large. */
export function decompress(bytes: Uint8Array, compression: PmtilesCompression): Uint8Array {
  if (compression === 'none') return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: inflatedMax_bytes })
  } catch (cause) {
    throw new PmtilesError('has damaged data.', { cause })
  }
}

/** Reads a directory without its compression. @throws {PmtilesError} if it is damaged. */
export function decodeDirectory(bytes: Uint8Array): DirectoryEntry[] {
  let position = 0
  const next = () => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = bytes[position++]
      if (byte === undefined || scale > 2 ** 49) throw new PmtilesError('has a damaged directory.')
      value += (byte & 127) * scale
      if (byte < 128) return value
      scale *= 128
    }
  }
  const count = next()
  if (count > entriesMax) throw new PmtilesError(`has a directory with ${count} entries. The limit is ${entriesMax}.`)
  const entries: DirectoryEntry[] = []
  for (let i = 0, id = 0; i < count; i++) entries.push({ id: (id += next()), runLength: 0, length: 0, offset: 0 })
  for (const entry of entries) entry.runLength = next()
  for (const entry of entries) entry.length = next()
  entries.forEach((entry, i) => {
    const offset = next()
    const before = entries[i - 1]
    // 0 stands for: right after the entry before.
    entry.offset = offset === 0 && before ? before.offset + before.length : offset - 1
    if (entry.offset < 0) throw new PmtilesError('has a damaged directory.')
  })
  return entries
}

/** Returns the entry that has a tile, or the leaf directory that may have it; null if the directory has neither. */
export function findEntry(entries: readonly DirectoryEntry[], id: number): DirectoryEntry | null {
  let [low, high] = [0, entries.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    if (entries[middle]!.id <= id) low = middle + 1
    else high = middle - 1
  }
  const entry = entries[high]
  return entry && (entry.runLength === 0 || id < entry.id + entry.runLength) ? entry : null
}

/** Returns the number of a tile: its place on the Hilbert curves of all zooms, one after the other. */
export function tileIdOf({ z, x, y }: TilePosition): number {
  let id = (4 ** z - 1) / 3
  let [column, row] = [x, y]
  for (let size = 2 ** (z - 1); size >= 1; size /= 2) {
    const isRight = column >= size ? 1 : 0
    const isLower = row >= size ? 1 : 0
    id += size * size * ((3 * isRight) ^ isLower)
    column -= isRight * size
    row -= isLower * size
    if (isLower) continue
    if (isRight) [column, row] = [size - 1 - column, size - 1 - row]
    ;[column, row] = [row, column]
  }
  return id
}
