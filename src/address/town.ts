import type { AddressToken } from './tokenizer.ts'
import {
  directionAbbreviations,
  isBuilding,
  stateCodes,
  isUnambiguousSuffix,
  suffixAbbreviations,
  standaloneUnits,
  unitAbbreviations,
} from './abbreviations.ts'
import type { Gazetteer } from './address.ts'
import { streetNameKeyOf } from './street-key.ts'
import { isRoadWord } from './street-pretype.ts'
import { floorNumber } from './unit.ts'

export type Town = { rest: AddressToken[]; words: AddressToken[] }

/** The towns that the end of the words may be, after the state and ZIP code were removed; the most likely first. */
export function findTowns(
  words: AddressToken[],
  state: string | undefined,
  zip: string | undefined,
  gazetteer: Gazetteer,
): Town[] {
  const zipPlace = zip === undefined ? null : gazetteer.placeOfZip(zip.slice(0, 5))
  const stateCode = state ?? zipPlace?.state
  const zipTown = zipPlace?.city.toUpperCase().replace(/[.']/g, '')
  const found: { town: Town; score: number }[] = []
  for (let count = 1; count <= Math.min(maxTownWords, words.length); count++) {
    if (count > 1 && words.at(-count)!.endsSegment) break
    const town = { rest: words.slice(0, -count), words: words.slice(-count) }
    const score = scoreTown(town, zipTown, stateCode, gazetteer)
    if (score !== null) found.push({ town, score })
  }
  return found.length < 2
    ? found.map(({ town }) => town)
    : found.toSorted((a, b) => b.score - a.score).map(({ town }) => town)
}

const maxTownWords = 6

function isStreetWord(key: string): boolean {
  return directionAbbreviations.has(key) || isUnambiguousSuffix(key)
}

/**
 * Whether words are the town of a ZIP code, its abbreviation, or a known town beside it with a direction: `West
 * Melbourne` is beside Melbourne.
 */
function isTownOfZip(keys: readonly string[], zipTown: string, isKnown: boolean): boolean {
  if (keys.join(' ') === zipTown) return true
  const townWords = zipTown.split(' ')
  const townKey = townKeyOf(townWords)
  if (townKeyOf(keys) === townKey || isAbbreviationOf(keys, townWords)) return true
  return isKnown && directionAbbreviations.has(keys[0]!) && townKeyOf(keys.slice(1)) === townKey
}

/** Whether each word begins like the word of a name and has only letters of it, in order: `S San Fran`, `Huntingdon Vy`. */
function isAbbreviationOf(words: readonly string[], name: readonly string[]): boolean {
  return words.length > 1 && words.length === name.length && words.every((word, i) => isShortFor(word, name[i]!))
}

function isShortFor(word: string, full: string): boolean {
  if (word === full) return true
  if (word[0] !== full[0] || word.length >= full.length) return false
  let at = 0
  for (const letter of word) {
    at = full.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/** How likely the words are the town; null if they are not a town. */
function scoreTown(
  { rest, words }: Town,
  zipTown: string | undefined,
  stateCode: string | undefined,
  gazetteer: Gazetteer,
): number | null {
  const keys = words.map(({ key }) => key)
  if (
    /[\d#&@]/.test(keys[0]!) ||
    keys.some((key) => key === '#' || key === '&' || key === '@') ||
    words.some(({ key }) => /\d/.test(key))
  )
    return null
  const last = rest.at(-1)
  // A letter, a direction or a street type alone is never a town: "Avenue J", "Main St W", "Cove Canal Rd".
  if (keys.length === 1 && (keys[0]!.length === 1 || isStreetWord(keys[0]!))) return null
  const endScore = streetEndScore(rest)
  const knownStates = knownStatesOf(keys, gazetteer)
  const isKnown = stateCode === undefined ? knownStates.length > 0 : knownStates.includes(stateCode)
  const isOfZip = zipTown !== undefined && isTownOfZip(keys, zipTown, isKnown)
  if (!last) return isKnown || isOfZip ? 5 : null
  const isUnknown = !isKnown && !isOfZip
  if (isUnknown && (isUnambiguousSuffix(keys.at(-1)!) || endsWithUnit(keys) || isBuilding(keys.at(-1)!))) return null
  if (isUnknown && endsWithOtherTown(keys, stateCode, gazetteer)) return null
  if (stateCode === undefined && !last.endsSegment && endScore === 0) return null
  if (isUnknown && !(last.endsSegment ? isTownLike(keys, rest) : stateCode !== undefined && endScore === 3)) return null
  const isBareNumber = rest.length === 1 && /^\d/.test(last.key)
  return (
    (isOfZip ? 8 : 0) +
    (isKnown || isOfZip || last.endsSegment ? 4 : 2) +
    (last.endsSegment ? 5 : endScore) +
    keys.length / 10 -
    (isBareNumber && !last.endsSegment ? 20 : 0)
  )
}

/** Whether the last word is a unit that needs no number: `N Lobby`, `Second Floor`. */
function endsWithUnit(keys: string[]): boolean {
  const unit = unitAbbreviations.get(keys.at(-1)!) ?? ''
  return standaloneUnits.has(unit) || unit === 'FL'
}

/**
 * Whether a name ends with a town of the state, behind a building, a unit or two words: `Hall Portland`, `Reference
 * Division Miramar`.
 */
function endsWithOtherTown(keys: string[], stateCode: string | undefined, gazetteer: Gazetteer): boolean {
  if (stateCode === undefined) return false
  const begin = isBuilding(keys[0]!) || unitAbbreviations.has(keys[0]!) ? 1 : 2
  return keys.some((_, i) => i >= begin && knownStatesOf(keys.slice(i), gazetteer).includes(stateCode))
}

function knownStatesOf(keys: string[], gazetteer: Gazetteer): readonly string[] {
  return gazetteer.statesWithTown(keys.length === 1 && keys[0] === 'NYC' ? ['NEW', 'YORK'] : keys)
}

/**
 * Whether an unknown name between the last comma and the state is a town: not a unit, a direction, or a street after a
 * building name.
 */
function isTownLike(keys: string[], rest: AddressToken[]): boolean {
  if (unitAbbreviations.has(keys[0]!) || (keys.length === 1 && directionAbbreviations.has(keys[0]!))) return false
  return rest.length > 1 || !/^\d/.test(rest[0]!.key)
}

/** How likely the last word ends a street: after a suffix, a direction after it, or a unit or road number. */
function streetEndScore(words: AddressToken[]): number {
  const [third, before, last] = [words.at(-3)?.key ?? '', words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  if (words.length < 3) return words.length === 2 && !/^\d/.test(before) && isUnambiguousSuffix(last) ? 3 : 0
  if (isUnambiguousSuffix(last)) return 3
  if (directionAbbreviations.has(last) && (isUnambiguousSuffix(before) || (/\d/.test(before) && isRoadWord(third))))
    return 3
  if (
    (unitAbbreviations.has(before) && (last.length < 3 || /\d/.test(last))) ||
    (unitAbbreviations.has(third) && before === '#')
  )
    return 3
  if (unitAbbreviations.get(last) === 'FL' && floorNumber.test(before)) return 3
  if (isHighwayPart(last) && /\d/.test(before) && (isRoadWord(third) || third === 'US')) return 3
  if (/\d/.test(last) && (suffixAbbreviations.has(before) || stateCodes.has(before) || before === 'US')) return 3
  if (/^[A-Z]$/.test(last) && isUnambiguousSuffix(before)) return 2
  return suffixAbbreviations.has(last) || /\d/.test(last) ? 1.5 : 0
}

/** Whether a word behind the number of a highway names a part of it: `US 17 Business`. */
function isHighwayPart(key: string): boolean {
  return /^(?:ALT|ALTERNATE|BUS|BUSINESS|BYP|BYPASS|TRUCK)$/.test(key)
}

/**
 * A key that is equal for all spellings of a town: `St. Albans`, `Saint Albans`; `Ft Collins`, `Fort Collins`; `Town of
 * Rockingham`. Takes words in capitals.
 */
export function townKeyOf(words: readonly string[]): string {
  const nameWords =
    words.length > 2 && words[1] === 'OF' && /^(?:CITY|TOWN|VILLAGE|TOWNSHIP|BOROUGH)$/.test(words[0]!)
      ? words.slice(2)
      : words
  return streetNameKeyOf(nameWords)
}
