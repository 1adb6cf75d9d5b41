import type { AddressComponents } from '../../address/address.ts'
import type { Point } from '../../model/place.ts'
import type { AddressPack } from './address-pack.ts'
import { dropNearby, addressComponentsOf } from './address-components.ts'
import { decodeLine } from './address-pack-schema.ts'
import { streetQueryOf } from './street-score.ts'
import { findStreetCandidates, type StreetCandidate } from './street-candidates.ts'

/**
 * The points where two streets meet: shared ends of their lines. A street that passes over the other does not count.
 */
export function findIntersections(
  pack: AddressPack,
  address: AddressComponents,
  other: AddressComponents,
): { at: Point; score: number; components: AddressComponents; crossing: AddressComponents }[] {
  const intersections: ReturnType<typeof findIntersections> = []
  const seconds = bestCandidates(pack, other, address).map((candidate) => ({
    ...candidate,
    ends: lineEnds(pack, candidate),
  }))
  for (const first of bestCandidates(pack, address, address)) {
    const ends = lineEnds(pack, first)
    for (const second of seconds) {
      if (first.street.zip !== second.street.zip && first.street.city_key !== second.street.city_key) continue
      const { city: _city, state: _state, zip: _zip, ...crossing } = addressComponentsOf(second.street)
      const score = Math.min(first.score, second.score)
      const shared = [...ends].filter(([key]) => second.ends.has(key))
      intersections.push(
        ...shared.map(([, at]) => ({ at, score, components: addressComponentsOf(first.street), crossing })),
      )
    }
  }
  return dropNearby(
    intersections.toSorted((a, b) => b.score - a.score),
    ({ at }) => at,
  )
}

const maxCandidates = 12

function bestCandidates(pack: AddressPack, street: AddressComponents, locality: AddressComponents): StreetCandidate[] {
  const candidates: StreetCandidate[] = []
  for (const batch of findStreetCandidates(pack, streetQueryOf(street, locality))) candidates.push(...batch)
  return candidates.toSorted((a, b) => b.score - a.score).slice(0, maxCandidates)
}

function lineEnds(pack: AddressPack, { street }: StreetCandidate): Map<string, Point> {
  const ends = new Map<string, Point>()
  for (const line of pack.lines(street.id)) {
    const path = decodeLine(line)
    for (const end of [path.at(0), path.at(-1)]) if (end) ends.set(end.join(), { lat: end[1], lng: end[0] })
  }
  return ends
}
