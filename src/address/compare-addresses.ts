import type { AddressMatch, AddressParts, ParsedAddress } from './address.ts'
import { formatStreet } from './format-address.ts'
import { normalizeWords } from './tokenizer.ts'
import { streetNameKeyOf, streetTypeKeyOf } from './street.ts'
import { townKeyOf } from './town.ts'

/** How well a match agrees with the requested address: a score from 0 to 1, and one warning per difference. */
export type AddressComparison = { score: number; warnings: string[] }

/** What each difference subtracts from the score (section G2 of the notes on upstreams). */
const differenceCosts = { zip: 0.1, city: 0.15, direction: 0.2, type: 0.3, name: 0.5 } as const

/** Compares an address with a match. `parsedMatch` is the match's own text, parsed by the same parser. */
export function compareAddresses(
  query: ParsedAddress,
  match: AddressMatch,
  parsedMatch: ParsedAddress,
): AddressComparison {
  const town = match.components.city ?? parsedMatch.city
  const zip = match.components.zip ?? parsedMatch.zip
  const differences: [cost: number, warning: string][] = []
  if (query.zip !== undefined && zip !== undefined && zip.slice(0, 5) !== query.zip.slice(0, 5))
    differences.push([differenceCosts.zip, `zip_changed: The match has ZIP code ${zip}, not ${query.zip}.`])
  if (query.city !== undefined && town !== undefined && !isSameTown(query.city, town))
    differences.push([differenceCosts.city, `city_changed: The match is in ${town}, not ${query.city}.`])
  if (query.crossing === undefined) differences.push(...streetDifferences(query, parsedMatch))
  else if (!matchesCrossing(query, query.crossing, match))
    differences.push([
      differenceCosts.name,
      'street_changed: The match is an intersection of different streets than requested.',
    ])
  return {
    score: roundScore(1 - differences.reduce((sum, [cost]) => sum + cost, 0)),
    warnings: differences.map(([, warning]) => warning),
  }
}

/** Whether two names mean the same town, ignoring case, accents and common abbreviations. */
export function isSameTown(a: string, b: string): boolean {
  return a === b || townKeyOf(normalizeWords(a)) === townKeyOf(normalizeWords(b))
}

/** A score rounded to two digits and not below 0. */
export function roundScore(score: number): number {
  return Math.max(0, Math.round(score * 100) / 100)
}

function streetDifferences(query: AddressParts, parsedMatch: AddressParts): [number, string][] {
  const differences: [number, string][] = []
  const add = (cost: number, code: string) =>
    differences.push([cost, `${code}: The match is on ${formatStreet(parsedMatch)}, not ${formatStreet(query)}.`])
  if (!isSameName(query.street, parsedMatch.street)) add(differenceCosts.name, 'street_changed')
  if (directionKeyOf(query) !== directionKeyOf(parsedMatch)) add(differenceCosts.direction, 'direction_changed')
  const type = streetTypeKeyOf(query)
  // A street type that the query left out contradicts nothing.
  if (type !== '' && type !== streetTypeKeyOf(parsedMatch)) add(differenceCosts.type, 'street_type_changed')
  return differences
}

function isSameName(a: string | undefined, b: string | undefined): boolean {
  return a === b || comparableName(a) === comparableName(b)
}

function directionKeyOf({ predirectional, postdirectional }: AddressParts): string {
  return `${predirectional ?? ''}|${postdirectional ?? ''}`.toUpperCase()
}

/** Providers write an intersection on one line, with the streets in either order. */
function matchesCrossing(one: AddressParts, other: AddressParts, { normalized_address }: AddressMatch): boolean {
  const line = comparableName(normalized_address)
  return [one.street, other.street].every((street) => line.includes(comparableName(street)))
}

/** A normalized name for comparison: `Saint Mary's` is `STMARYS`, and `Seventh` is `7TH`. */
function comparableName(name = ''): string {
  return streetNameKeyOf(normalizeWords(name))
}
