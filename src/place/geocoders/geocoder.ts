import type { AddressMatch, ParsedAddress } from '../../address/address.ts'
import type { Budget } from '../../model/source.ts'

/** How long one address may take: each geocoder on other servers, and all geocoders together. */
export const geocodeLimits_ms = { geocodio: 3000, census: 2500, all: 5500 }
export type GeocodeLimits = typeof geocodeLimits_ms

/**
 * A geocoding provider. `find` returns all matches, possibly none, and throws an UpstreamError if the provider fails.
 * `edition` identifies the data it uses, where that can change.
 */
export type Geocoder = {
  name: string
  timeout_ms: number
  edition(): string
  /** Whether the provider supports this address. */
  accepts(address: ParsedAddress): boolean
  /** Whether the provider's score already compares the parts of the address. */
  scoresParts: boolean
  /** Whether the provider covers only part of the country, so that an address it does not find may still exist. */
  hasPartialCoverage: boolean
  /** Every call is billed. */
  metered?: true
  find(address: ParsedAddress, budget: Budget): Promise<AddressMatch[]>
  /** Finds another reading of the address, at no cost. Without it, the matches of the text are compared with each. */
  findReading?(reading: ParsedAddress): AddressMatch[]
}
