import type { AddressPackFolder } from '../../packs/addresses/address-pack-folder.ts'
import type { Geocoder } from './geocoder.ts'

const limit_ms = 1000

/** The address packs of this server as the first of the geocoders: free, and not of the whole country. */
export function local(packs: Pick<AddressPackFolder, 'find' | 'edition'>): Geocoder {
  return {
    name: 'address_packs', limit_ms, compares: true, partial: true,
    edition: () => packs.edition(),
    takes: () => true,
    find: (address, budget) => Promise.try(() => packs.find(address, budget)),
  }
}
