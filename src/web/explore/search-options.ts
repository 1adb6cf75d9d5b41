import { pointText, type MapPoint } from '../map/geometry.ts'
import { numberText } from '../value-text.ts'
import { findCoordinate } from './coordinate-text.ts'
import type { PlaceNameSearch } from './place-names.ts'

/** One thing that a text may mean. `words` is what it is, `hint` what helps to choose. */
export type SearchOption =
  | { kind: 'point' | 'place'; label: string; hint: string; at: MapPoint }
  | { kind: 'address'; label: string; hint: string }

const minAddress_characters = 6

/** All that a text may mean, the likeliest first. An address is only looked for when it is chosen. */
export function searchOptionsOf(text: string, names: PlaceNameSearch | null): SearchOption[] {
  const parsed = findCoordinate(text)
  if (parsed)
    return [
      {
        kind: 'point',
        label: pointText(parsed.at),
        hint: parsed.isSwapped ? 'the longitude stood first' : 'coordinate',
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
