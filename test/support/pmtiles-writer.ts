import { gzipSync } from 'node:zlib'
import { zxyToTileId } from 'pmtiles'

/** A tile of a written archive: its position and its bytes, without compression. */
export type WrittenTile = { z: number; x: number; y: number; bytes: Uint8Array }

type Options = {
  metadata?: object
  bounds?: [west: number, south: number, east: number, north: number]
  /** Writes the entries into leaf directories of this many entries. */
  leafEntries?: number
  isCompressed?: boolean
}

/** Writes a PMTiles archive of vector tiles by the specification, version 3. */
export function writePmtiles(tiles: readonly WrittenTile[], options: Options = {}): Uint8Array {
  const { metadata = {}, bounds = [-180, -85, 180, 85], leafEntries = Infinity, isCompressed = true } = options
  const pack = (bytes: Uint8Array) => (isCompressed ? new Uint8Array(gzipSync(bytes)) : bytes)
  const sorted = tiles
    .map(({ z, x, y, bytes }) => ({ id: zxyToTileId(z, x, y), bytes: pack(bytes) }))
    .toSorted((a, b) => a.id - b.id)
  let offset = 0
  const entries = sorted.map(({ id, bytes }) => ({
    id,
    run: 1,
    length: bytes.length,
    offset: (offset += bytes.length) - bytes.length,
  }))
  const leaves: Uint8Array[] = []
  const root: Entry[] = []
  let leafOffset = 0
  if (entries.length <= leafEntries) root.push(...entries)
  else
    for (let i = 0; i < entries.length; i += leafEntries) {
      const leaf = pack(directory(entries.slice(i, i + leafEntries)))
      root.push({ id: entries[i]!.id, run: 0, length: leaf.length, offset: leafOffset })
      leaves.push(leaf)
      leafOffset += leaf.length
    }
  const parts = [
    pack(directory(root)),
    pack(new TextEncoder().encode(JSON.stringify(metadata))),
    Buffer.concat(leaves),
    Buffer.concat(sorted.map(({ bytes }) => bytes)),
  ]
  const zooms = tiles.map(({ z }) => z)
  return new Uint8Array(
    Buffer.concat([header({ parts, bounds, zooms, isCompressed, count: entries.length }), ...parts]),
  )
}

type Entry = { id: number; run: number; length: number; offset: number }

function directory(entries: readonly Entry[]): Uint8Array {
  const numbers = [
    entries.length,
    ...entries.map(({ id }, i) => id - (entries[i - 1]?.id ?? 0)),
    ...entries.map(({ run }) => run),
    ...entries.map(({ length }) => length),
    ...entries.map(({ offset }, i) => {
      const before = entries[i - 1]
      return before && before.offset + before.length === offset ? 0 : offset + 1
    }),
  ]
  return Uint8Array.from(numbers.flatMap(varint))
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) + 128, ...varint(Math.floor(number / 128))]
}

type HeaderContent = {
  parts: Uint8Array[]
  bounds: [number, number, number, number]
  zooms: number[]
  isCompressed: boolean
  count: number
}

function header({ parts, bounds, zooms, isCompressed, count }: HeaderContent): Uint8Array {
  const bytes = Buffer.alloc(127)
  bytes.write('PMTiles')
  bytes.writeUInt8(3, 7)
  let offset = 127
  parts.forEach((part, i) => {
    bytes.writeBigUInt64LE(BigInt(offset), 8 + i * 16)
    bytes.writeBigUInt64LE(BigInt(part.length), 16 + i * 16)
    offset += part.length
  })
  for (const position of [72, 80, 88]) bytes.writeBigUInt64LE(BigInt(count), position)
  bytes.writeUInt8(1, 96)
  bytes.writeUInt8(isCompressed ? 2 : 1, 97)
  bytes.writeUInt8(isCompressed ? 2 : 1, 98)
  bytes.writeUInt8(1, 99)
  bytes.writeUInt8(Math.min(...zooms), 100)
  bytes.writeUInt8(Math.max(...zooms), 101)
  bounds.forEach((degrees, i) => bytes.writeInt32LE(Math.round(degrees * 1e7), 102 + i * 4))
  return bytes
}
