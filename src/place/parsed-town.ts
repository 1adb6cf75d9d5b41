import type { Token } from '../model/address-token.ts'
import { townKeyOf } from '../model/town-key.ts'
import { directions } from '../model/words-directions.ts'
import { states } from '../model/words-states.ts'
import { plainSuffixes, suffixes } from '../model/words-suffixes.ts'
import { units } from '../model/words-units.ts'
import type { Gazetteer } from './parsed-gazetteer.ts'

type Town = { rest: Token[]; words: Token[] }

/** The town at the right of what is left, once the state and the ZIP code are taken off: the likeliest of its last words, or null. */
export function townOf(words: Token[], state: string | undefined, zip: string | undefined, gazetteer: Gazetteer): Town | null {
  const place = zip === undefined ? null : gazetteer.place(zip.slice(0, 5))
  const within = state ?? place?.state
  let best: { town: Town; points: number } | null = null
  for (let count = 1; count <= Math.min(longestTown, words.length); count++) {
    if (count > 1 && words.at(-count)!.ends) break
    const town = { rest: words.slice(0, -count), words: words.slice(-count) }
    const points = pointsOf(town, place?.city, within, gazetteer)
    if (points !== null && (!best || points > best.points)) best = { town, points }
  }
  return best?.town ?? null
}

const longestTown = 6

/** How likely the words are the town; null when they are none. */
function pointsOf({ rest, words }: Town, cityOfZip: string | undefined, within: string | undefined, gazetteer: Gazetteer): number | null {
  const keys = words.map(({ key }) => key)
  if (/[\d#&@]/.test(keys[0]!) || keys.some((key) => key === '#' || key === '&' || key === '@') || words.some(({ key }) => /\d/.test(key))) return null
  // NE is no way to write the town North East.
  if (keys.length === 1 && keys[0]!.length < 3 && directions.has(keys[0]!)) return null
  const last = rest.at(-1)
  const end = streetEnd(rest)
  const known = gazetteer.statesOf(keys)
  const isKnown = within === undefined ? known.length > 0 : known.includes(within)
  const isOfZip = cityOfZip !== undefined && townKeyOf(keys) === townKeyOf(cityOfZip.toUpperCase().replace(/[.']/g, '').split(' '))
  if (!last) return isKnown || isOfZip ? 5 : null
  if (!last.ends && end === 0 && keys.length === 1 && plainSuffixes.has(suffixes.get(keys[0]!) ?? '')) return null
  if (within === undefined && !last.ends && end === 0) return null
  if (!isKnown && !isOfZip && !(last.ends ? isTownLike(keys, rest) : within !== undefined && end === 3)) return null
  const isBareNumber = rest.length === 1 && /^\d/.test(last.key)
  return (isOfZip ? 8 : 0) + (isKnown || isOfZip || last.ends ? 4 : 2) + (last.ends ? 5 : end) + keys.length / 10 - (isBareNumber && !last.ends ? 20 : 0)
}

/** What stands alone between the last comma and the state is a town, unless it is a unit, a direction, or a street behind the name of a house. */
function isTownLike(keys: string[], rest: Token[]): boolean {
  if (units.has(keys[0]!) || (keys.length === 1 && directions.has(keys[0]!))) return false
  return rest.length > 1 || !/^\d/.test(rest[0]!.key)
}

/** How surely a street ends with the last of the words: behind a suffix, a direction after it, the number of a unit or of a road. */
function streetEnd(words: Token[]): number {
  const [third, before, last] = [words.at(-3)?.key ?? '', words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  if (words.length < 3) return words.length === 2 && !/^\d/.test(before) && isPlain(last) ? 3 : 0
  if (isPlain(last)) return 3
  if (directions.has(last) && (isPlain(before) || (/\d/.test(before) && suffixes.has(third)))) return 3
  if ((units.has(before) && (last.length < 3 || /\d/.test(last))) || (units.has(third) && before === '#')) return 3
  if (/\d/.test(last) && (suffixes.has(before) || states.has(before) || before === 'US')) return 3
  if (/^[A-Z]$/.test(last) && isPlain(before)) return 2
  return suffixes.has(last) || /\d/.test(last) ? 1.5 : 0
}

function isPlain(key: string): boolean {
  return plainSuffixes.has(suffixes.get(key) ?? '')
}
