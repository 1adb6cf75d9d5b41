import { pointText, type Point } from '../map/point.ts'
import { numberText } from '../parts/value.ts'
import { pointIn } from './point-in.ts'
import type { PlaceNames } from './place-names.ts'

/** One thing that a text may mean. `words` is what it is, `hint` what helps to choose. */
export type Option =
  { kind: 'point' | 'place'; words: string; hint: string; at: Point } | { kind: 'address'; words: string; hint: string }

const addressMin_characters = 6

/** All that a text may mean, the likeliest first. An address is only looked for when it is chosen. */
export function optionsOf(text: string, names: PlaceNames | null): Option[] {
  const read = pointIn(text)
  if (read)
    return [
      {
        kind: 'point',
        words: pointText(read.at),
        hint: read.isTurned ? 'the longitude stood first' : 'coordinate',
        at: read.at,
      },
    ]
  const given = text.trim()
  const places = (names?.(given) ?? []).map(({ name, state, population, at }): Option => ({
    kind: 'place',
    words: `${name}, ${state}`,
    hint: population > 0 ? numberText(population) : '',
    at,
  }))
  const isAddress = given.length >= addressMin_characters && (/\d/.test(given) || /\band\b|&|\bat\b/.test(given))
  const address: Option[] = isAddress ? [{ kind: 'address', words: given, hint: '' }] : []
  return /^\d/.test(given) ? [...address, ...places] : [...places, ...address]
}
