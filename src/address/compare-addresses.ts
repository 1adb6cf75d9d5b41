import type { AddressMatch, AddressParts, ParsedAddress } from './address.ts'
import { normalizeWords } from './tokenizer.ts'
import { streetNameKeyOf, streetTypeKeyOf } from './street.ts'
import { townKeyOf } from './town-key.ts'

/** What an address and its match have in common: what of it is left as a score (0 to 1), and where they differ. */
export type AddressComparison = { score: number; warnings: string[] }

/** What each difference costs, by section G2 of the notes on upstreams. */
const differenceCosts = { zip: 0.1, city: 0.15, direction: 0.2, type: 0.3, name: 0.5 } as const

/** Compares an address with a match whose own text was read by the same reader; `theirs` is that reading. */
export function compareAddresses(
  query: ParsedAddress,
  match: AddressMatch,
  parsedMatch: ParsedAddress,
): AddressComparison {
  const town = match.components.city ?? parsedMatch.city
  const zip = match.components.zip ?? parsedMatch.zip
  const differences: [cost: number, warning: string][] = []
  if (query.zip !== undefined && zip !== undefined && zip.slice(0, 5) !== query.zip.slice(0, 5))
    differences.push([differenceCosts.zip, `zip_changed: The ZIP code is ${zip} where ${query.zip} was given.`])
  if (query.city !== undefined && town !== undefined && !isSameTown(query.city, town))
    differences.push([differenceCosts.city, `city_changed: The town is ${town} where ${query.city} was given.`])
  if (query.crossing === undefined) differences.push(...streetDifferences(query, parsedMatch))
  else if (!matchesCrossing(query, query.crossing, match))
    differences.push([differenceCosts.name, 'street_changed: The streets that cross are not those that were given.'])
  return {
    score: roundScore(1 - differences.reduce((sum, [cost]) => sum + cost, 0)),
    warnings: differences.map(([, warning]) => warning),
  }
}

/** Whether two names mean one town, whatever their case, accents and common abbreviations. */
export function isSameTown(a: string, b: string): boolean {
  return townKeyOf(normalizeWords(a)) === townKeyOf(normalizeWords(b))
}

/** Two digits: what a score is worth. */
export function roundScore(score: number): number {
  return Math.max(0, Math.round(score * 100) / 100)
}

function streetDifferences(query: AddressParts, parsedMatch: AddressParts): [number, string][] {
  const matchStreet = formatStreet(parsedMatch)
  const differences: [number, string][] = []
  if (comparableName(query.street) !== comparableName(parsedMatch.street))
    differences.push([
      differenceCosts.name,
      `street_changed: The street is ${matchStreet} where ${formatStreet(query)} was given.`,
    ])
  if (directionKeyOf(query) !== directionKeyOf(parsedMatch))
    differences.push([
      differenceCosts.direction,
      `direction_changed: The street is ${matchStreet} where ${formatStreet(query)} was given.`,
    ])
  // A type that was left out and is filled in changes nothing that was said.
  if (streetTypeKeyOf(query) !== '' && streetTypeKeyOf(query) !== streetTypeKeyOf(parsedMatch))
    differences.push([
      differenceCosts.type,
      `street_type_changed: The street is ${matchStreet} where ${formatStreet(query)} was given.`,
    ])
  return differences
}

function directionKeyOf({ predirectional, postdirectional }: AddressParts): string {
  return `${predirectional ?? ''}|${postdirectional ?? ''}`.toUpperCase()
}

function formatStreet({ predirectional, pretype, street, suffix, postdirectional }: AddressParts): string {
  return [predirectional, pretype, street, suffix, postdirectional].filter((it) => it !== undefined).join(' ')
}

/** Providers write an intersection in one line, the streets in either order. */
function matchesCrossing(one: AddressParts, other: AddressParts, { normalized_address }: AddressMatch): boolean {
  const line = comparableName(normalized_address)
  return [one.street, other.street].every((street) => line.includes(comparableName(street)))
}

/** A name as names are compared: `Saint Mary's` is `ST MARYS`, and `Seventh` is `7th`. */
function comparableName(name = ''): string {
  return streetNameKeyOf(normalizeWords(name))
}
