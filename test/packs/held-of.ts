import type { Database } from 'bun:sqlite'
import { openLoopTurn } from '../../src/model/loop-turn.ts'
import { holdLayer, type HeldLayer } from '../../src/packs/held-layer.ts'

/** A layer that is read at once. */
export function heldOf(db: Database, name: string): HeldLayer {
  return holdLayer(db, name, openLoopTurn(8)).now()
}
