import { Type, type Static } from '@sinclair/typebox'

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

const Part = Type.Optional(Type.String())

/** The parts of an address, named as in USPS Publication 28 and Geocodio. */
export const AddressComponents = Type.Object(
  {
    number: Part,
    predirectional: Part,
    pretype: Part,
    street: Part,
    suffix: Part,
    postdirectional: Part,
    unit: Part,
    city: Part,
    county: Part,
    state: Part,
    zip: Part,
  },
  { description: 'The parts of an address. Parts without a value are omitted.' },
)
export type AddressComponents = Static<typeof AddressComponents>

/** A parsed address: its parts and, for an intersection, the second street. */
export type ParsedAddress = AddressComponents & { text: string; crossing?: AddressComponents }

/** One match of a geocoding provider. `score` is the provider's own (0 to 1), or null if it has none. */
export type AddressMatch = {
  lat: number
  lng: number
  accuracy_type: AccuracyType
  score: number | null
  normalized_address: string
  components: AddressComponents
  /** For the middle of a street that lacks the house number: the addresses with the numbers next to it. */
  nearest?: AddressMatch[]
}

/** Looks up town names and ZIP codes. */
export type Gazetteer = {
  /** The states that have a town of this name (words in capitals); empty if there is no such town. */
  statesWithTown(words: readonly string[]): readonly string[]
  /** The town and state of a five-digit ZIP code, or null. */
  placeOfZip(zip: string): { city: string; state: string } | null
  /** How far a five-digit ZIP code is from a town of this name; null if one of them is unknown. */
  distanceToTown_m(zip: string, town: { name: string; state: string | undefined }): number | null
}
