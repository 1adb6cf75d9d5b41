import { edenGC } from 'bun:jsc'
import { distanceBetween_m } from '../geo/ecef.ts'
import type { Point } from '../model/place.ts'
import type { Gazetteer } from '../address/address.ts'
import { normalizeWords } from '../address/tokenizer.ts'
import { createYieldToEventLoop, createIncrementalTask, type TaskSteps } from '../async/incremental-task.ts'
import { townKeyOf } from '../address/town.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { MemoryLayer } from '../packs/embedded/memory-layer.ts'
import { spellingsOfTown } from './town-finder.ts'
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
  /** The parser asks several times for the ZIP code of an address. */
  const distances_m = new Map<string, number | null>()
  let latest: { zip: string; place: ReturnType<Gazetteer['placeOfZip']> } = { zip: '', place: null }
  return {
    statesWithTown: (words) => data.runSync().townIndex.statesOf(townKeyOf(words)),
    placeOfZip(zip) {
      if (latest.zip !== zip) latest = { zip, place: placeOfZip(data.runSync(), zip) }
      return latest.place
    },
    distanceToTown_m(zip, { name, state }) {
      const key = `${zip} ${name} ${state}`
      const known = distances_m.get(key)
      if (known !== undefined) return known
      if (distances_m.size >= maxDistances) distances_m.clear()
      const distance_m = distanceToTown_m(layers, data.runSync(), zip, { name, state })
      distances_m.set(key, distance_m)
      return distance_m
    },
    async warm() {
      await data.run()
    },
  }
}

function placeOfZip({ rowByZip, zips }: GazetteerData, zip: string): { city: string; state: string } | null {
  const row = (rowByZip[Number(zip)] ?? 0) - 1
  if (row < 0) return null
  const { PLACE, STATE } = zips.propertiesAt(row)
  return { city: String(PLACE), state: String(STATE) }
}

/** The towns and ZIP codes of an address whose distance is remembered. */
const maxDistances = 1_000

function distanceToTown_m(
  layers: Layers,
  { rowByZip, zips }: GazetteerData,
  zip: string,
  { name, state }: { name: string; state: string | undefined },
): number | null {
  const row = (rowByZip[Number(zip)] ?? 0) - 1
  if (row < 0) return null
  const at = pointAt(zips, row)
  const spellings = spellingsOfTown(name)
  const towns = [
    ...layers.layer('places').pointsWithText('NAME', spellings),
    ...zips.pointsWithText('PLACE', spellings),
  ].filter(({ properties }) => state === undefined || properties.STATE === state)
  return towns.length === 0 ? null : Math.min(...towns.map((town) => distanceBetween_m(town.at, at)))
}

function pointAt(layer: MemoryLayer, row: number): Point {
  const [lng = 0, lat = 0] = layer.geometryAt(row).points[0] ?? []
  return { lat, lng }
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
  for (let row = 0; row < towns.features; row++) {
    const country = towns.valueAt(row, 'COUNTRY')
    add(String(towns.valueAt(row, 'NAME')), String(country === 'US' ? towns.valueAt(row, 'STATE') : country))
    if (row % rowsPerStep === 0) yield
  }
  for (let row = 0; row < zips.features; row++) {
    const place = zips.valueAt(row, 'PLACE')
    // ZIP codes of the territories have no town.
    if (place !== null) {
      rowByZip[Number(zips.valueAt(row, 'ZIP'))] = row + 1
      add(String(place), String(zips.valueAt(row, 'STATE')))
    }
    if (row % rowsPerStep === 0) yield
  }
  return { townIndex, rowByZip, zips }
}
