/**
 * How precise a point is for an address, in Geocodio's terms for all providers. The last five are too coarse to serve.
 */
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

/** The parts of an address, named as in USPS Publication 28 and Geocodio. Missing parts are left out. */
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

/** A parsed address: its parts and, for an intersection, the second street. */
export type ParsedAddress = AddressParts & { text: string; crossing?: AddressParts }

/** One match of a geocoding provider. `score` is the provider's own (0 to 1), or null if it has none. */
export type AddressMatch = {
  lat: number
  lng: number
  accuracy_type: AccuracyType
  score: number | null
  normalized_address: string
  components: AddressParts
}
