import { UpstreamError } from '../../model/error.ts'
import type { AddressPackFolder } from '../../packs/addresses/address-pack-folder.ts'
import type { Geocoder } from './geocoder.ts'

/** The name of the local geocoder. */
export const packGeocoderName = 'address_packs'

const noLimit = { signal: new AbortController().signal }

/**
 * The geocoder of the local address packs: free, with partial coverage. An address that it does not find fails while a
 * pack is being checked, because that pack may have it.
 */
export function createPackGeocoder(packs: Pick<AddressPackFolder, 'find' | 'edition' | 'waitForChecks'>): Geocoder {
  return {
    name: packGeocoderName,
    timeout_ms: Infinity,
    scoresParts: true,
    hasPartialCoverage: true,
    edition: () => packs.edition(),
    accepts: () => true,
    async find(address, budget) {
      const areChecked = await packs.waitForChecks()
      const matches = packs.find(address, budget)
      if (matches.length === 0 && !areChecked)
        throw new UpstreamError('fetch_busy', 'An address pack is being checked before its first use. Retry later.')
      return matches
    },
    findReading: (reading) => packs.find(reading, noLimit),
  }
}
