import type { Database } from 'bun:sqlite'
import { createYieldToEventLoop } from '../../src/async/yield-to-event-loop.ts'
import { loadMemoryLayer, type MemoryLayer } from '../../src/packs/memory-layer.ts'

/** Loads a memory layer synchronously. */
export function loadTestLayer(db: Database, name: string): MemoryLayer {
  return loadMemoryLayer(db, name, createYieldToEventLoop(8)).runSync()
}
