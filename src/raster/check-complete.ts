import type { Budget } from '../model/source.ts'
import { corruptTiffError } from './tiff-directory.ts'
import type { RasterLayout } from './layout.ts'

const lastChunksChecked = 16
const sampledChunksChecked = 16

/** Refuses a file that ends before its tiles do. Tried are the last tiles, which lie last in what any program writes, and some between: of a large file all would take long. */
export async function checkComplete(layout: RasterLayout, size_bytes: number, budget: Budget): Promise<void> {
  for (const chunk of chunksToCheck(layout)) {
    const location = await layout.locateChunk(chunk, budget)
    if (location && location.offset + location.length > size_bytes)
      throw corruptTiffError(
        `is cut off: it has ${size_bytes} bytes, and a tile of it ends at byte ${location.offset + location.length}`,
      )
  }
}

function chunksToCheck({ height, chunkHeight, chunksAcross, bands, firstChunkOfRow }: RasterLayout): Set<number> {
  const chunkCount = firstChunkOfRow(Math.ceil(height / chunkHeight) - 1, bands) + chunksAcross
  const last = Array.from({ length: Math.min(lastChunksChecked, chunkCount) }, (_, i) => chunkCount - 1 - i)
  return new Set([
    ...last,
    ...Array.from({ length: sampledChunksChecked }, (_, i) => Math.floor((i * chunkCount) / sampledChunksChecked)),
  ])
}
