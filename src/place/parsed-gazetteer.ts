import { wordsOf } from '../model/address-token.ts'
import type { Point } from '../model/place.ts'
import { townKeyOf } from '../model/town-key.ts'
import type { HeldLayer } from '../packs/held-layer.ts'

/** Which names are towns, and what town and state a ZIP code belongs to. */
export type Gazetteer = {
  /** The states that have a town of the name (its words in capitals); none when there is no such town. */
  statesOf(words: readonly string[]): readonly string[]
  place(zip: string): { city: string; state: string } | null
}

/** The gazetteer of the embedded towns and ZIP codes, read at the first question. */
export function gazetteerOf(layers: { layer(name: 'places' | 'zips'): HeldLayer }): Gazetteer {
  let read: Read | null = null
  const towns = () => (read ??= readAll(layers))
  return {
    statesOf: (words) => towns().statesByName.get(townKeyOf(words)) ?? nowhere,
    place: (zip) => {
      const { placeByZip, places } = towns()
      return places[(placeByZip[Number(zip)] ?? 0) - 1] ?? null
    },
  }
}

type Read = { statesByName: Map<string, readonly string[]>; placeByZip: Uint16Array; places: { city: string; state: string }[] }

const nowhere: readonly string[] = []
const anywhere: Point = { lat: 40, lng: -98 }

function readAll({ layer }: { layer(name: 'places' | 'zips'): HeldLayer }): Read {
  const statesByName = new Map<string, readonly string[]>()
  const places: Read['places'] = []
  const placeByZip = new Uint16Array(100_000)
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
  for (const { properties } of layer('places').near({ at: anywhere, radius_m: Infinity })) add(String(properties.NAME), String(properties.COUNTRY === 'US' ? properties.STATE : properties.COUNTRY))
  for (const { properties } of layer('zips').near({ at: anywhere, radius_m: Infinity })) {
    const [city, state, zip] = [String(properties.PLACE), String(properties.STATE), Number(properties.ZIP)]
    const number = numbers.get(`${city}|${state}`) ?? places.push({ city, state })
    numbers.set(`${city}|${state}`, number)
    placeByZip[zip] = number
    add(city, state)
  }
  return { statesByName, placeByZip, places }
}
