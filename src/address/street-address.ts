import type { AddressParts, ParsedAddress } from './address.ts'
import { ordinalPattern, type AddressToken } from './tokenizer.ts'
import { parsePretype } from './street-pretype.ts'
import { parseStreet } from './street.ts'
import { suffixAbbreviations } from './abbreviations.ts'
import { splitUnit, formatUnit } from './unit.ts'

type StreetAddress = Omit<ParsedAddress, 'text'>

/** Parses the part before the town: a number, street and unit, or two crossing streets. */
export function parseStreetAddress(words: AddressToken[]): StreetAddress {
  const { unit: unitBefore, rest } = splitLeadingUnit(dropBuildingName(words))
  const crossing = parseCrossing(rest)
  if (crossing) return crossing
  const { number, street: afterNumber } = splitHouseNumber(rest)
  const { street, unit } = splitUnit(afterNumber)
  const unitText = formatUnit([...unitBefore, ...unit])
  return { ...(number !== undefined && { number }), ...parseStreet(street), ...(unitText !== '' && { unit: unitText }) }
}

/**
 * Splits off the house number: digits, `123A`, `12-34`, `12-B`, `123 1/2`, `N6W23001`, `W156 N8327`, `B-12`, or a
 * spelled-out `One`.
 */
function splitHouseNumber(words: AddressToken[]): { number?: string; street: AddressToken[] } {
  const [first, second, third] = words.map(({ key }) => key)
  if (first === undefined) return { street: words }
  // "One Microsoft Way": buildings named One have the number 1.
  if (first === 'ONE' && words.length > 2 && suffixAbbreviations.has(words.at(-1)!.key))
    return { number: '1', street: words.slice(1) }
  if (/^[NSEW]\d{1,5}$/.test(first) && /^[NSEW]\d{1,5}[A-Z]?$/.test(second ?? '') && third !== undefined)
    return { number: first + second, street: words.slice(2) }
  if (!isHouseNumber(first) && !(isLotNumber(first) && words.length > 2 && !parsePretype(words)))
    return { street: words }
  if (/^\d\/\d{1,2}$/.test(second ?? '') && third !== undefined)
    return { number: `${first} ${second}`, street: words.slice(2) }
  return { number: first.replace(/^(\d+)-(\d\/\d)$/, '$1 $2'), street: words.slice(1) }
}

const maxDigits = 7

function isHouseNumber(key: string): boolean {
  if (ordinalPattern.test(key) || key.length > 2 * maxDigits + 2) return false
  return /^\d{1,7}(?:[A-Z]|-[A-Z]?\d{0,7}[A-Z]?|-\d\/\d)?$/.test(key) || /^[NSEW]\d{1,5}[NSEW]\d{1,5}[A-Z]?$/.test(key)
}

/** Whether a key is a block and lot such as `B-12`, which number houses in Puerto Rico. */
function isLotNumber(key: string): boolean {
  return /^[A-Z]{1,2}-?\d{1,4}$/.test(key)
}

/** Splits off a unit that precedes the street: `Apt 4, 123 Main St`. */
function splitLeadingUnit(words: AddressToken[]): { unit: AddressToken[]; rest: AddressToken[] } {
  const afterComma = words.findIndex(({ endsSegment }) => endsSegment) + 1
  for (const count of [afterComma, 2]) {
    if (count < 1 || count > 4 || count >= words.length - 1) continue
    const { unit } = splitUnit([emptyToken, ...words.slice(0, count)])
    if (unit.length === count && isHouseNumber(words[count]!.key)) return { unit, rest: words.slice(count) }
  }
  return { unit: [], rest: words }
}

const emptyToken: AddressToken = { text: '', key: '', endsSegment: false }

/** Drops a building name that precedes the number: `Empire State Building, 350 5th Ave`. */
function dropBuildingName(words: AddressToken[]): AddressToken[] {
  if (words.length === 0 || /\d/.test(words[0]!.key) || words[0]!.key === '#') return words
  const afterComma = words.findIndex(({ endsSegment }) => endsSegment) + 1
  if (afterComma < 1 || afterComma > words.length - 2 || words.slice(0, afterComma).some(({ key }) => /\d/.test(key)))
    return words
  return isHouseNumber(words[afterComma]!.key) &&
    /[A-Z]/.test(words[afterComma + 1]!.key) &&
    !suffixAbbreviations.has(words[afterComma - 1]!.key)
    ? words.slice(afterComma)
    : words
}

const connectors = new Set(['&', 'AND', 'AT', '@', '/'])

function parseCrossing(words: AddressToken[]): (AddressParts & { crossing: AddressParts }) | null {
  const start = words[1]?.key === 'OF' && /^(?:CORNER|INTERSECTION|INT)$/.test(words[0]!.key) ? 2 : 0
  const streets = words.slice(start)
  // "100 Bread and Cheese Hollow Road": an address with a number is not an intersection.
  if (streets[0] && isHouseNumber(streets[0].key)) return null
  const connectorIndex = streets.findIndex(({ key }, i) => connectors.has(key) && i > 0 && i < streets.length - 1)
  if (connectorIndex < 0) return null
  const [one, two] = [parseStreet(streets.slice(0, connectorIndex)), parseStreet(streets.slice(connectorIndex + 1))]
  return one.street === undefined || two.street === undefined ? null : { ...one, crossing: two }
}
