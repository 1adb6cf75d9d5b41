import { stateCodes } from '../address/abbreviations.ts'
import { normalizeWords } from '../address/tokenizer.ts'
import type { Point } from '../model/place.ts'

/** What can be found by name, in the order of the results. */
const placeKinds = ['state', 'town', 'county', 'zip', 'airport', 'tide_station'] as const
export type PlaceKind = (typeof placeKinds)[number]

/**
 * A place that is found by name. `detail`: population of a town, town of a ZIP code, identifier of an airport. With
 * `isExact`, the text is the whole name or the identifier. With `isMisspelled`, it differs from the name.
 */
export type FoundPlace = NamedPlace & { isExact: boolean; isMisspelled: boolean }
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
    const ranked = places.map((it) => ({ place: it.place, rank: rankOf(it, query) })).filter(isMatch)
    const matches = (ranked.length > 0 ? ranked : misspelledMatches(places, query))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ place, rank }) => ({ ...place, isExact: rank === 0, isMisspelled: rank === misspelled }))
    return limitEachKind(matches).slice(0, maxResults)
  }
}

const noMatch = 3
/** New York and Washington are rather the cities than the states. */
const cityState = 0.5
const misspelled = 2.5

type Match = { place: NamedPlace; rank: number }

function isMatch({ rank }: Match): boolean {
  return rank < noMatch
}

/** A shorter text with a typing error could mean too many names. */
const minMisspelled_characters = 5

/** Finds names that differ from the text by one character, or by two that are swapped. They are never exact. */
function misspelledMatches(places: readonly IndexedPlace[], query: string): Match[] {
  if (query.length < minMisspelled_characters || /\d/.test(query)) return []
  return places
    .filter(({ spellings }) => spellings.split('\n').some((name) => hasOneTypingError(query, name)))
    .map(({ place }) => ({ place, rank: misspelled }))
}

function hasOneTypingError(query: string, name: string): boolean {
  if (Math.abs(query.length - name.length) > 1) return false
  let start = 0
  while (start < query.length && query[start] === name[start]) start++
  const [a, b] = [query.slice(start), name.slice(start)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return isSwapped || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)
}

/** 0: the text is the name or the identifier; 1: the name begins with it; 2: a later word begins with it. */
function rankOf({ spellings, code, place }: IndexedPlace, query: string): number {
  if (code === query) return 0
  if (place.kind === 'state' && spellings === `\n${query}\n` && cityStates.includes(query)) return cityState
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
  if (kind === 'state') return name
  return kind === 'zip' && detail !== null ? `${name} ${detail}, ${state}` : `${name}, ${state}`
}

/** Returns the ZIP code of `80302`, `80302-1234` or `Boulder, CO 80302`; null for other texts, such as an address. */
export function zipIn(text: string): string | null {
  return /^\D{0,100}\b(\d{5})(?:-\d{0,4})?$/.exec(text.trim())?.[1] ?? null
}

function indexPlace(kind: PlaceKind, [name, state, lng, lat, detail]: PlaceRecord): IndexedPlace {
  const key = searchKeyOf(name)
  const names = [
    key,
    ...(key.endsWith(' CITY') ? [key.slice(0, -' CITY'.length)] : []),
    ...(kind === 'town' ? (nicknames[`${key}, ${state}`] ?? []) : []),
  ]
  // Texts have the same form, in which Montana is MOUNT too.
  const states = [searchKeyOf(state), stateNames.get(state) ?? state]
  const spellings = kind === 'state' ? [key] : names.flatMap((it) => [it, ...states.map((name) => `${it} ${name}`)])
  return {
    spellings: `\n${spellings.join('\n')}\n`,
    code: kind === 'airport' ? String(detail) : kind === 'state' ? state : null,
    place: { kind, name, state, at: { lat, lng }, detail: detail ?? null },
  }
}

const cityStates = ['NEW YORK', 'WASHINGTON']

/** Short names of cities, by the key of the name. */
const nicknames: Record<string, string[]> = {
  'NEW YORK CITY, NY': ['NYC', 'NY CITY'],
  'LOS ANGELES, CA': ['LA'],
  'SAN FRANCISCO, CA': ['SF'],
  'WASHINGTON, DC': ['DC'],
  'PHILADELPHIA, PA': ['PHILLY'],
  'LAS VEGAS, NV': ['VEGAS'],
  'NEW ORLEANS, LA': ['NOLA'],
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
