import type { AddressParts } from '../model/address.ts'
import type { Point } from '../model/place.ts'
import type { AddressFile } from './addresses-file.ts'
import { apart, partsOf } from './addresses-parts.ts'
import { lineOfBlob } from './addresses-schema.ts'
import { askedStreetOf } from './addresses-score.ts'
import { candidatesOf, type Candidate } from './addresses-streets.ts'

/** Where two streets meet: the ends that lines of both have in common. What only passes over the other does not meet it. */
export function crossingsOf(file: AddressFile, asked: AddressParts, other: AddressParts): { at: Point; score: number; components: AddressParts; crossing: AddressParts }[] {
  const found: ReturnType<typeof crossingsOf> = []
  const seconds = bestOf(file, other, asked).map((candidate) => ({ ...candidate, ends: endsOf(file, candidate) }))
  for (const first of bestOf(file, asked, asked)) {
    const ends = endsOf(file, first)
    for (const second of seconds) {
      if (first.street.zip !== second.street.zip && first.street.city_key !== second.street.city_key) continue
      const { city: _city, state: _state, zip: _zip, ...crossing } = partsOf(second.street)
      for (const [key, at] of ends) if (second.ends.has(key)) found.push({ at, score: Math.min(first.score, second.score), components: partsOf(first.street), crossing })
    }
  }
  return apart(found.toSorted((a, b) => b.score - a.score), ({ at }) => at)
}

const mostCandidates = 12

function bestOf(file: AddressFile, street: AddressParts, place: AddressParts): Candidate[] {
  const found: Candidate[] = []
  for (const circle of candidatesOf(file, askedStreetOf(street, place))) found.push(...circle)
  return found.toSorted((a, b) => b.score - a.score).slice(0, mostCandidates)
}

function endsOf(file: AddressFile, { street }: Candidate): Map<string, Point> {
  const ends = new Map<string, Point>()
  for (const line of file.lines(street.id)) {
    const path = lineOfBlob(line)
    for (const end of [path.at(0), path.at(-1)]) if (end) ends.set(end.join(), { lat: end[1], lng: end[0] })
  }
  return ends
}
