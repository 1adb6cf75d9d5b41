import { tokenizeAddress, type AddressToken } from '../address/tokenizer.ts'
import { parseCoordinates } from '../geo/text/parse-coordinates.ts'
import { foreignCountryOf } from '../address/foreign-country.ts'
import { isHouseNumber } from '../address/house-number.ts'
import type { Gazetteer } from '../address/address.ts'
import type { AddressParser, Tokenizer } from '../address/parse-address.ts'

/**
 * The kind of a text, decided before any provider is called. `swapped`: longitude came first; `suggestion` is the text
 * in the right order. `vague`: too little to geocode. The text has only a ZIP code, town or state; a street without a
 * number (`street`); or no town (`none`).
 */
export type AddressKind =
  | { kind: 'coordinates'; lat: number; lng: number }
  | { kind: 'swapped'; lat: number; lng: number; suggestion: string }
  | { kind: 'parcel' }
  | { kind: 'unsupported'; type: 'po_box' | 'military' | 'general_delivery' }
  | { kind: 'foreign'; country: string }
  | { kind: 'vague'; matched_level: 'zip' | 'city' | 'state' | 'street' | 'none' }
  | { kind: 'address' }

/** Creates the function that classifies a text. */
export function createAddressClassifier(
  gazetteer: Gazetteer,
  parse: AddressParser,
  tokenize: Tokenizer = tokenizeAddress,
): (text: string) => AddressKind {
  return (text) => {
    const coordinates = parseCoordinates(text)
    if (coordinates) return coordinates
    if (isParcelNumber(text)) return { kind: 'parcel' }
    const words = tokenize(text)
    const mailOnlyKind = mailOnlyKindOf(words)
    if (mailOnlyKind) return { kind: 'unsupported', type: mailOnlyKind }
    const country = foreignCountryOf(text, words, gazetteer)
    if (country !== null) return { kind: 'foreign', country }
    const matched_level = vagueLevelOf(text, parse, gazetteer)
    return matched_level === null ? { kind: 'address' } : { kind: 'vague', matched_level }
  }
}

function vagueLevelOf(
  text: string,
  parse: AddressParser,
  gazetteer: Gazetteer,
): Extract<AddressKind, { kind: 'vague' }>['matched_level'] | null {
  const { number, street, crossing, city, state, zip } = parse(text)
  const isKnownZip =
    zip !== undefined && (territoryZipPattern.test(zip) || gazetteer.placeOfZip(zip.slice(0, 5)) !== null)
  const locality = zip !== undefined ? 'zip' : city !== undefined ? 'city' : state !== undefined ? 'state' : 'none'
  if (street === undefined)
    return locality === 'zip' && !isKnownZip && city === undefined && state === undefined ? 'none' : locality
  if (number === undefined && !crossing) return locality === 'none' ? 'none' : 'street'
  return locality === 'none' ? 'none' : null
}

/**
 * ZIP codes of Puerto Rico, the Virgin Islands, Guam, the Northern Marianas and Samoa, which the embedded data lacks.
 */
const territoryZipPattern = /^(?:00[6-9]|969|96799)/

/**
 * Whether a text is a parcel number and not an address: `APN 123-45-678`, `0512-34-567-000`, `R0123456`, `05 12 345
 * 6789`.
 */
function isParcelNumber(text: string): boolean {
  const normalized = text.trim().toUpperCase()
  if (
    /^(?:A\.?P\.?N\.?|PARCEL|PIN|PID|PARID|TAX ?ID|FOLIO|ASSESSOR'?S? PARCEL)(?: (?:NUMBER|NUM|NO|ID)\.?)?[ :#.]{1,3}(?=[\w.-]*\d)[\w. /-]{3,40}$/.test(
      normalized,
    )
  )
    return true
  if (/^\d{5}-\d{4}$/.test(normalized) || !/^[\dA-Z. /-]{6,40}$/.test(normalized)) return false
  const groups = normalized.split(/[ ./-]+/)
  const digits = normalized.replace(/\D/g, '').length
  if (
    digits < 6 ||
    !groups.every((group) => /^(?:[A-Z]{0,2}\d{1,20}[A-Z]{0,2}|[A-Z])$/.test(group)) ||
    groups.every((group) => /^[A-Z]/.test(group) && groups.length > 1)
  )
    return false
  if (!normalized.includes(' ')) return true
  if (!groups.every((group) => /^\d+$/.test(group))) return false
  // "001 016900100", but not the ZIP+4 "80202 1234".
  if (groups.length === 2) return digits > 9
  return groups.length > 2 && !/\d{5}$/.test(groups.at(-1)!)
}

/**
 * The kind of mail address that has no location (PO box, military, general delivery), or null. A street with a box next
 * to it counts as a street.
 */
function mailOnlyKindOf(words: readonly AddressToken[]): 'po_box' | 'military' | 'general_delivery' | null {
  const keys = words.map(({ key }) => key)
  const [last, before] = [keys.at(-1) ?? '', keys.at(-2) ?? '']
  const code = /^\d{5}(?:-\d{4})?$/.test(last) ? before : last
  const isMilitaryZip = /^(?:09\d{3}|340\d{2}|96[2-6]\d{2})(?:-\d{4})?$/.test(last)
  if (/^A[AEP]$/.test(code) && (isMilitaryZip || keys.some(isMilitaryPostOffice))) return 'military'
  if (isMilitaryZip && keys.some(isMilitaryPostOffice)) return 'military'
  if (keys.some((key, i) => /^GEN(?:ERAL)?$/.test(key) && /^DEL(?:IVERY)?$/.test(keys[i + 1] ?? '')))
    return 'general_delivery'
  const boxIndex = findBox(keys)
  if (boxIndex === 0 && hasStreetAfterBox(words)) return null
  return boxIndex >= 0 && !keys.slice(0, boxIndex).some((key, i) => /^\d/.test(key) && i < boxIndex - 1)
    ? 'po_box'
    : null
}

/** `PO Box 12, 3250 Dale Rd`: a street address follows the box. */
function hasStreetAfterBox(words: readonly AddressToken[]): boolean {
  const begin = words.findIndex(({ endsSegment }) => endsSegment) + 1
  return begin > 0 && words.slice(begin, begin + 4).length === 4 && isHouseNumber(words[begin]!.key)
}

function isMilitaryPostOffice(key: string): boolean {
  return /^[ADF]PO$/.test(key)
}

/** The index at which a post office box, rural route box or highway contract box starts; -1 if there is none. */
function findBox(keys: readonly string[]): number {
  return keys.findIndex((key, i) => {
    const [second = '', third = ''] = [keys[i + 1], keys[i + 2]]
    if (/^(?:POB|POBOX|PO-BOX)\d*$/.test(key)) return true
    if (/^(?:PO|P\/O)$/.test(key) && /^(?:BOX|BX|DRAWER)\d*$/.test(second)) return true
    if (key === 'P' && second === 'O' && /^(?:BOX|BX|DRAWER)\d*$/.test(third)) return true
    if (key === 'POST' && second === 'OFFICE' && /^(?:BOX|BX|DRAWER)\d*$/.test(third)) return true
    if (key === 'BOX' && i === 0 && /^\d/.test(second)) return true
    return i === 0 && /^(?:RR|HC|HCR|RFD|RURAL|STAR)\d*$/.test(key) && keys.slice(1, 5).includes('BOX')
  })
}
