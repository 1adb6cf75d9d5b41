import type { Budget } from '../model/source.ts'
import { corruptTiffError } from './tiff-directory.ts'
import type { RasterLayout } from './layout.ts'

const lastChunksChecked = 16
const sampledChunksChecked = 16

/**
 * Throws `bad_response` if the file is truncated. Checks the last tiles, which all common programs write last, and a
 * sample of the others: checking every tile of a large file takes too long. /
 */
export async function checkComplete(layout: RasterLayout, size_bytes: number, budget: Budget): Promise<void> {
  for (const chunk of chunksToCheck(layout)) {
    const location = await layout.locateChunk(chunk, budget)
    if (location && location.offset + location.length > size_bytes)
      throw corruptTiffError(
        `is truncated: it has ${size_bytes} bytes, but one of its tiles ends at byte ${location.offset + location.length}`,
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
