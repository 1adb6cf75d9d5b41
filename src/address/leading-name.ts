import { isBuilding, isUnambiguousSuffix, suffixAbbreviations, unitAbbreviations } from './abbreviations.ts'
import { isHouseNumber, numberWords } from './house-number.ts'
import { findPredirection } from './street.ts'
import { parsePretype } from './street-pretype.ts'
import { ordinalPattern, type AddressToken } from './tokenizer.ts'
import { endsFloor, unitBefore } from './unit.ts'

/**
 * Splits off the name of a building, firm or person that precedes the number: `Empire State Building, 350 5th Ave`,
 * `Joe's Diner 12 Main St`, `1 Lincoln Ctr 5400 LBJ Fwy`. A unit behind the name stays: `Harbor Tower, 10th Floor, 312
 * Main St`.
 */
export function splitLeadingName(words: AddressToken[]): { unit: AddressToken[]; rest: AddressToken[] } {
  const begin = addressBeginOf(words)
  const unitEnd = words.findIndex((_word, i) => i < begin && unitBefore(words, i + 1).length > 0) + 1
  return { unit: unitBefore(words, unitEnd), rest: words.slice(begin) }
}

/** The index at which the address begins after a name; 0 without a name. */
function addressBeginOf(words: AddressToken[]): number {
  const connector = words.findIndex(({ key }) => key === '&' || key === 'AND' || key === '@')
  const ahead = words.slice(0, Math.max(0, connector))
  // "Main St & 5th Ave" is a crossing. "Tag's Flowers & Gifts 204 Gault Ave" begins with a name.
  if (ahead.length > 0 && (isHouseNumber(ahead[0]!.key) || ahead.some(({ key }) => isUnambiguousSuffix(key)))) return 0
  return Math.max(
    0,
    words.findIndex((_word, i) => i > Math.max(0, connector) && isNameBefore(words, i)),
  )
}

/** Whether the words before an index are a name, because a whole street address begins there. */
function isNameBefore(words: readonly AddressToken[], i: number): boolean {
  const [number, ...street] = words.slice(i)
  const before = words[i - 1]!
  if (!number || street.length === 0) return false
  if (numberWords.includes(number.key)) return isNamedBySpelledNumber(words, i)
  if (!isHouseNumber(number.key) || isPartOfStreet(words, i)) return false
  const startsWithNumber = isHouseNumber(words[0]!.key) || words[0]!.key === '#'
  const nameEnd = i - unitBefore(words, i).length
  if (startsWithNumber) return nameEnd > 1 && isBuilding(words[nameEnd - 1]!.key) && i > 2 && isWholeStreet(street)
  if (isWholeStreet(street)) return true
  const isAfterName = before.endsSegment && !suffixAbbreviations.has(before.key)
  return isAfterName && /[A-Z]/.test(street[0]!.key) && !words.slice(0, i).some(({ key }) => /\d/.test(key))
}

/** Whether a spelled number begins an address after a name: `Harbor Trust One Busch Place`, but not `Old One Mile Rd`. */
function isNamedBySpelledNumber(words: readonly AddressToken[], i: number): boolean {
  const street = words.slice(i + 1)
  const suffix = street.findIndex(({ key }) => isUnambiguousSuffix(key))
  return (
    i > 1 &&
    suffix > 0 &&
    words.slice(0, i).every(({ key }) => /^[A-Z]{3,}$/.test(key) && !suffixAbbreviations.has(key))
  )
}

/** Whether the number belongs to the words before it: a unit, or a road such as `Highway 12` or `Calle 5`. */
function isPartOfStreet(words: readonly AddressToken[], i: number): boolean {
  const before = words[i - 1]!
  if (endsFloor(words, i) || before.endsSegment) return false
  if (unitAbbreviations.has(before.key)) return true
  return parsePretype([before, words[i]!]) !== null || /^(?:HIGHWAY|HWY|ROUTE|RTE|ROAD|RD|LOOP|NO)$/.test(before.key)
}

function isWholeStreet(words: readonly AddressToken[]): boolean {
  const predirection = findPredirection(words)
  const name = predirection ? words.slice(predirection.count) : words
  if (parsePretype(name) !== null) return true
  const first = name[0]?.key ?? ''
  if (predirection && /^[A-Z]{3,}$/.test(first) && !suffixAbbreviations.has(first)) return true
  const suffix = words.findIndex(({ key }, i) => i > 0 && isUnambiguousSuffix(key))
  return (
    suffix > 0 &&
    !words.slice(0, suffix).some(({ key }) => isHouseNumber(key) && !ordinalPattern.test(key) && key.length > 3)
  )
}
