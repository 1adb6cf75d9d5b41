import type { AddressComponents, ParsedAddress } from './address.ts'
import { isHouseNumber, numberWords } from './house-number.ts'
import { splitLeadingName } from './leading-name.ts'
import { displayNameOf, tokenizeAddress, type AddressToken } from './tokenizer.ts'
import { parsePretype } from './street-pretype.ts'
import { isPretypedRoad, parseStreet } from './street.ts'
import { directionAbbreviations, isUnambiguousSuffix, suffixAbbreviations } from './abbreviations.ts'
import { formatUnit, splitStuckWords, splitUnit, streetEndAfter, unitAfterStreet } from './unit.ts'

type StreetAddress = Omit<ParsedAddress, 'text'>

/** Parses the part before the town: a number, street and unit, or two crossing streets. */
export function parseStreetAddress(words: AddressToken[]): StreetAddress {
  const { unit: unitBefore, rest } = splitLeadingUnit(
    withoutNumberSign(dropMailBox(splitStuckWords(splitGridNumber(words)))),
  )
  const { unit: unitOfName, rest: addressed } = splitLeadingName(rest)
  const crossing = parseCrossing(addressed)
  if (crossing) return crossing
  const { number, street: afterNumber } = splitHouseNumber(addressed)
  const { unit: unitAfterNumber, rest: ahead } = splitUnitAfterNumber(afterNumber)
  const { street, unit } = splitUnit(ahead)
  const unitText = formatUnit([...unitBefore, ...unitOfName, ...unitAfterNumber, ...unit])
  return { ...(number !== undefined && { number }), ...parseStreet(street), ...(unitText !== '' && { unit: unitText }) }
}

/**
 * Other ways to read the part before the town: with the street ending at an earlier suffix, and what follows as the unit
 * or as the name of a building.
 */
export function* otherStreetAddresses(words: AddressToken[]): Generator<StreetAddress> {
  if (isPretypedRoad(words.slice(1))) return
  for (const [i, { key }] of words.entries()) {
    if (i < 2 || i > words.length - 2 || !isUnambiguousSuffix(key)) continue
    const end = streetEndAfter(words, i)
    const after = words.slice(end)
    if (after.length === 0) continue
    const ended = [...words.slice(0, end - 1), { ...words[end - 1]!, endsSegment: true }]
    const unit = formatUnit(unitAfterStreet(after))
    yield { ...parseStreetAddress(ended), ...(unit !== '' && { unit }) }
  }
  const { number, street } = splitHouseNumber(words)
  const direction = directionAbbreviations.get(street[0]?.key ?? '')
  // "N Wells" is a street Wells, or one named North.
  if (number !== undefined && street.length === 2 && direction !== undefined)
    yield { number, predirectional: direction, street: displayNameOf(street.slice(1)) }
}

/**
 * Splits off the house number: digits, `123A`, `12-34`, `12-B`, `123 1/2`, `123 B`, `N6W23001`, `W156 N8327`, `B-12`, or
 * a spelled-out `One`.
 */
function splitHouseNumber(words: AddressToken[]): { number?: string; street: AddressToken[] } {
  const [first, second, third] = words.map(({ key }) => key)
  if (first === undefined) return { street: words }
  const spelled = numberWords.indexOf(first) + 1
  if (spelled > 0 && words.length > 2 && words.some(({ key }, i) => i > 1 && isUnambiguousSuffix(key)))
    return { number: String(spelled), street: words.slice(1) }
  if (/^[NSEW]\d{1,5}[A-Z]?$/.test(first) && /^[NSEW]\d{1,5}[A-Z]?$/.test(second ?? '') && third !== undefined)
    return { number: first + second, street: words.slice(2) }
  if (!isHouseNumber(first) && !(isLotNumber(first) && words.length > 2 && !parsePretype(words)))
    return { street: words }
  if (/^\d\/\d{1,2}$/.test(second ?? '') && third !== undefined)
    return { number: `${first} ${second}`, street: words.slice(2) }
  if (isNumberLetter(words)) return { number: `${first}${second}`, street: words.slice(2) }
  return { number: first.replace(/^(\d+)-(\d\/\d)$/, '$1 $2'), street: words.slice(1) }
}

/** `# 2 Turner Rd` has the number 2. */
function withoutNumberSign(words: AddressToken[]): AddressToken[] {
  const isNumber = words[0]?.key === '#' && isHouseNumber(words[1]?.key ?? '')
  return isNumber && !words.slice(2).some(({ key }) => isHouseNumber(key)) ? words.slice(1) : words
}

/** `48S 400E` are a house number and a street of a grid: `48 S 400 E`. */
function splitGridNumber(words: AddressToken[]): AddressToken[] {
  if (words.length < 2 || !words.slice(0, 2).every(({ key }) => /^\d{1,5}[NSEW]$/.test(key))) return words
  const pieces = words.slice(0, 2).flatMap(({ key, endsSegment }) => {
    const [digits, direction] = [key.slice(0, -1), key.slice(-1)]
    return [
      { text: digits, key: digits, endsSegment: false },
      { text: direction, key: direction, endsSegment },
    ]
  })
  return [...pieces, ...words.slice(2)]
}

/** A house number with the letter or fraction that a file has before the street: `15053` and `A South Dixie Hwy`. */
export function joinNumberLetter(number: string, street: string): { number: string; street: string } {
  if (!/^\d+$/.test(number)) return { number, street }
  const words = tokenizeAddress(`${number} ${street}`)
  const isFraction = words.length > 2 && /^\d\/\d$/.test(words[1]!.key)
  if (!isNumberLetter(words) && !isFraction) return { number, street }
  return {
    number: `${number}${isFraction ? ' ' : ''}${words[1]!.key}`,
    street: words
      .slice(2)
      .map(({ text }) => text)
      .join(' '),
  }
}

/**
 * Whether a letter after the number belongs to it: `1581 D Eglin Way`, `12 C St Charles Pl`, but not `1201 F St NW` or
 * `4922 E South St`.
 */
function isNumberLetter([number, letter, next, ...more]: AddressToken[]): boolean {
  if (!/^\d+$/.test(number?.key ?? '') || !/^[A-DF-MO-RT-VX-Z]$/.test(letter?.key ?? '') || !next) return false
  if (letter!.text.endsWith('-')) return true
  const suffix = more.findIndex(({ key }) => isUnambiguousSuffix(key))
  if (isUnambiguousSuffix(next.key)) return next.key === 'ST' && suffix > 0 && /^[A-Z]{4,}$/.test(more[0]!.key)
  return suffix >= 0 || (more.length === 0 && next.key.length > 4 && !suffixAbbreviations.has(next.key))
}

/** Splits off a unit between the number and the street: `1141 #3202 Kendall Town Blvd`. */
function splitUnitAfterNumber(words: AddressToken[]): { unit: AddressToken[]; rest: AddressToken[] } {
  const isUnit = words[0]?.key === '#' && words.length > 3 && (/\d/.test(words[1]!.key) || words[1]!.key.length === 1)
  return isUnit ? { unit: words.slice(0, 2), rest: words.slice(2) } : { unit: [], rest: words }
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
    if (unit.length !== count) continue
    if (words[count]!.key === 'ON') return { unit, rest: words.slice(count + 1) }
    if (isHouseNumber(words[count]!.key) || (!words[count - 1]!.endsSegment && isPretypedRoad(words.slice(count))))
      return { unit, rest: words.slice(count) }
  }
  return { unit: [], rest: words }
}

const emptyToken: AddressToken = { text: '', key: '', endsSegment: false }

const connectors = new Set(['&', 'AND', 'AT', '@', '/'])

function parseCrossing(words: AddressToken[]): (AddressComponents & { crossing: AddressComponents }) | null {
  const streets = words.slice(crossingPrefixLength(words))
  // "100 Bread and Cheese Hollow Road": an address with a number is not an intersection. "1 St & 2 Ave" is one.
  const end = suffixAbbreviations.has(streets[1]?.key ?? '') ? 2 : 1
  if (streets[0] && isHouseNumber(streets[0].key) && !connectors.has(streets[end]?.key ?? '')) return null
  const connectorIndex = streets.findIndex(({ key }, i) => connectors.has(key) && i > 0 && i < streets.length - 1)
  if (connectorIndex < 0) return null
  const [one, two] = [parseStreet(streets.slice(0, connectorIndex)), parseStreet(streets.slice(connectorIndex + 1))]
  if (one.street === undefined || two.street === undefined) return null
  // "Mission and Valencia Sts" are two streets.
  const shared = two.suffix === 'Sts' && one.suffix === undefined ? { suffix: 'St' } : {}
  return { ...one, ...shared, crossing: { ...two, ...shared } }
}

function crossingPrefixLength([first, second]: AddressToken[]): number {
  if (!/^(?:CORNER|CRN|INTERSECTION|INT|JCT|JUNCTION)$/.test(first?.key ?? '')) return 0
  if (second?.key === 'OF') return 2
  return first!.key.startsWith('J') && !/^(?:ST|AVE|RD)$/.test(suffixAbbreviations.get(second?.key ?? '') ?? '') ? 1 : 0
}

/**
 * Drops a mail box that stands beside a street: `901 Janesville Ave PO Box 901`, `104 N Jefferson RR 1 Box 3468`,
 * `Lockbox 848104`. A box without a street before it stays.
 */
function dropMailBox(words: AddressToken[]): AddressToken[] {
  const begin = words.findIndex((_word, i) => i !== 1 && boxLength(words, i) > 0)
  if (begin < 0) return words
  const end = begin + boxLength(words, begin)
  if (begin === 0) return end < words.length && words[end - 1]!.endsSegment ? words.slice(end) : words
  const before = words.slice(0, begin)
  const last = before.at(-1)!
  return [...before.slice(0, -1), { ...last, endsSegment: true }, ...words.slice(end)]
}

/** How many words the box at an index takes; 0 if there is none. */
function boxLength(words: readonly AddressToken[], i: number): number {
  const keys = words.slice(i, i + 6).map(({ key }) => key)
  const start = boxStartLength(keys)
  if (start === 0) return 0
  let length = start
  while (/^(?:#|NO|NUMBER)$/.test(keys[length] ?? '')) length++
  return isBoxNumber(keys[length]) ? length + 1 : start === 1 && keys[0] === 'PO' ? 0 : start
}

function boxStartLength(keys: readonly string[]): number {
  const [first = '', second = '', third = ''] = keys
  if (/^(?:LOCKBOX|POB|POBOX|PO-BOX)$/.test(first)) return 1
  if (/^(?:PO|P\/O|P\.O)$/.test(first) && /^(?:BOX|BX|DRAWER)$/.test(second)) return 2
  if (first === 'P' && second === 'O' && /^(?:BOX|BX|DRAWER)$/.test(third)) return 3
  if (/^(?:RR|RFD)$/.test(first) && /^\d+$/.test(second) && /^(?:BOX|BX)$/.test(third)) return 3
  return first === 'PO' && /^\d+$/.test(second) ? 1 : 0
}

function isBoxNumber(key = ''): boolean {
  return /^[A-Z]?-?\d+[A-Z]?$|^[A-Z]$/.test(key)
}
