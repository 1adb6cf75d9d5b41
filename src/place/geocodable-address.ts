import type { ParsedAddress } from '../address/address.ts'
import type { AddressKind } from './classify-address.ts'
import type { AddressParser } from '../address/parse-address.ts'
import type { GeocodeRejection } from './geocode-outcome.ts'

/** Reads a text as an address by its parts, or says why it is none that can be geocoded. */
export function createGeocodableParser(
  classify: (text: string) => AddressKind,
  parse: AddressParser,
): (text: string) => ParsedAddress | GeocodeRejection {
  return (text) => {
    const classified = classify(text)
    switch (classified.kind) {
      case 'address':
        return parse(text)
      case 'vague':
        return { rejected: 'address_too_vague', matched_level: classified.matched_level }
      case 'coordinates':
      case 'swapped':
        return { rejected: 'address_too_vague', matched_level: 'coordinate' }
      case 'parcel':
        return { rejected: 'address_too_vague', matched_level: 'parcel_number' }
      case 'foreign':
        return { rejected: 'address_outside_us' }
      case 'unsupported':
        return { rejected: 'address_type_unsupported', kind: classified.type }
    }
  }
}
