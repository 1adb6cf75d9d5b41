import type { Point } from '../../model/place.ts'
import { pointText } from '../map/geometry.ts'
import { numberText } from '../value-text.ts'
import { findCoordinate } from './coordinate-text.ts'
import type { PlaceNameSearch } from './place-names.ts'

/** A suggestion for the search text. `hint` helps to tell similar suggestions apart. */
export type SearchOption =
  { kind: 'point' | 'place'; label: string; hint: string; at: Point } | { kind: 'address'; label: string; hint: string }

const minAddress_characters = 6

/** Returns all interpretations of a text, the most likely first. An address is geocoded only when it is selected. */
export function searchOptionsOf(text: string, names: PlaceNameSearch | null): SearchOption[] {
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
  const places = (names?.(trimmed) ?? []).map(({ name, state, population, at }): SearchOption => ({
    kind: 'place',
    label: `${name}, ${state}`,
    hint: population > 0 ? numberText(population) : '',
    at,
  }))
  const isAddress = trimmed.length >= minAddress_characters && (/\d/.test(trimmed) || /\band\b|&|\bat\b/.test(trimmed))
  const address: SearchOption[] = isAddress ? [{ kind: 'address', label: trimmed, hint: '' }] : []
  return /^\d/.test(trimmed) ? [...address, ...places] : [...places, ...address]
}
