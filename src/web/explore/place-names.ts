import places from 'made:base-places.json' with { type: 'file' }
import type { Point } from '../../model/place.ts'

export type NamedPlace = { name: string; state: string; population: number; at: Point }
type PlaceRecord = [name: string, state: string, population: number, lng: number, lat: number]
type IndexedPlace = { key: string; place: NamedPlace }

const maxSuggestions = 6

/** Finds US towns by the beginning of their names, largest first. */
export type PlaceNameSearch = (text: string) => NamedPlace[]

/** Loads the place names. Called once, when the user starts to type. */
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
    // Records are sorted by population, so the first matches are the largest places.
    for (const { key, place } of index) {
      if (key.startsWith(prefix)) matches.push(place)
      if (matches.length === maxSuggestions) break
    }
    return matches
  }
}

/** Removes accents and punctuation, and spells out St, Ft and Mt. */
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
