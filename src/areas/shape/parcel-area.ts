import { countyField } from '../../catalog/area-kind.ts'
import type { FetchContext } from '../../fetch/fetch.ts'
import { LocationEvaluation } from '../../fetch/location-evaluation.ts'
import { parcelOutlineAt, type ParcelOutline, type ParcelUnavailableReason } from '../../fetch/parcel/parcel.ts'
import { countyOf, otherCountyReason } from '../../fetch/parcel/parcel-fields.ts'
import { ApiError } from '../../model/error.ts'
import type { GeometryRunner } from '../../geo/overlay/geometry-jobs.ts'
import type { Budget } from '../../model/source.ts'
import { parcelAccuracies } from '../../place/geocode-outcome.ts'
import type { LocatedPlace, LocationInput } from '../../place/locate.ts'
import { polygonAreaOf, type PolygonArea } from './area-geometry.ts'
import type { Loc } from './geometry-errors.ts'

type ParcelContext = Pick<
  FetchContext,
  'catalog' | 'registry' | 'plans' | 'locate' | 'now' | 'onBilledCall' | 'onSourceUsage'
> & { geometry: GeometryRunner }

/** Returns the parcel that contains a location. The provider may bill the call. @throws {ApiError} if there is none. */
export async function parcelAreaOf(
  location: LocationInput,
  loc: Loc,
  budget: Budget,
  context: ParcelContext,
): Promise<PolygonArea> {
  const place = await context.locate(location, budget)
  if (place.geocode && !parcelAccuracies.has(place.geocode.accuracy_type)) throw noParcelError('coarse_geocode')
  const outline = await parcelOutlineAt(place, context, budget)
  if (typeof outline === 'string') throw noParcelError(outline)
  await requireSameCounty(outline, place, budget, context)
  const polygons = outline.polygons.map((rings) => rings.map((ring) => ring.flat()))
  return polygonAreaOf({ kind: 'source', polygons, loc: [...loc, 'parcel_of'] }, context.geometry)
}

async function requireSameCounty(
  { county_fips }: ParcelOutline,
  place: LocatedPlace,
  budget: Budget,
  { catalog, plans, now }: ParcelContext,
): Promise<void> {
  const field = catalog.fields.get(countyField)
  if (!field || county_fips === null) return
  const location = new LocationEvaluation(place, budget, { now: now(), parcelAccess: 'allowed' })
  try {
    const reason = otherCountyReason(county_fips, await countyOf(() => plans.evaluate(field, location)))
    if (reason !== null) throw new ApiError('parcel_not_found', reason, { reason: 'no_parcel_at_point' })
  } finally {
    location.close()
  }
}

const messages: Record<ParcelUnavailableReason, string> = {
  not_requested: 'No parcel was requested.',
  provider_not_configured:
    'This server has no parcels. Set REGRID_API_TOKEN, or install a pack parcels.gpkg in its packs folder.',
  regrid_quota_exhausted: 'The quota of the parcel provider is exhausted.',
  parcel_lookup_transient_error: 'The parcel provider did not answer. Try again later.',
  parcel_lookup_malformed_response: 'The answer of the parcel provider has no parcel or outline that can be read.',
  parcel_match_too_far: 'The nearest parcel is too far from the location.',
  no_parcel_at_point: 'No parcel contains the location.',
  coarse_geocode:
    'The address is not accurate enough to identify a parcel: its accuracy is not rooftop or nearest_rooftop_match. Give a coordinate instead.',
}

function noParcelError(reason: ParcelUnavailableReason): ApiError {
  const isAbsent = reason === 'no_parcel_at_point' || reason === 'coarse_geocode'
  const code =
    reason === 'provider_not_configured'
      ? 'parcels_not_configured'
      : isAbsent
        ? 'parcel_not_found'
        : 'parcel_unavailable'
  return new ApiError(code, messages[reason], { reason })
}
