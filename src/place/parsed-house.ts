import type { AddressParts, ParsedAddress } from '../model/address.ts'
import { ordinal, type Token } from '../model/address-token.ts'
import { pretypeOf } from '../model/street-pretype.ts'
import { streetOf } from '../model/street.ts'
import { suffixes } from '../model/words-suffixes.ts'
import { splitUnit, unitLineOf } from './parsed-unit.ts'

type House = Omit<ParsedAddress, 'text'>

/** What stands left of the town: a number, a street and a unit, or two streets that cross. */
export function houseOf(words: Token[]): House {
  const { unit: ahead, rest } = leadingUnit(withoutName(words))
  const crossing = crossingOf(rest)
  if (crossing) return crossing
  const { number, street: behind } = numberOf(rest)
  const { street, unit } = splitUnit(behind)
  const units = unitLineOf([...ahead, ...unit])
  return { ...(number !== undefined && { number }), ...streetOf(street), ...(units !== '' && { unit: units }) }
}

/** The number at the left: digits, `123A`, `12-34`, `12-B`, `123 1/2`, `N6W23001`, `W156 N8327`, `B-12`, and `One` of an office. */
function numberOf(words: Token[]): { number?: string; street: Token[] } {
  const [first, second, third] = words.map(({ key }) => key)
  if (first === undefined) return { street: words }
  // One Microsoft Way: houses that are called One are numbered so.
  if (first === 'ONE' && words.length > 2 && suffixes.has(words.at(-1)!.key)) return { number: '1', street: words.slice(1) }
  if (/^[NSEW]\d{1,5}$/.test(first) && /^[NSEW]\d{1,5}[A-Z]?$/.test(second ?? '') && third !== undefined) return { number: first + second, street: words.slice(2) }
  if (!isNumber(first) && !(isLotNumber(first) && words.length > 2 && !pretypeOf(words))) return { street: words }
  if (/^\d\/\d{1,2}$/.test(second ?? '') && third !== undefined) return { number: `${first} ${second}`, street: words.slice(2) }
  return { number: first.replace(/^(\d+)-(\d\/\d)$/, '$1 $2'), street: words.slice(1) }
}

const mostDigits = 7

function isNumber(key: string): boolean {
  if (ordinal.test(key) || key.length > 2 * mostDigits + 2) return false
  return /^\d{1,7}(?:[A-Z]|-[A-Z]?\d{0,7}[A-Z]?|-\d\/\d)?$/.test(key) || /^[NSEW]\d{1,5}[NSEW]\d{1,5}[A-Z]?$/.test(key)
}

/** B-12, as houses of Puerto Rico are numbered by block and lot. */
function isLotNumber(key: string): boolean {
  return /^[A-Z]{1,2}-?\d{1,4}$/.test(key)
}

/** `Apt 4, 123 Main St`: the unit may come first. */
function leadingUnit(words: Token[]): { unit: Token[]; rest: Token[] } {
  const comma = words.findIndex(({ ends }) => ends) + 1
  for (const count of [comma, 2]) {
    if (count < 1 || count > 4 || count >= words.length - 1) continue
    const { unit } = splitUnit([beforeUnit, ...words.slice(0, count)])
    if (unit.length === count && isNumber(words[count]!.key)) return { unit, rest: words.slice(count) }
  }
  return { unit: [], rest: words }
}

const beforeUnit: Token = { text: '', key: '', ends: false }

/** `Empire State Building, 350 5th Ave`: a name before the number says nothing that the number does not. */
function withoutName(words: Token[]): Token[] {
  if (words.length === 0 || /\d/.test(words[0]!.key) || words[0]!.key === '#') return words
  const comma = words.findIndex(({ ends }) => ends) + 1
  if (comma < 1 || comma > words.length - 2 || words.slice(0, comma).some(({ key }) => /\d/.test(key))) return words
  return isNumber(words[comma]!.key) && /[A-Z]/.test(words[comma + 1]!.key) && !suffixes.has(words[comma - 1]!.key) ? words.slice(comma) : words
}

const connectors = new Set(['&', 'AND', 'AT', '@', '/'])

function crossingOf(words: Token[]): (AddressParts & { crossing: AddressParts }) | null {
  const start = words[1]?.key === 'OF' && /^(?:CORNER|INTERSECTION|INT)$/.test(words[0]!.key) ? 2 : 0
  const streets = words.slice(start)
  // 100 Bread and Cheese Hollow Road: what has a number is no crossing.
  if (streets[0] && isNumber(streets[0].key)) return null
  const at = streets.findIndex(({ key }, i) => connectors.has(key) && i > 0 && i < streets.length - 1)
  if (at < 0) return null
  const [one, two] = [streetOf(streets.slice(0, at)), streetOf(streets.slice(at + 1))]
  return one.street === undefined || two.street === undefined ? null : { ...one, crossing: two }
}
