import type { ParsedAddress } from '../model/address.ts'
import type { AddressKind } from './address-kind.ts'
import type { Parse } from './parsed.ts'
import type { Refused } from './verdict.ts'

/** Reads a text as an address by its parts, or says why it is none that can be geocoded. */
export function openReading(kindOf: (text: string) => AddressKind, parse: Parse): (text: string) => ParsedAddress | Refused {
  return (text) => {
    const it = kindOf(text)
    switch (it.kind) {
      case 'address': return parse(text)
      case 'vague': return { refused: 'address_too_vague', matched_level: it.matched_level }
      case 'coordinates': case 'swapped': return { refused: 'address_too_vague', matched_level: 'coordinate' }
      case 'parcel': return { refused: 'address_too_vague', matched_level: 'parcel_number' }
      case 'foreign': return { refused: 'address_outside_us' }
      case 'unsupported': return { refused: 'address_type_unsupported', kind: it.type }
    }
  }
}
