import { Type, type Static } from '@sinclair/typebox'
import { ApiError } from '../model/error.ts'
import { AddressComponents, type AccuracyType } from '../address/address.ts'
import { literals, nullable, Time } from '../model/schema.ts'

/**
 * A match that was accepted. `accuracy`: 0 to 1, the provider's score reduced by our own comparison; the
 * comparison alone if the provider gives no score.
 */
export type AcceptedMatch = {
  lat: number
  lng: number
  accuracy_type: AccuracyType
  accuracy: number
  match_type: 'exact' | 'approximate'
  normalized_address: string
  components: AddressComponents
  provider: string
  /** How the match differs from the requested address: each a code, a colon and a sentence. */
  warnings: string[]
}

/** One of several places an address may mean. */
export const GeocodeCandidate = Type.Object({
  resolved_address: Type.String(),
  lat: Type.Number(),
  lng: Type.Number(),
  confidence: Type.Number(),
  match_method: Type.String(),
  accuracy_type: Type.Unsafe<AccuracyType>(Type.String()),
})
export type GeocodeCandidate = Static<typeof GeocodeCandidate>

/**
 * Why an address was not geocoded. Providers cause the first four; the last three are recognized in the text itself.
 * `candidates` of an address that was not found: matches whose score is too low, or in another town. `difference` is a
 * sentence on the part in which the first of them differs. Those of a street without the house number: the addresses
 * next to it. Those of a text that names only a town, ZIP code, county, airport or tide station: these places.
 */
export type GeocodeRejection =
  | { rejected: 'address_not_found' | 'wrong_locality'; candidates?: GeocodeCandidate[]; difference?: string }
  | {
      rejected: 'address_too_coarse'
      accuracy_type: AccuracyType
      candidates?: GeocodeCandidate[]
      difference?: string
    }
  | { rejected: 'address_ambiguous'; candidates: GeocodeCandidate[] }
  | { rejected: 'address_too_coarse'; matched_level: string; candidates?: GeocodeCandidate[] }
  | { rejected: 'address_outside_us' }
  | { rejected: 'address_form_unsupported'; kind: keyof typeof mailOnlyNames }

/** The result of geocoding an address. */
export type GeocodeOutcome = AcceptedMatch | GeocodeRejection

/** The accuracy types that are served, from the finest to the coarsest. */
export const servedAccuracies: readonly AccuracyType[] = [
  'rooftop',
  'nearest_rooftop_match',
  'point',
  'range_interpolation',
  'intersection',
  'street_center',
]

const geocodeMembers = {
  accuracy_type: Type.Unsafe<AccuracyType>(
    literals(servedAccuracies, {
      description:
        'rooftop and nearest_rooftop_match are precise enough for parcels. With any other accuracy, confirm the address.',
    }),
  ),
  accuracy: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      'How well the match agrees with the request. Fieldstone compares them part by part, and reduces the score of the geocoder for every part that differs. The Census geocoder gives no score, so this comparison alone determines the score of its matches.',
  }),
  match_type: literals(['exact', 'approximate'], {
    description: 'exact: all parts of the request agree with the match. approximate: `warnings` lists the differences.',
  }),
  normalized_address: Type.String({ description: 'The matched address.' }),
  components: AddressComponents,
  provider: Type.String({ description: 'The geocoder that found the address.' }),
  source: Type.String({ description: 'Where the answer comes from: `cache`, or the same as provider.' }),
  cached: Type.Boolean({ description: 'Whether the result came from the cache, at no cost.' }),
  warnings: Type.Array(Type.String(), {
    description: 'Differences between the match and the request, each a code, a colon and a message.',
  }),
}

/** The response of POST /v1/geocode. */
export const GeocodeAnswer = Type.Object({
  lat: Type.Number(),
  lng: Type.Number(),
  fetched_at: Time,
  ...geocodeMembers,
})
export type GeocodeAnswer = Static<typeof GeocodeAnswer>

/** The coordinate of an address and how it was found. */
export type Geocoded = Omit<GeocodeAnswer, 'fetched_at'>

/** The `geocode` member of a fetch answer. */
export const GeocodeSummary = Type.Object(
  {
    ...geocodeMembers,
    parcel_grade: Type.Boolean({ description: 'Whether the coordinate is precise enough to identify a parcel.' }),
    precision_note: nullable('string', {
      description: 'How imprecise the coordinate can be; null if it is parcel-grade.',
    }),
  },
  { description: 'Only for an address.' },
)
export type GeocodeSummary = Static<typeof GeocodeSummary>

/** The accuracy types that are precise enough to identify a parcel. */
export const parcelAccuracies: ReadonlySet<AccuracyType> = new Set(['rooftop', 'nearest_rooftop_match'])

/** How imprecise the coordinate of each accuracy type can be; null if it is precise enough for a parcel. */
const precisionNotes: Partial<Record<AccuracyType, string>> = {
  point: 'A point of the address whose place on the parcel is not known.',
  range_interpolation: 'Interpolated along the street: the building can be some 100 m away, or on the other side.',
  intersection: 'The crossing of two streets, not a building.',
  street_center: 'The middle of the street: the building can be anywhere along it.',
}

/** Returns the `geocode` member of an answer at the coordinate of a geocode. */
export function geocodeSummaryOf(geocode: Omit<Geocoded, 'lat' | 'lng'>): GeocodeSummary {
  return {
    ...geocode,
    parcel_grade: parcelAccuracies.has(geocode.accuracy_type),
    precision_note: precisionNotes[geocode.accuracy_type] ?? null,
  }
}

/** What the caller can do about each rejection, in one sentence. */
export const rejectionHints: Record<GeocodeRejection['rejected'], string> = {
  address_not_found: 'Check the house number, street and ZIP code, or send a coordinate.',
  wrong_locality: 'The street and number exist only in another town. Check the town, state and ZIP code.',
  address_too_coarse: 'Send a house number and street with a town or ZIP code, two crossing streets, or a coordinate.',
  address_ambiguous: 'Add the ZIP code or town, or choose one of the candidates.',
  address_outside_us: 'Send an address in the United States or its territories.',
  address_form_unsupported: 'Send the street address of the building.',
}

/** The `match_method` of a lookup, by accuracy type. */
export function matchMethodOf(accuracy_type: AccuracyType): string {
  return `geocode_${accuracy_type}`
}

/** A rejection as the error of geocode, fetch and ask. */
export function rejectionError(rejection: GeocodeRejection, cached: boolean): ApiError {
  const hint = rejectionHints[rejection.rejected]
  switch (rejection.rejected) {
    case 'address_not_found':
      return rejection.candidates
        ? new ApiError(
            'address_not_found',
            sentences(
              'No match is certain.',
              rejection.difference,
              'Confirm the address, or choose one of the candidates.',
            ),
            { cached, candidates: rejection.candidates },
          )
        : new ApiError('address_not_found', `Address not found. ${hint}`, { cached })
    case 'wrong_locality':
      return new ApiError(
        'address_not_found',
        sentences('Address not found in that town.', rejection.difference, hint),
        { cached, ...candidatesOf(rejection) },
      )
    case 'address_too_coarse':
      return 'matched_level' in rejection
        ? new ApiError('address_too_coarse', `${coarsenessMessage(rejection.matched_level)} ${hint}`, {
            matched_level: rejection.matched_level,
            hint,
            ...candidatesOf(rejection),
          })
        : new ApiError(
            'address_too_coarse',
            sentences(
              `The best match is too coarse (accuracy_type ${rejection.accuracy_type}).`,
              rejection.difference,
              hint,
            ),
            { accuracy_type: rejection.accuracy_type, hint, ...candidatesOf(rejection) },
          )
    case 'address_ambiguous':
      return new ApiError(
        'address_ambiguous',
        `The address matches ${rejection.candidates.length} places far from each other. ${hint}`,
        { candidates: rejection.candidates },
      )
    case 'address_outside_us':
      return new ApiError('address_outside_us', `The address is not in the United States. ${hint}`, { hint })
    case 'address_form_unsupported':
      return new ApiError(
        'address_form_unsupported',
        `${mailOnlyNames[rejection.kind]} has no location on the map. ${hint}`,
        { kind: rejection.kind },
      )
  }
}

function candidatesOf({ candidates }: { candidates?: GeocodeCandidate[] }): { candidates?: GeocodeCandidate[] } {
  return candidates ? { candidates } : {}
}

function sentences(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ')
}

/** The start of the message for each kind of mail-only address. */
const mailOnlyNames = {
  po_box: 'A PO box',
  military: 'A military mail address',
  general_delivery: 'General delivery',
}

function coarsenessMessage(matched_level: string): string {
  if (matched_level === 'coordinate')
    return 'The text is a coordinate, not an address. Use lat and lng with /v1/fetch, or send the text to /v1/lookup.'
  if (matched_level === 'parcel_number') return 'The text is a parcel number, not an address.'
  if (matched_level === 'none') return 'The address has no town, state or ZIP code.'
  return `The text names only a ${matched_level === 'zip' ? 'ZIP code' : matched_level}.`
}
