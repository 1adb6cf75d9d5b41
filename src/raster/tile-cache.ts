import type { Cells } from './decode.ts'

/** What was decoded, up to so many bytes; what was used longest ago goes first. A tile of no cells is a hole in the raster. */
export type TileCache = { get(key: string): Cells | undefined; put(key: string, cells: Cells): void; clear(): void }

/** What a tile costs besides its cells. */
const overhead_bytes = 200

export function openTileCache(max_bytes: number): TileCache {
  const tiles = new Map<string, Cells>()
  let held_bytes = 0
  const drop = (key: string) => {
    const cells = tiles.get(key)
    if (!cells) return
    tiles.delete(key)
    held_bytes -= cells.byteLength + overhead_bytes
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
      drop(key)
      if (cells.byteLength + overhead_bytes > max_bytes) return
      tiles.set(key, cells)
      held_bytes += cells.byteLength + overhead_bytes
      for (const oldest of tiles.keys()) {
        if (held_bytes <= max_bytes) break
        drop(oldest)
      }
    },
    clear() {
      tiles.clear()
      held_bytes = 0
    },
  }
}
