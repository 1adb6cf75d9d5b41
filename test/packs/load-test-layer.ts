import type { Database } from 'bun:sqlite'
import { createYieldToEventLoop } from '../../src/async/incremental-task.ts'
import { layOutLayer } from '../../scripts/embed/lay-out.ts'
import { buildIndexes } from '../../src/packs/embedded/embedded-layout.ts'
import { openMemoryLayer, type MemoryLayer } from '../../src/packs/embedded/memory-layer.ts'

/** Lays out a layer and opens it. */
export function loadTestLayer(db: Database, name: string): MemoryLayer {
  const layout = layOutLayer(db, name)
  return openMemoryLayer(layout, buildIndexes(layout), createYieldToEventLoop(8))
}
