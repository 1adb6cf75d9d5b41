import { edenGC } from 'bun:jsc'
import { wordsOf } from '../model/address-token.ts'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { townKeyOf } from '../model/town-key.ts'
import { createIncrementalTask, type TaskSteps } from '../async/incremental-task.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import type { MemoryLayer } from '../packs/memory-layer.ts'
import { openNames, type PackedNames } from './packed-names.ts'

/** Which names are towns, and what town and state a ZIP code belongs to. */
export type Gazetteer = {
  /** The states that have a town of the name (its words in capitals); none when there is no such town. */
  statesOf(words: readonly string[]): readonly string[]
  place(zip: string): { city: string; state: string } | null
}

/** The gazetteer of the embedded towns and ZIP codes: read by `warm`, with breaths between, and what is not read by then at the first question. */
export function gazetteerOf(layers: Layers): Gazetteer & { warm(): Promise<void> } {
  const towns = createIncrementalTask(() => reading(layers.layer('places'), layers.layer('zips')), createYieldToEventLoop(slice_ms, edenGC))
  return {
    statesOf: (words) => towns.runSync().names.statesOf(townKeyOf(words)),
    place(zip) {
      const { rowByZip, zips } = towns.runSync()
      const row = (rowByZip[Number(zip)] ?? 0) - 1
      if (row < 0) return null
      const { PLACE, STATE } = zips.propertiesAt(row)
      return { city: String(PLACE), state: String(STATE) }
    },
    async warm() {
      await towns.run()
    },
  }
}

type Layers = Pick<EmbeddedData, 'layer'>
/** `rowByZip`: the row of a ZIP code among the `zips`, and one more. */
type Read = { names: PackedNames; rowByZip: Uint32Array; zips: MemoryLayer }

/** So much is read before the event loop turns; what reading leaves behind is collected then. */
const slice_ms = 8
const rowsOfStep = 64
const zipCodes = 100_000

function* reading(towns: MemoryLayer, zips: MemoryLayer): TaskSteps<Read> {
  const names = openNames()
  const rowByZip = new Uint32Array(zipCodes)
  const add = (name: string, state: string) => names.add(townKeyOf(wordsOf(name)), state)
  let rows = 0
  for (const { NAME, STATE, COUNTRY } of towns.allProperties()) {
    add(String(NAME), String(COUNTRY === 'US' ? STATE : COUNTRY))
    if (++rows % rowsOfStep === 0) yield
  }
  rows = 0
  for (const { ZIP, PLACE, STATE } of zips.allProperties()) {
    rows++
    // In the territories a code is known, and no town of it.
    if (PLACE !== null) {
      rowByZip[Number(ZIP)] = rows
      add(String(PLACE), String(STATE))
    }
    if (rows % rowsOfStep === 0) yield
  }
  return { names, rowByZip, zips }
}
