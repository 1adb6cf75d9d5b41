import { stateCodes } from '../address/abbreviations.ts'
import { normalizeWords } from '../address/tokenizer.ts'
import type { Point } from '../model/place.ts'

/** What can be found by name, in the order of the results. */
const placeKinds = ['town', 'county', 'zip', 'airport', 'tide_station'] as const
export type PlaceKind = (typeof placeKinds)[number]

/**
 * A place that is found by name. `detail`: population of a town, town of a ZIP code, identifier of an airport. With
 * `isExact`, the text is the whole name or the identifier.
 */
export type FoundPlace = NamedPlace & { isExact: boolean }
type NamedPlace = { kind: PlaceKind; name: string; state: string; at: Point; detail: string | number | null }

/** A place to search for. `detail` as in `FoundPlace`. */
export type PlaceRecord = [name: string, state: string, lng: number, lat: number, detail?: string | number]

/**
 * Returns the places whose name, with or without the state, begins like the text; then those with a later word that
 * does.
 */
export type PlaceSearch = (text: string) => FoundPlace[]

const maxResults = 8
/** Among many towns of one name, the counties and airports stay visible. */
const maxOfKind = 5
const minText_characters = 2
/** A shorter text is found only at the beginning of a name. */
const minWord_characters = 3

/** `code` and `spellings` are in capitals; `spellings` begin and end with a line break. */
type IndexedPlace = { spellings: string; code: string | null; place: NamedPlace }

/** Creates a search over places; the records of a kind are in order of importance. */
export function createPlaceSearch(records: Partial<Record<PlaceKind, readonly PlaceRecord[]>>): PlaceSearch {
  const places = placeKinds.flatMap((kind) => (records[kind] ?? []).map((record) => indexPlace(kind, record)))
  return (text) => {
    const query = searchKeyOf(text)
    if (query.length < minText_characters) return []
    const matches = places
      .map((it) => ({ place: it.place, rank: rankOf(it, query) }))
      .filter(({ rank }) => rank < noMatch)
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ place, rank }) => ({ ...place, isExact: rank === 0 }))
    return limitEachKind(matches).slice(0, maxResults)
  }
}

const noMatch = 3

/** 0: the text is the name or the identifier; 1: the name begins with it; 2: a later word begins with it. */
function rankOf({ spellings, code, place }: IndexedPlace, query: string): number {
  if (code === query) return 0
  if (!spellings.includes(query)) return noMatch
  if (place.kind !== 'tide_station' && spellings.includes(`\n${query}\n`)) return 0
  if (spellings.includes(`\n${query}`)) return 1
  return query.length >= minWord_characters && spellings.includes(` ${query}`) ? 2 : noMatch
}

function limitEachKind(places: FoundPlace[]): FoundPlace[] {
  const counts = new Map<PlaceKind, number>()
  return places.filter(({ kind }) => {
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    return count < maxOfKind
  })
}

/** Returns the name of a place with its state, and its town if it is a ZIP code: `80302 Boulder, CO`. */
export function placeLabelOf({ kind, name, state, detail }: NamedPlace): string {
  return kind === 'zip' && detail !== null ? `${name} ${detail}, ${state}` : `${name}, ${state}`
}

/** Returns the ZIP code of `80302`, `80302-1234` or `Boulder, CO 80302`; null for other texts, such as an address. */
export function zipIn(text: string): string | null {
  return /^\D{0,100}\b(\d{5})(?:-\d{0,4})?$/.exec(text.trim())?.[1] ?? null
}

function indexPlace(kind: PlaceKind, [name, state, lng, lat, detail]: PlaceRecord): IndexedPlace {
  const key = searchKeyOf(name)
  const names = [key, ...(key.endsWith(' CITY') ? [key.slice(0, -' CITY'.length)] : [])]
  // Texts have the same form, in which Montana is MOUNT too.
  const states = [searchKeyOf(state), stateNames.get(state) ?? state]
  const spellings = names.flatMap((it) => [it, ...states.map((name) => `${it} ${name}`)])
  return {
    spellings: `\n${spellings.join('\n')}\n`,
    code: kind === 'airport' ? String(detail) : null,
    place: { kind, name, state, at: { lat, lng }, detail: detail ?? null },
  }
}

/** The full name of each state by its code. The list of names has the full one first. */
const stateNames = new Map(
  [...stateCodes]
    .filter(([name, code]) => name !== code)
    .toReversed()
    .map(([name, code]) => [code, name]),
)

/** Returns a name in a form that is equal for its spellings: capitals, no accents and punctuation, no abbreviations. */
function searchKeyOf(name: string): string {
  return normalizeWords(name.replace(/[/-]/g, ' '))
    .map((word) => fullWords[word] ?? word)
    .join(' ')
}

const fullWords: Record<string, string> = {
  ST: 'SAINT',
  FT: 'FORT',
  MT: 'MOUNT',
  INTL: 'INTERNATIONAL',
}
