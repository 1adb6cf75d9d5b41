import type { Point } from '../../model/place.ts'
import { placeLabelOf, zipIn, type FoundPlace, type PlaceSearch } from '../../place/place-search.ts'
import { pointText, roundPoint } from '../map/geometry.ts'
import { numberText } from '../value-text.ts'
import { parseCoordinates, type ParsedCoordinates } from '../../geo/text/parse-coordinates.ts'

/** A suggestion for the search text. `hint` helps to tell similar suggestions apart. */
export type SearchOption =
  { kind: 'point' | 'place'; label: string; hint: string; at: Point } | { kind: 'address'; label: string; hint: string }

/** The searches by name; null while they are not loaded. */
export type PlaceSearches = { names: PlaceSearch | null; zips: PlaceSearch | null }

const minAddress_characters = 6

/** Returns all interpretations of a text, the most likely first. An address is geocoded only when it is selected. */
export function searchOptionsOf(text: string, { names, zips }: PlaceSearches): SearchOption[] {
  const parsed = findCoordinate(text)
  if (parsed)
    return [
      {
        kind: 'point',
        label: pointText(parsed.at),
        hint: parsed.isSwapped ? 'longitude first, corrected' : 'coordinate',
        at: parsed.at,
      },
    ]
  const trimmed = text.trim()
  const zip = zipIn(trimmed)
  const places = (zip === null ? names : zips)?.(zip ?? trimmed).map(placeOptionOf) ?? []
  const isAddress = trimmed.length >= minAddress_characters && (/\d/.test(trimmed) || /\band\b|&|\bat\b/.test(trimmed))
  const address: SearchOption[] = isAddress ? [{ kind: 'address', label: trimmed, hint: '' }] : []
  return /^\d/.test(trimmed) && zip === null ? [...address, ...places] : [...places, ...address]
}

function placeOptionOf(place: FoundPlace): SearchOption {
  return { kind: 'place', label: placeLabelOf(place), hint: hintOf(place.kind, place.detail), at: place.at }
}

function hintOf(kind: FoundPlace['kind'], detail: FoundPlace['detail']): string {
  if (kind === 'town') return Number(detail) > 0 ? `population ${numberText(Number(detail))}` : ''
  if (kind === 'airport') return `airport ${detail}`
  return {
    state: 'state, a point inside it',
    county: 'a point inside it',
    zip: 'ZIP code',
    tide_station: 'tide station',
  }[kind]
}

/** A coordinate found in a text; `isSwapped` when longitude came first. */
type CoordinateInText = { at: Point; isSwapped: boolean }

/** Finds a coordinate in a text by the rules of the service. Returns null when there is none. */
export function findCoordinate(text: string): CoordinateInText | null {
  const parsed = parseCoordinates(text)
  return parsed && isOnEarth(parsed) ? { at: roundPoint(parsed), isSwapped: parsed.kind === 'swapped' } : null
}

/** The service accepts a latitude beyond the poles and reports it as out of bounds. The map cannot show it. */
function isOnEarth({ lat, lng }: ParsedCoordinates): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 360
}
