import type { AddressMatch, AddressParts, ParsedAddress } from '../model/address.ts'
import { wordsOf } from '../model/address-token.ts'
import { nameKeyOf, typeKeyOf } from '../model/street.ts'
import { townKeyOf } from '../model/town-key.ts'

/** What an address and its match have in common: what of it is left as a score (0 to 1), and where they differ. */
export type Comparison = { score: number; warnings: string[] }

/** What each difference costs, by section G2 of the notes on upstreams. */
const costs = { zip: 0.1, city: 0.15, direction: 0.2, type: 0.3, name: 0.5 } as const

/** Compares an address with a match whose own text was read by the same reader; `theirs` is that reading. */
export function compared(asked: ParsedAddress, match: AddressMatch, theirs: ParsedAddress): Comparison {
  const town = match.components.city ?? theirs.city
  const zip = match.components.zip ?? theirs.zip
  const differences: [cost: number, warning: string][] = []
  if (asked.zip !== undefined && zip !== undefined && zip.slice(0, 5) !== asked.zip.slice(0, 5)) differences.push([costs.zip, `zip_changed: The ZIP code is ${zip} where ${asked.zip} was given.`])
  if (asked.city !== undefined && town !== undefined && !isSameTown(asked.city, town)) differences.push([costs.city, `city_changed: The town is ${town} where ${asked.city} was given.`])
  if (asked.crossing === undefined) differences.push(...streetDifferences(asked, theirs))
  else if (!crosses(asked, asked.crossing, match)) differences.push([costs.name, 'street_changed: The streets that cross are not those that were given.'])
  return { score: rounded(1 - differences.reduce((sum, [cost]) => sum + cost, 0)), warnings: differences.map(([, warning]) => warning) }
}

/** Whether two names mean one town, whatever their case, accents and common abbreviations. */
export function isSameTown(a: string, b: string): boolean {
  return townKeyOf(wordsOf(a)) === townKeyOf(wordsOf(b))
}

/** Two digits: what a score is worth. */
export function rounded(score: number): number {
  return Math.max(0, Math.round(score * 100) / 100)
}

function streetDifferences(asked: AddressParts, theirs: AddressParts): [number, string][] {
  const shown = streetOf(theirs)
  const differences: [number, string][] = []
  if (keyOf(asked.street) !== keyOf(theirs.street)) differences.push([costs.name, `street_changed: The street is ${shown} where ${streetOf(asked)} was given.`])
  if (directionsOf(asked) !== directionsOf(theirs)) differences.push([costs.direction, `direction_changed: The street is ${shown} where ${streetOf(asked)} was given.`])
  // A type that was left out and is filled in changes nothing that was said.
  if (typeKeyOf(asked) !== '' && typeKeyOf(asked) !== typeKeyOf(theirs)) differences.push([costs.type, `street_type_changed: The street is ${shown} where ${streetOf(asked)} was given.`])
  return differences
}

function directionsOf({ predirectional, postdirectional }: AddressParts): string {
  return `${predirectional ?? ''}|${postdirectional ?? ''}`.toUpperCase()
}

function streetOf({ predirectional, pretype, street, suffix, postdirectional }: AddressParts): string {
  return [predirectional, pretype, street, suffix, postdirectional].filter((it) => it !== undefined).join(' ')
}

/** Providers write an intersection in one line, the streets in either order. */
function crosses(one: AddressParts, other: AddressParts, { normalized_address }: AddressMatch): boolean {
  const line = keyOf(normalized_address)
  return [one.street, other.street].every((street) => line.includes(keyOf(street)))
}

/** A name as names are compared: `Saint Mary's` is `ST MARYS`, and `Seventh` is `7th`. */
function keyOf(name = ''): string {
  return nameKeyOf(wordsOf(name))
}
