import { ApiError } from '../model/error.ts'
import type { AccuracyType, AddressParts } from '../address/address.ts'

/** What an address was found to be. `accuracy_score`: 0 to 1, what the provider and our own comparison leave of it. */
export type AcceptedMatch = {
  lat: number
  lng: number
  accuracy_type: AccuracyType
  accuracy_score: number
  normalized_address: string
  components: AddressParts
  provider: string
  /** Where the match differs from what was asked: a code, a colon and a sentence each. */
  warnings: string[]
}

/** One of several places that an address may mean. */
export type GeocodeCandidate = {
  resolved_address: string
  lat: number
  lng: number
  confidence: number
  match_method: string
  accuracy_type: AccuracyType
}

/** Why an address has no place. The first four are what providers say; the last three are seen in the text itself. */
export type GeocodeRejection =
  | { rejected: 'address_not_found' | 'wrong_locality' }
  | { rejected: 'address_too_coarse'; accuracy_type: AccuracyType }
  | { rejected: 'address_ambiguous'; candidates: GeocodeCandidate[] }
  | { rejected: 'address_too_vague'; matched_level: string }
  | { rejected: 'address_outside_us' }
  | { rejected: 'address_type_unsupported'; kind: string }

/** What became of an address. */
export type GeocodeOutcome = AcceptedMatch | GeocodeRejection

/** The geocode object of the API. */
export type GeocodeAnswer = Omit<AcceptedMatch, 'warnings'> & { cached: boolean; warnings: string[] }

/** The accuracy at which an address stands for its parcel. */
export const parcelAccuracies: ReadonlySet<AccuracyType> = new Set(['rooftop', 'nearest_rooftop_match'])

/** What to do about a refusal, in one sentence. */
export const rejectionHints: Record<GeocodeRejection['rejected'], string> = {
  address_not_found: 'Check the number, the street and the ZIP code, or give a coordinate.',
  wrong_locality: 'The street and number were found in another town only: check the town, the state and the ZIP code.',
  address_too_coarse: 'Give a house number that exists on the street, or a coordinate.',
  address_ambiguous: 'Add the ZIP code or the town, or choose one of the candidates.',
  address_too_vague: 'Give a house number and street with a town or ZIP code, two crossing streets, or a coordinate.',
  address_outside_us: 'Only addresses in the United States and its territories are served.',
  address_type_unsupported: 'Give the street address of the building: a mail box has no place on the map.',
}

/** How a match was made, for lookup. */
export function matchMethodOf(accuracy_type: AccuracyType): string {
  return `geocode_${accuracy_type}`
}

/** A refusal as the error of geocode, fetch and ask. */
export function rejectionError(rejection: GeocodeRejection, cached: boolean): ApiError {
  const hint = rejectionHints[rejection.rejected]
  switch (rejection.rejected) {
    case 'address_not_found':
      return new ApiError('address_not_found', `No such address is known. ${hint}`, { cached })
    case 'wrong_locality':
      return new ApiError('address_not_found', `No such address is known in that town. ${hint}`, { cached })
    case 'address_too_coarse':
      return new ApiError(
        'address_too_coarse',
        `The best match is of the kind ${rejection.accuracy_type}, which is no address. ${hint}`,
        { accuracy_type: rejection.accuracy_type, hint },
      )
    case 'address_ambiguous':
      return new ApiError(
        'address_ambiguous',
        `There are ${rejection.candidates.length} good matches far from each other. ${hint}`,
        { candidates: rejection.candidates },
      )
    case 'address_too_vague':
      return new ApiError('address_too_vague', `${vaguenessMessage(rejection.matched_level)} ${hint}`, {
        matched_level: rejection.matched_level,
        hint,
      })
    case 'address_outside_us':
      return new ApiError('address_outside_us', `This address is not in the United States. ${hint}`, { hint })
    case 'address_type_unsupported':
      return new ApiError(
        'address_type_unsupported',
        `This is mail to a ${rejection.kind.replaceAll('_', ' ')}, which is delivered elsewhere. ${hint}`,
        { kind: rejection.kind },
      )
  }
}

function vaguenessMessage(matched_level: string): string {
  if (matched_level === 'coordinate')
    return 'This is a coordinate and not an address: /v1/fetch takes lat and lng, and /v1/lookup takes the text.'
  if (matched_level === 'parcel_number') return 'This is a parcel number and not an address.'
  if (matched_level === 'none') return 'This names no town, state or ZIP code.'
  return `This names no more than a ${matched_level}, and no place in it.`
}
