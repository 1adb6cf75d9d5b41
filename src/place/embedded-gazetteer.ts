import { edenGC } from 'bun:jsc'
import type { Gazetteer } from '../address/gazetteer.ts'
import { normalizeWords } from '../address/tokenizer.ts'
import { createYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { townKeyOf } from '../address/town-key.ts'
import { createIncrementalTask, type TaskSteps } from '../async/incremental-task.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import type { MemoryLayer } from '../packs/memory-layer.ts'
import { createTownIndex, type TownIndex } from './town-index.ts'

/**
 * The gazetteer of the embedded towns and ZIP codes. `warm` loads it in small steps; a lookup before that loads it at
 * once.
 */
export function createEmbeddedGazetteer(layers: Layers): Gazetteer & { warm(): Promise<void> } {
  const data = createIncrementalTask(
    () => readGazetteer(layers.layer('places'), layers.layer('zips')),
    createYieldToEventLoop(slice_ms, edenGC),
  )
  return {
    statesWithTown: (words) => data.runSync().townIndex.statesOf(townKeyOf(words)),
    placeOfZip(zip) {
      const { rowByZip, zips } = data.runSync()
      const row = (rowByZip[Number(zip)] ?? 0) - 1
      if (row < 0) return null
      const { PLACE, STATE } = zips.propertiesAt(row)
      return { city: String(PLACE), state: String(STATE) }
    },
    async warm() {
      await data.run()
    },
  }
}

type Layers = Pick<EmbeddedData, 'layer'>
/** `rowByZip`: for each ZIP code, 1 + its row in `zips`; 0 if unknown. */
type GazetteerData = { townIndex: TownIndex; rowByZip: Uint32Array; zips: MemoryLayer }

/** How long one step may take before the event loop runs; garbage is collected between steps. */
const slice_ms = 8
const rowsPerStep = 64
const zipCount = 100_000

function* readGazetteer(towns: MemoryLayer, zips: MemoryLayer): TaskSteps<GazetteerData> {
  const townIndex = createTownIndex()
  const rowByZip = new Uint32Array(zipCount)
  const add = (name: string, state: string) => townIndex.add(townKeyOf(normalizeWords(name)), state)
  let rows = 0
  for (const { NAME, STATE, COUNTRY } of towns.allProperties()) {
    add(String(NAME), String(COUNTRY === 'US' ? STATE : COUNTRY))
    if (++rows % rowsPerStep === 0) yield
  }
  rows = 0
  for (const { ZIP, PLACE, STATE } of zips.allProperties()) {
    rows++
    // ZIP codes of the territories have no town.
    if (PLACE !== null) {
      rowByZip[Number(ZIP)] = rows
      add(String(PLACE), String(STATE))
    }
    if (rows % rowsPerStep === 0) yield
  }
  return { townIndex, rowByZip, zips }
}
