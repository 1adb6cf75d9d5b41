import type { Database } from 'bun:sqlite'
import { createYieldToEventLoop } from '../../src/async/yield-to-event-loop.ts'
import { holdLayer, type HeldLayer } from '../../src/packs/held-layer.ts'

/** A layer that is read at once. */
export function heldOf(db: Database, name: string): HeldLayer {
  return holdLayer(db, name, createYieldToEventLoop(8)).runSync()
}
