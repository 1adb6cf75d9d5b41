import type { MaybePromise } from '../../async/maybe-promise.ts'
import type { ReadSpec } from '../../catalog/records.ts'
import { UpstreamError } from '../../model/error.ts'
import { Estimate } from '../../model/estimate.ts'
import { Absent } from '../../model/outcome.ts'
import { parcelAccuracies } from '../../place/geocode-outcome.ts'
import type { LocatedPlace } from '../../place/locate.ts'
import type { Evaluation } from '../evaluation.ts'
import type { Evaluable, LocationEvaluation, ParcelAccess } from '../location-evaluation.ts'

/** The reads that decide whether a parcel is that of the point. `ofPoint` is null in a catalog without the field. */
export type ParcelReads = { ofParcel: Evaluable; ofPoint: Evaluable | null }

/**
 * Evaluates a field that reads the parcel. It fails before anything is billed if the account or the address does not allow it, and
 * afterwards if the parcel is in another county than the point.
 */
export async function evaluateParcelField(
  field: Evaluable,
  location: LocationEvaluation,
  reads: ParcelReads,
): Promise<Evaluation> {
  const denial = parcelDenialOf(location.place.geocode, location.parcelAccess)
  if (denial) throw denial
  const evaluation = await field.evaluate(location)
  if (!(evaluation.value instanceof Absent)) await location.join(reads, () => requireCountyOfPoint(location, reads))
  return evaluation
}

function parcelDenialOf(geocode: LocatedPlace['geocode'], access: ParcelAccess): UpstreamError | null {
  if (access === 'denied')
    return new UpstreamError(
      'entitlement_missing',
      'This token does not have the scope parcel. Create a token that has it.',
    )
  if (!geocode || parcelAccuracies.has(geocode.accuracy_type)) return null
  return new UpstreamError(
    'unsupported_request',
    `The accuracy of the address is ${geocode.accuracy_type}, and parcels require rooftop or nearest_rooftop_match. Give a coordinate instead.`,
  )
}

/** The county in a parcel record. It is part of the record of the other fields, so it is not billed again. */
export const parcelCounty: ReadSpec = {
  dataset: 'regrid_parcels',
  op: 'path',
  json_path: '$.parcels.features[0].properties.fields.geoid',
  absent_when: ['empty', 'missing', 'null'],
}

async function requireCountyOfPoint(location: LocationEvaluation, { ofParcel, ofPoint }: ParcelReads): Promise<void> {
  if (!ofPoint) return
  const reason = otherCountyReason(
    ...(await Promise.all([countyOf(() => ofParcel.evaluate(location)), countyOf(() => ofPoint.evaluate(location))])),
  )
  if (reason !== null) throw new UpstreamError('bad_value', reason)
}

/** The county of an evaluation; null if it is not known. */
export async function countyOf(evaluate: () => MaybePromise<Evaluation>): Promise<string | null> {
  try {
    const { value } = await evaluate()
    return value instanceof Absent || value instanceof Estimate ? null : String(value)
  } catch (error) {
    if (error instanceof UpstreamError) return null
    throw error
  }
}

/**
 * Says that a parcel is not that of the point, because its county is another one; null if it can be. In Connecticut,
 * providers still have the former counties instead of the planning regions, so only the state is compared there.
 */
export function otherCountyReason(ofParcel: string | null, ofPoint: string | null): string | null {
  if (ofParcel === null || ofPoint === null) return null
  const codes = [ofParcel, ofPoint].map((code) => code.padStart(5, '0'))
  return codes[0] === codes[1] || codes.every((code) => code.startsWith('09'))
    ? null
    : `The parcel that the provider returned is in county ${codes[0]}, but the point is in county ${codes[1]}.`
}
