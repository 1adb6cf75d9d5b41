import { UpstreamError } from '../model/error.ts'
import type { LocatedPlace } from '../place/locate.ts'
import { parcelAccuracies } from '../place/geocode-outcome.ts'
import type { FieldEvaluator } from './field-evaluator.ts'

/** Whether who asks may read parcels, which are billed one by one. */
export type ParcelAccess = 'allowed' | 'denied'

/** The same asking, but that a `parcel_*` field fails before anything is spent where it is not allowed, or the place is not known well enough. */
export function guardParcelFields(
  evaluator: FieldEvaluator,
  { geocode }: LocatedPlace,
  access: ParcelAccess,
): FieldEvaluator {
  const denial = denialOf(geocode, access)
  if (!denial) return evaluator
  return {
    evaluate: (field) => (field.name.startsWith('parcel_') ? Promise.reject(denial) : evaluator.evaluate(field)),
  }
}

function denialOf(geocode: LocatedPlace['geocode'], access: ParcelAccess): UpstreamError | null {
  if (access === 'denied')
    return new UpstreamError(
      'entitlement_missing',
      'This token does not allow parcels: make one with the scope parcel.',
    )
  if (!geocode || parcelAccuracies.has(geocode.accuracy_type)) return null
  return new UpstreamError(
    'unsupported_request',
    `The address was matched as ${geocode.accuracy_type}, and a parcel is read only where the match is rooftop or nearest_rooftop_match: give a coordinate.`,
  )
}
