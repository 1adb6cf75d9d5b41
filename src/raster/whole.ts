import type { Budget } from '../model/source.ts'
import { broken } from './directory.ts'
import type { Layout } from './layout.ts'

const lastTried = 16
const othersTried = 16

/** Refuses a file that ends before its tiles do. Tried are the last tiles, which lie last in what any program writes, and some between: of a large file all would take long. */
export async function checkWhole(layout: Layout, size_bytes: number, budget: Budget): Promise<void> {
  for (const chunk of triedOf(layout)) {
    const place = await layout.bytesOf(chunk, budget)
    if (place && place.offset + place.length > size_bytes) throw broken(`is cut off: it has ${size_bytes} bytes, and a tile of it ends at byte ${place.offset + place.length}`)
  }
}

function triedOf({ height, chunkHeight, across, bands, chunkOf }: Layout): Set<number> {
  const chunks = chunkOf(Math.ceil(height / chunkHeight) - 1, bands) + across
  const last = Array.from({ length: Math.min(lastTried, chunks) }, (_, i) => chunks - 1 - i)
  return new Set([...last, ...Array.from({ length: othersTried }, (_, i) => Math.floor((i * chunks) / othersTried))])
}
