import { wordsOf } from '../model/address-token.ts'
import { townKeyOf } from '../model/town-key.ts'
import type { HeldLayer } from '../packs/held-layer.ts'

/** Which names are towns, and what town and state a ZIP code belongs to. */
export type Gazetteer = {
  /** The states that have a town of the name (its words in capitals); none when there is no such town. */
  statesOf(words: readonly string[]): readonly string[]
  place(zip: string): { city: string; state: string } | null
}

/** The gazetteer of the embedded towns and ZIP codes: read by `warm`, with breaths between, and what is not read by then at the first question. */
export function gazetteerOf(layers: Layers): Gazetteer & { warm(): Promise<void> } {
  let reading: Reading | null = null
  const some = () => (reading ??= readingOf(layers))
  const towns = () => {
    while (!some().next().done);
    return some().read
  }
  return {
    statesOf: (words) => towns().statesByName.get(townKeyOf(words)) ?? nowhere,
    place: (zip) => {
      const { placeByZip, places } = towns()
      return places[(placeByZip[Number(zip)] ?? 0) - 1] ?? null
    },
    async warm() {
      while (!some().next().done) await Bun.sleep(0)
    },
  }
}

type Layers = { layer(name: 'places' | 'zips'): HeldLayer }
type Read = { statesByName: Map<string, readonly string[]>; placeByZip: Uint16Array; places: { city: string; state: string }[] }
/** What is read so far, and the rest of the work: each step is a breath long. */
type Reading = { read: Read; next(): { done?: boolean } }

const nowhere: readonly string[] = []
/** Some milliseconds of work. */
const rowsOfBreath = 1_000

function readingOf(layers: Layers): Reading {
  const read: Read = { statesByName: new Map(), placeByZip: new Uint16Array(100_000), places: [] }
  // A layer that cannot be read is found out here, before anything is half done.
  const steps = readInto(read, layers.layer('places'), layers.layer('zips'))
  return { read, next: () => steps.next() }
}

function* readInto({ statesByName, placeByZip, places }: Read, towns: HeldLayer, zips: HeldLayer): Generator<void, void> {
  const numbers = new Map<string, number>()
  // There are few hundred sets of states, and each is kept once.
  const sets = new Map<string, readonly string[]>()
  const add = (name: string, state: string) => {
    const key = townKeyOf(wordsOf(name))
    const before = statesByName.get(key) ?? nowhere
    if (before.includes(state)) return
    const after = [...before, state].toSorted()
    const kept = sets.get(after.join()) ?? after
    sets.set(after.join(), kept)
    statesByName.set(key, kept)
  }
  let rows = 0
  for (const properties of towns.all()) {
    add(String(properties.NAME), String(properties.COUNTRY === 'US' ? properties.STATE : properties.COUNTRY))
    if (++rows % rowsOfBreath === 0) yield
  }
  for (const properties of zips.all()) {
    const [city, state, zip] = [String(properties.PLACE), String(properties.STATE), Number(properties.ZIP)]
    const number = numbers.get(`${city}|${state}`) ?? places.push({ city, state })
    numbers.set(`${city}|${state}`, number)
    placeByZip[zip] = number
    add(city, state)
    if (++rows % rowsOfBreath === 0) yield
  }
}
