import { fetchMax_ms, type Counter } from '../fetch/batch.ts'
import { ApiError } from '../model/error.ts'
import type { Place } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import type { AddressKind } from '../place/address-kind.ts'
import type { Geocoded } from '../place/geocode.ts'
import { hints, methodOf, parcelGrades, type Candidate, type Found, type Refused } from '../place/verdict.ts'
import { contextOf, type Context } from './context.ts'
import { parcelAt, type Parcel, type UnavailableReason } from './parcel.ts'

/** What is looked up: an address, a coordinate as text, or a parcel number; and whether the parcel is wanted, which may be billed. */
export type LookupRequest = { input: string; include_parcel: boolean }

/** How a text came out. */
export type LookupAnswer = Resolved | Clarify | NoMatch
type Clarify = { disposition: 'clarify'; hint: string; candidates: Candidate[] }
type NoMatch = { disposition: 'no_match'; reason: Exclude<Refused['refused'], 'address_ambiguous'> | 'apn_not_supported_in_v1'; hint: string }
type Resolved = { disposition: 'resolved' } & Match & { warnings: string[] } & ParcelPart & Context
type Match = { lat: number; lng: number; resolved_address: string | null; match_method: string; confidence: number }
type ParcelPart = { parcel_unavailable: boolean; parcel_unavailable_reason: UnavailableReason | null; parcel: Parcel | null }

/** What looking up takes beside the counter: what a text is, the geocoder for who asks, and the place of a coordinate. */
export type Reference = Counter & { kindOf: (text: string) => AddressKind; geocode: (address: string, budget: Budget) => Promise<Geocoded>; placeAt: (at: { lat: number; lng: number }) => Place }

/** Looks a text up, through the gate. A coordinate in the wrong order is an error; a text that cannot be placed is an answer. */
export function lookup({ input, include_parcel }: LookupRequest, { signal }: Budget, reference: Reference): Promise<LookupAnswer> {
  const budget = { signal, until_ms: performance.now() + fetchMax_ms }
  return reference.gate.through(async () => {
    const it = reference.kindOf(input.normalize('NFC').trim())
    if (it.kind === 'swapped') throw swapped(it.suggestion)
    if (it.kind === 'parcel') return { disposition: 'no_match', reason: 'apn_not_supported_in_v1', hint: 'A parcel number is unique only inside its county: give the address or the coordinate of the parcel.' }
    if (it.kind === 'coordinates') {
      const place = reference.placeAt(it)
      return resolved(place, { resolved_address: null, match_method: 'coordinate', confidence: 1 }, include_parcel, budget)
    }
    const { verdict } = await reference.geocode(input, budget)
    return 'refused' in verdict ? refused(verdict) : found(verdict, include_parcel, budget)
  }, budget)

  function found({ lat, lng, accuracy_type, accuracy_score, normalized_address, warnings }: Found, wantsParcel: boolean, within: Budget) {
    const place: Place = { ...reference.placeAt({ lat, lng }), source: 'address' }
    const match = { resolved_address: normalized_address, match_method: methodOf(accuracy_type), confidence: accuracy_score, warnings }
    return resolved(place, match, wantsParcel, within, parcelGrades.has(accuracy_type) ? undefined : 'coarse_geocode')
  }

  async function resolved(place: Place, { warnings = [], ...match }: Omit<Match, 'lat' | 'lng'> & { warnings?: string[] }, wantsParcel: boolean, within: Budget, coarse?: UnavailableReason): Promise<Resolved> {
    const [context, parcel] = await Promise.all([
      contextOf(place, within, reference),
      wantsParcel ? (coarse ?? parcelAt(place, reference, within)) : 'not_requested',
    ])
    return { disposition: 'resolved', lat: place.lat, lng: place.lng, ...match, warnings, ...partOf(parcel), ...context }
  }
}

function partOf(parcel: Parcel | UnavailableReason): ParcelPart {
  if (typeof parcel === 'string') return { parcel_unavailable: true, parcel_unavailable_reason: parcel, parcel: null }
  return { parcel_unavailable: false, parcel_unavailable_reason: null, parcel }
}

function refused(verdict: Refused): Clarify | NoMatch {
  const hint = hints[verdict.refused]
  if (verdict.refused === 'address_ambiguous') return { disposition: 'clarify', hint, candidates: verdict.candidates }
  return { disposition: 'no_match', reason: verdict.refused, hint }
}

function swapped(suggestion: string): ApiError {
  return new ApiError('coordinates_swapped', `This coordinate has its longitude first. Latitude comes first: did you mean ${suggestion}?`, { suggestion })
}
