import places from 'made:base-places.json' with { type: 'file' }
import type { MapPoint } from '../map/geometry.ts'

export type NamedPlace = { name: string; state: string; population: number; at: MapPoint }
type PlaceRecord = [name: string, state: string, population: number, lng: number, lat: number]
type IndexedPlace = { key: string; place: NamedPlace }

const maxSuggestions = 6

/** The populated places of the US, by the beginning of their names; the larger first. */
export type PlaceNameSearch = (text: string) => NamedPlace[]

/** Loads them: once, when somebody begins to type. */
export async function loadPlaceNames(): Promise<PlaceNameSearch> {
  const records = (await (await fetch(places)).json()) as PlaceRecord[]
  const index: IndexedPlace[] = records.map(([name, state, population, lng, lat]) => ({
    key: normalizeName(`${name} ${state}`),
    place: { name, state, population, at: { lat, lng } },
  }))
  return (text) => {
    const prefix = normalizeName(text)
    if (prefix.length < 2) return []
    const matches: NamedPlace[] = []
    // They are in the order of their size: the first that fit are the ones that are meant.
    for (const { key, place } of index) {
      if (key.startsWith(prefix)) matches.push(place)
      if (matches.length === maxSuggestions) break
    }
    return matches
  }
}

/** Without what people leave out: accents, commas, dots, and whether it is a saint or St. */
function normalizeName(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[.,']/g, ' ')
    .replace(/\bst\b/g, 'saint')
    .replace(/\bft\b/g, 'fort')
    .replace(/\bmt\b/g, 'mount')
    .replace(/\s+/g, ' ')
    .trimStart()
}
