import { addressKeyOf } from '../address/address-key.ts'
import { joinLines } from '../model/text.ts'
import type { AddressPackFolder } from '../packs/addresses/address-pack-folder.ts'
import type { AddressReader } from './address-reader.ts'
import type { GeocodeOutcome } from './geocode-outcome.ts'
import { parseGeocodable } from './geocode.ts'
import { packGeocoderName } from './geocoders/address-packs.ts'
import { chooseReading } from './match-scoring.ts'

/** The outcome of an address. `key`: the normalized address, for the audit. */
export type LocalGeocode = { key: string; outcome: GeocodeOutcome }

/** Returns the outcome of an address; null if another geocoder may know more about it. */
export type LocalGeocoder = (text: string) => LocalGeocode | null

type Deps = {
  reader: AddressReader
  packs: Pick<AddressPackFolder, 'find'>
  /** Whether the address packs are the only geocoder. */
  isOnlyGeocoder: boolean
}

/**
 * Creates a geocoder that asks only the address packs, and neither waits nor caches. Its outcomes are those of
 * `createGeocode`, which asks the address packs first.
 * @throws {UpstreamError} if a pack cannot be read.
 */
export function createLocalGeocoder({ reader, packs, isOnlyGeocoder }: Deps): LocalGeocoder {
  const { scoring } = reader
  const provider = { name: packGeocoderName, scoresParts: true }
  return (text) => {
    const address = joinLines(text.normalize('NFC').trim())
    const key = addressKeyOf(address)
    const query = parseGeocodable(address, reader)
    if ('rejected' in query) return { key, outcome: query }
    const outcome = chooseReading(query, (reading) => packs.find(reading, noLimit), provider, scoring)
    const isFinal = isOnlyGeocoder || !('rejected' in outcome) || outcome.rejected === 'address_ambiguous'
    return isFinal ? { key, outcome } : null
  }
}

const noLimit = { signal: new AbortController().signal }
