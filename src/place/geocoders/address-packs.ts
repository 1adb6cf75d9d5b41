import type { AddressPackFolder } from '../../packs/addresses/address-pack-folder.ts'
import type { Geocoder } from './geocoder.ts'

const timeout_ms = 1000

/** The geocoder of the local address packs: free, with partial coverage. */
export function createPackGeocoder(packs: Pick<AddressPackFolder, 'find' | 'edition'>): Geocoder {
  return {
    name: 'address_packs',
    timeout_ms,
    scoresParts: true,
    hasPartialCoverage: true,
    edition: () => packs.edition(),
    accepts: () => true,
    find: (address, budget) => Promise.try(() => packs.find(address, budget)),
  }
}
