import type { AddressMatch, AddressComponents, ParsedAddress } from './address.ts'
import { formatStreet } from './format-address.ts'
import { normalizeWords } from './tokenizer.ts'
import { compareStreetKeys, isRareSpelling, streetKeyOf, streetNameKeyOf, type KeyDifference } from './street-key.ts'
import { townKeyOf } from './town.ts'

/**
 * How well a match agrees with the requested address: a score from 0 to 1, one warning per difference, whether all parts
 * that were given agree, and whether the match is on a different street.
 */
export type AddressComparison = { score: number; warnings: string[]; agrees: boolean; isOtherStreet: boolean }

type Difference = { cost: number; warning: string; isOfGivenPart: boolean; isOtherStreet?: boolean }

/** What each difference subtracts from the score (section G2 of the notes on upstreams). */
const differenceCosts = { zip: 0.1, city: 0.15, direction: 0.2, type: 0.3, name: 0.5 } as const

/** Compares an address with the parts of a match. */
export function compareAddresses(
  query: ParsedAddress,
  match: AddressMatch,
  found: AddressComponents,
): AddressComparison {
  const differences: Difference[] = []
  const add = (cost: number, warning: string) => differences.push({ cost, warning, isOfGivenPart: true })
  if (query.zip !== undefined && found.zip !== undefined && found.zip.slice(0, 5) !== query.zip.slice(0, 5))
    add(differenceCosts.zip, `zip_changed: The match has ZIP code ${found.zip}, not ${query.zip}.`)
  if (query.city !== undefined && found.city !== undefined && !isSameTown(query.city, found.city))
    add(differenceCosts.city, `city_changed: The match is in ${found.city}, not ${query.city}.`)
  if (query.crossing === undefined) differences.push(...streetDifferences(query, found))
  else if (!matchesCrossing(query, query.crossing, match))
    add(differenceCosts.name, 'street_changed: The match is an intersection of different streets than requested.')
  return {
    score: roundScore(1 - differences.reduce((sum, { cost }) => sum + cost, 0)),
    warnings: differences.map(({ warning }) => warning),
    agrees: !differences.some(({ isOfGivenPart }) => isOfGivenPart),
    isOtherStreet: differences.some(({ isOtherStreet }) => isOtherStreet),
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

function streetDifferences(query: AddressComponents, found: AddressComponents): Difference[] {
  const differences: Difference[] = []
  const [queryKey, foundKey] = [streetKeyOf(query), streetKeyOf(found)]
  const add = (cost: number, code: string, difference: KeyDifference) =>
    differences.push({
      cost,
      warning: `${code}: The match is on ${formatStreet(found)}, not ${formatStreet(query)}.`,
      isOfGivenPart: difference !== 'added',
      isOtherStreet: difference === 'other',
    })
  const { type, direction } = compareStreetKeys(queryKey, foundKey)
  if (queryKey.name !== foundKey.name) add(differenceCosts.name, 'street_changed', 'omitted')
  else if (hasRareSpelling(query.street, found.street)) add(0, 'spelling_changed', 'added')
  if (direction !== 'none') add(differenceCosts.direction, 'direction_changed', direction)
  // A street type that the query left out contradicts nothing.
  if (type !== 'none' && type !== 'added') add(differenceCosts.type, 'street_type_changed', type)
  return differences
}

/** Whether a name has a word that is rarely written so, such as `Harbr`, and the match writes it otherwise. */
function hasRareSpelling(name = '', found = ''): boolean {
  const rare = normalizeWords(name).filter(isRareSpelling)
  return rare.length > 0 && !normalizeWords(found).some((word) => rare.includes(word))
}

/** Providers write an intersection on one line, with the streets in either order. */
function matchesCrossing(
  one: AddressComponents,
  other: AddressComponents,
  { normalized_address }: AddressMatch,
): boolean {
  const line = comparableName(normalized_address)
  return [one.street, other.street].every((street) => line.includes(comparableName(street)))
}

/** A normalized name for comparison: `Saint Mary's` is `STMARYS`, and `Seventh` is `7TH`. */
function comparableName(name = ''): string {
  return streetNameKeyOf(normalizeWords(name))
}
