import { edenGC, fullGC, heapSize } from 'bun:jsc'

/** A full collection of 110 MB takes 25 to 55 ms. */
const defaultGrowthMax_bytes = 24 * 1_048_576

/**
 * Returns a function to call after each piece of work. Every `interval` calls, it collects the young generation; and
 * everything when the heap has grown by `growthMax_bytes` over what was live at the last full collection, or over its
 * size when this function was created. The engine itself would wait until the heap is two to three times the live data.
 * What outlives a young collection while requests wait is then garbage that no young collection finds.
 */
export function createGarbageCollector(interval: number, growthMax_bytes = defaultGrowthMax_bytes): () => void {
  let calls = 0
  let live_bytes = heapSize()
  return () => {
    if (++calls % interval !== 0) return
    edenGC()
    const heap_bytes = heapSize()
    if (heap_bytes > live_bytes + growthMax_bytes) {
      fullGC()
      live_bytes = heapSize()
    } else live_bytes = Math.min(live_bytes, heap_bytes)
  }
}
