import type { CellArray } from './decode.ts'

/** A least-recently-used cache of decoded tiles, limited by bytes. A tile without cells is a gap in the raster. */
export type TileCache = {
  get(key: string): CellArray | undefined
  put(key: string, cells: CellArray): void
  clear(): void
}

/** The memory of a cache entry in addition to its cells. */
const overhead_bytes = 200

/** Creates a cache of at most `max_bytes`. */
export function createTileCache(max_bytes: number): TileCache {
  const tiles = new Map<string, CellArray>()
  let size_bytes = 0
  const remove = (key: string) => {
    const cells = tiles.get(key)
    if (!cells) return
    tiles.delete(key)
    size_bytes -= cells.byteLength + overhead_bytes
  }
  return {
    get(key) {
      const cells = tiles.get(key)
      if (!cells) return undefined
      tiles.delete(key)
      tiles.set(key, cells)
      return cells
    },
    put(key, cells) {
      remove(key)
      if (cells.byteLength + overhead_bytes > max_bytes) return
      tiles.set(key, cells)
      size_bytes += cells.byteLength + overhead_bytes
      for (const oldest of tiles.keys()) {
        if (size_bytes <= max_bytes) break
        remove(oldest)
      }
    },
    clear() {
      tiles.clear()
      size_bytes = 0
    },
  }
}
