import places from 'made:base-places.json' with { type: 'file' }
import type { Point } from '../map/point.ts'

export type NamedPlace = { name: string; state: string; population: number; at: Point }
type Listed = [name: string, state: string, population: number, lng: number, lat: number]
type Folded = { key: string; place: NamedPlace }

const shownMax = 6

/** The populated places of the US, by the beginning of their names; the larger first. */
export type PlaceNames = (text: string) => NamedPlace[]

/** Loads them: once, when somebody begins to type. */
export async function openPlaceNames(): Promise<PlaceNames> {
  const listed = (await (await fetch(places)).json()) as Listed[]
  const all: Folded[] = listed.map(([name, state, population, lng, lat]) => ({
    key: folded(`${name} ${state}`),
    place: { name, state, population, at: { lat, lng } },
  }))
  return (text) => {
    const wanted = folded(text)
    if (wanted.length < 2) return []
    const found: NamedPlace[] = []
    // They are in the order of their size: the first that fit are the ones that are meant.
    for (const { key, place } of all) {
      if (key.startsWith(wanted)) found.push(place)
      if (found.length === shownMax) break
    }
    return found
  }
}

/** Without what people leave out: accents, commas, dots, and whether it is a saint or St. */
function folded(text: string): string {
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
