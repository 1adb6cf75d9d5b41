import { tokensOf } from '../model/address-token.ts'
import { boxKindOf } from './address-box.ts'
import { coordinatesOf } from './address-coordinates.ts'
import { countryOf } from './address-country.ts'
import { isParcelNumber } from './address-parcel.ts'
import type { Gazetteer } from './parsed-gazetteer.ts'
import type { Parse } from './parsed.ts'

/**
 * What a text is, decided before a provider is asked. `swapped`: longitude came first, and `suggestion` is the text the right way round.
 * `vague`: too little to geocode: only a ZIP code, town or state; a street without a number (`street`); or nothing that names a town (`none`).
 */
export type AddressKind =
  | { kind: 'coordinates'; lat: number; lng: number }
  | { kind: 'swapped'; lat: number; lng: number; suggestion: string }
  | { kind: 'parcel' }
  | { kind: 'unsupported'; type: 'po_box' | 'military' | 'general_delivery' }
  | { kind: 'foreign'; country: string }
  | { kind: 'vague'; matched_level: 'zip' | 'city' | 'state' | 'street' | 'none' }
  | { kind: 'address' }

/** Tells what a text is. */
export function openKinds(gazetteer: Gazetteer, parse: Parse): (text: string) => AddressKind {
  return (text) => {
    const coordinates = coordinatesOf(text)
    if (coordinates) return coordinates
    if (isParcelNumber(text)) return { kind: 'parcel' }
    const words = tokensOf(text)
    const box = boxKindOf(words)
    if (box) return { kind: 'unsupported', type: box }
    const country = countryOf(text, words, gazetteer)
    if (country !== null) return { kind: 'foreign', country }
    const matched_level = vagueLevelOf(text, parse, gazetteer)
    return matched_level === null ? { kind: 'address' } : { kind: 'vague', matched_level }
  }
}

function vagueLevelOf(text: string, parse: Parse, gazetteer: Gazetteer): Extract<AddressKind, { kind: 'vague' }>['matched_level'] | null {
  const { number, street, crossing, city, state, zip } = parse(text)
  const isKnownZip = zip !== undefined && (territoryZip.test(zip) || gazetteer.place(zip.slice(0, 5)) !== null)
  const locality = zip !== undefined ? 'zip' : city !== undefined ? 'city' : state !== undefined ? 'state' : 'none'
  if (street === undefined) return locality === 'zip' && !isKnownZip && city === undefined && state === undefined ? 'none' : locality
  if (number === undefined && !crossing) return locality === 'none' ? 'none' : 'street'
  return locality === 'none' ? 'none' : null
}

/** Puerto Rico, the Virgin Islands, Guam, the Northern Marianas and Samoa, whose ZIP codes are not among the embedded ones. */
const territoryZip = /^(?:00[6-9]|969|96799)/
