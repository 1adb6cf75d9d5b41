/** How exactly a point is that of an address; the words of Geocodio for all providers. The last five are too coarse to be served. */
export type AccuracyType =
  | 'rooftop'
  | 'nearest_rooftop_match'
  | 'point'
  | 'range_interpolation'
  | 'intersection'
  | 'street_center'
  | 'place'
  | 'zip'
  | 'county'
  | 'state'

/** The parts of an address, in the words of USPS Publication 28 and Geocodio; a part that is not there is left out. */
export type AddressParts = {
  number?: string
  predirectional?: string
  pretype?: string
  street?: string
  suffix?: string
  postdirectional?: string
  unit?: string
  city?: string
  county?: string
  state?: string
  zip?: string
}

/** An address as it was read: its parts, and the second street of an intersection. */
export type ParsedAddress = AddressParts & { text: string; crossing?: AddressParts }

/** A place that a provider takes an address for, with the score of the provider itself (0 to 1), where it has one. */
export type AddressMatch = {
  lat: number
  lng: number
  accuracy_type: AccuracyType
  score: number | null
  normalized_address: string
  components: AddressParts
}
