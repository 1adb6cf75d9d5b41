import { directionAbbreviations } from '../address/abbreviations.ts'
import type { AddressComponents, Gazetteer, ParsedAddress } from '../address/address.ts'
import { isSameTown } from '../address/compare-addresses.ts'

/** A ZIP code that is farther than this from every place of a town's name is not of that town. */
const townReach_m = 20_000

/**
 * Whether a match is in the requested town and ZIP code. `contradiction`: the match has one of them, and the embedded
 * data say that the other is elsewhere.
 */
export function localityAgreement(
  query: ParsedAddress,
  { city, zip }: AddressComponents,
  gazetteer: Pick<Gazetteer, 'distanceToTown_m'>,
): 'same' | 'other' | 'contradiction' {
  const [givenZip, foundZip] = [query.zip?.slice(0, 5), zip?.slice(0, 5)]
  const isOtherTown = query.city !== undefined && city !== undefined && !isSameTown(query.city, city)
  const isOtherZip = givenZip !== undefined && foundZip !== undefined && givenZip !== foundZip
  if (!isOtherTown && !isOtherZip) return 'same'
  if (isOtherTown && isTownBeside(query.city!, city)) return 'contradiction'
  if (isOtherTown && (isOtherZip || givenZip === undefined || foundZip === undefined)) return 'other'
  if (query.city !== undefined && givenZip !== undefined) {
    const distance_m = gazetteer.distanceToTown_m(givenZip, { name: query.city, state: query.state })
    if (distance_m !== null && distance_m > townReach_m) return 'contradiction'
  }
  return isOtherZip && givenZip.slice(0, 3) !== foundZip.slice(0, 3) ? 'other' : 'same'
}

/** Whether the names of two towns differ in a direction: East Palo Alto is not Palo Alto. */
function isTownBeside(a: string, b: string): boolean {
  const withoutDirection = (name: string) => {
    const [first = '', ...rest] = name.toUpperCase().split(' ')
    return rest.length > 0 && directionAbbreviations.has(first.replace('.', '')) ? rest.join(' ') : name
  }
  return isSameTown(withoutDirection(a), withoutDirection(b))
}
