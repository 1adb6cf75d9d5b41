import { fetchMax_ms, type LocatedFetchContext } from '../fetch/batch.ts'
import { ApiError } from '../model/error.ts'
import type { Place } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import type { AddressKind } from '../place/classify-address.ts'
import type { GeocodeResult } from '../place/geocode.ts'
import {
  rejectionHints,
  matchMethodOf,
  parcelAccuracies,
  type GeocodeCandidate,
  type AcceptedMatch,
  type GeocodeRejection,
} from '../place/geocode-outcome.ts'
import { fetchPlaceContext, type PlaceContext } from './place-context.ts'
import { parcelAt, type Parcel, type ParcelUnavailableReason } from './parcel.ts'

/** What is looked up: an address, a coordinate as text, or a parcel number; and whether the parcel is wanted, which may be billed. */
export type LookupRequest = { input: string; include_parcel: boolean }

/** How a text came out. */
export type LookupAnswer = Resolved | Clarify | NoMatch
type Clarify = { disposition: 'clarify'; hint: string; candidates: GeocodeCandidate[] }
type NoMatch = {
  disposition: 'no_match'
  reason: Exclude<GeocodeRejection['rejected'], 'address_ambiguous'> | 'apn_not_supported_in_v1'
  hint: string
}
type Resolved = { disposition: 'resolved' } & Match & { warnings: string[] } & ParcelPart & PlaceContext
type Match = { lat: number; lng: number; resolved_address: string | null; match_method: string; confidence: number }
type ParcelPart = {
  parcel_unavailable: boolean
  parcel_unavailable_reason: ParcelUnavailableReason | null
  parcel: Parcel | null
}

/** What looking up takes beside the counter: what a text is, the geocoder for who asks, and the place of a coordinate. */
export type LookupContext = LocatedFetchContext & {
  classify: (text: string) => AddressKind
  geocode: (address: string, budget: Budget) => Promise<GeocodeResult>
  placeAt: (at: { lat: number; lng: number }) => Place
}

/** Looks a text up, through the gate. A coordinate in the wrong order is an error; a text that cannot be placed is an answer. */
export function lookUpLocation(
  { input, include_parcel }: LookupRequest,
  { signal }: Budget,
  lookupContext: LookupContext,
): Promise<LookupAnswer> {
  const budget = { signal, until_ms: performance.now() + fetchMax_ms }
  return lookupContext.admission.run(async () => {
    const classified = lookupContext.classify(input.normalize('NFC').trim())
    if (classified.kind === 'swapped') throw swappedError(classified.suggestion)
    if (classified.kind === 'parcel')
      return {
        disposition: 'no_match',
        reason: 'apn_not_supported_in_v1',
        hint: 'A parcel number is unique only inside its county: give the address or the coordinate of the parcel.',
      }
    if (classified.kind === 'coordinates') {
      const place = lookupContext.placeAt(classified)
      return resolveAt(
        place,
        { resolved_address: null, match_method: 'coordinate', confidence: 1 },
        include_parcel,
        budget,
      )
    }
    const { outcome } = await lookupContext.geocode(input, budget)
    return 'rejected' in outcome ? unresolvedAnswer(outcome) : resolveMatch(outcome, include_parcel, budget)
  }, budget)

  function resolveMatch(
    { lat, lng, accuracy_type, accuracy_score, normalized_address, warnings }: AcceptedMatch,
    includeParcel: boolean,
    lookupBudget: Budget,
  ) {
    const place: Place = { ...lookupContext.placeAt({ lat, lng }), source: 'address' }
    const match = {
      resolved_address: normalized_address,
      match_method: matchMethodOf(accuracy_type),
      confidence: accuracy_score,
      warnings,
    }
    return resolveAt(
      place,
      match,
      includeParcel,
      lookupBudget,
      parcelAccuracies.has(accuracy_type) ? undefined : 'coarse_geocode',
    )
  }

  async function resolveAt(
    place: Place,
    { warnings = [], ...match }: Omit<Match, 'lat' | 'lng'> & { warnings?: string[] },
    includeParcel: boolean,
    lookupBudget: Budget,
    coarseReason?: ParcelUnavailableReason,
  ): Promise<Resolved> {
    const [context, parcel] = await Promise.all([
      fetchPlaceContext(place, lookupBudget, lookupContext),
      includeParcel ? (coarseReason ?? parcelAt(place, lookupContext, lookupBudget)) : 'not_requested',
    ])
    return {
      disposition: 'resolved',
      lat: place.lat,
      lng: place.lng,
      ...match,
      warnings,
      ...parcelPartOf(parcel),
      ...context,
    }
  }
}

function parcelPartOf(parcel: Parcel | ParcelUnavailableReason): ParcelPart {
  if (typeof parcel === 'string') return { parcel_unavailable: true, parcel_unavailable_reason: parcel, parcel: null }
  return { parcel_unavailable: false, parcel_unavailable_reason: null, parcel }
}

function unresolvedAnswer(verdict: GeocodeRejection): Clarify | NoMatch {
  const hint = rejectionHints[verdict.rejected]
  if (verdict.rejected === 'address_ambiguous') return { disposition: 'clarify', hint, candidates: verdict.candidates }
  return { disposition: 'no_match', reason: verdict.rejected, hint }
}

function swappedError(suggestion: string): ApiError {
  return new ApiError(
    'coordinates_swapped',
    `This coordinate has its longitude first. Latitude comes first: did you mean ${suggestion}?`,
    { suggestion },
  )
}
