/** The jurisdictions, hazards and market of one place, in one answer; and distances between places. */
import { Type, type Static } from '@sinclair/typebox'
import { fetchMax_ms, type FetchContext } from '../fetch/fetch.ts'
import { ApiError } from '../model/error.ts'
import type { Place } from '../model/place.ts'
import { literals, nullable, Time } from '../model/schema.ts'
import type { Budget } from '../model/source.ts'
import {
  rejectionHints,
  matchMethodOf,
  parcelAccuracies,
  GeocodeCandidate,
  type AcceptedMatch,
  type GeocodeRejection,
} from '../place/geocode-outcome.ts'
import { formatTimestamp, joinLines } from '../model/text.ts'
import { fetchPlaceContext, placeContextMembers } from './place-context.ts'
import { otherCountyWarning, parcelAt, Parcel, ParcelUnavailableReason } from '../fetch/parcel/parcel.ts'

/** `input` is an address, a coordinate as text, or a parcel number. A call for the parcel may be billed. */
export type LookupRequest = { input: string; include_parcel: boolean }

const ResolvedLocation = Type.Object({
  lat: Type.Number(),
  lng: Type.Number(),
  source: literals(['coordinate', 'address']),
})
const matchMembers = {
  lat: Type.Number(),
  lng: Type.Number(),
  resolved_address: nullable('string'),
  match_method: Type.String({ description: '`coordinate`, or `geocode_` followed by the accuracy type.' }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  fetched_at: Time,
  resolved_location: ResolvedLocation,
}
const parcelMembers = {
  parcel_unavailable: Type.Boolean(),
  parcel_unavailable_reason: Type.Union([Type.Null(), ParcelUnavailableReason]),
  parcel: Type.Union([Type.Null(), Parcel]),
}

const Clarify = Type.Object({
  disposition: Type.Literal('clarify'),
  fetched_at: Time,
  hint: Type.String(),
  candidates: Type.Array(GeocodeCandidate, { minItems: 2, maxItems: 5 }),
})
const NoMatch = Type.Object({
  disposition: Type.Literal('no_match'),
  fetched_at: Time,
  reason: literals([
    'apn_not_supported_in_v1',
    'address_not_found',
    'wrong_locality',
    'address_too_coarse',
    'address_outside_us',
    'address_form_unsupported',
  ]),
  hint: Type.String(),
  candidates: Type.Optional(
    Type.Array(GeocodeCandidate, {
      description:
        'With address_not_found, the matches with a low score; with wrong_locality, those in another town, if there are any. With address_too_coarse, the addresses with the nearest house numbers, or the towns, ZIP codes, counties, airports or tide stations that the text names.',
    }),
  ),
})
const Resolved = Type.Object({
  disposition: Type.Literal('resolved'),
  ...matchMembers,
  warnings: Type.Array(Type.String(), { description: 'Differences between the match and the request.' }),
  ...parcelMembers,
  ...placeContextMembers,
})

/** The response of POST /v1/lookup. */
export const LookupAnswer = Type.Union([Resolved, Clarify, NoMatch])
export type LookupAnswer = Static<typeof LookupAnswer>
type Clarify = Static<typeof Clarify>
type NoMatch = Static<typeof NoMatch>
type Resolved = Static<typeof Resolved>
type Match = Pick<Resolved, keyof typeof matchMembers>
type ParcelPart = Pick<Resolved, keyof typeof parcelMembers>

/**
 * Waits for admission and looks a text up. A text without a match is an answer.
 * @throws {ApiError} `resolve_coord_bounds` for a coordinate with longitude first, `resolve_invalid_input` for a text of no
 * known form, `resolve_timeout` if the geocoders are too slow.
 */
export function lookUpLocation(
  { input, include_parcel }: LookupRequest,
  { signal }: Budget,
  context: FetchContext,
): Promise<LookupAnswer> {
  const budget = { signal, until_ms: performance.now() + fetchMax_ms }
  return context.admission.run(async () => {
    const match = await findMatch(input, budget, context)
    if ('disposition' in match) return withTime(match, context.now())
    const { place, parcelReason, warnings, ...rest } = match
    const [placeContext, parcel] = await Promise.all([
      fetchPlaceContext(place, budget, context),
      include_parcel ? (parcelReason ?? parcelAt(place, context, budget)) : 'not_requested',
    ])
    const warning = otherCountyWarning(parcel, placeContext.county_fips)
    return {
      disposition: 'resolved',
      lat: place.lat,
      lng: place.lng,
      fetched_at: formatTimestamp(context.now()),
      resolved_location: { lat: place.lat, lng: place.lng, source: place.source },
      ...rest,
      warnings: warning === null ? warnings : [...warnings, warning],
      ...parcelPartOf(warning === null ? parcel : 'no_parcel_at_point'),
      ...placeContext,
    }
  }, budget)
}

/** The match of a text. `parcelReason` says why its parcel cannot be read, whatever the request asks for. */
type PlaceMatch = Omit<Match, 'lat' | 'lng' | 'fetched_at' | 'resolved_location'> & {
  place: Place
  parcelReason: ParcelUnavailableReason | null
  warnings: string[]
}

/** The answer for a text without one certain match, before its time. */
type Unresolved = Omit<Clarify, 'fetched_at'> | Omit<NoMatch, 'fetched_at'>

function withTime({ disposition, ...rest }: Unresolved, now: Date): Clarify | NoMatch {
  return { disposition, fetched_at: formatTimestamp(now), ...rest } as Clarify | NoMatch
}

async function findMatch(
  input: string,
  budget: Budget,
  { classify, geocode, placeAt }: Pick<FetchContext, 'classify' | 'geocode' | 'placeAt'>,
): Promise<PlaceMatch | Unresolved> {
  const classified = classify(joinLines(input.normalize('NFC').trim()))
  if (classified.kind === 'swapped') throw swappedError(classified.suggestion)
  if (classified.kind === 'parcel')
    return {
      disposition: 'no_match',
      reason: 'apn_not_supported_in_v1',
      hint: 'A parcel number is unique only within its county. Give the address or the coordinate of the parcel.',
    }
  if (classified.kind === 'coordinates') {
    const place = placeAt(classified)
    return {
      place,
      resolved_address: null,
      match_method: 'coordinate',
      confidence: 1,
      parcelReason: null,
      warnings: [],
    }
  }
  const { outcome } = await geocode(input, budget).catch((error: unknown) => {
    throw lookupErrorOf(error)
  })
  if ('rejected' in outcome) return unresolvedAnswer(outcome, input)
  return addressMatchOf(outcome, { ...placeAt({ lat: outcome.lat, lng: outcome.lng }), source: 'address' })
}

function addressMatchOf(
  { accuracy_type, accuracy, normalized_address, warnings }: AcceptedMatch,
  place: Place,
): PlaceMatch {
  return {
    place,
    resolved_address: normalized_address,
    match_method: matchMethodOf(accuracy_type),
    confidence: accuracy,
    parcelReason: parcelAccuracies.has(accuracy_type) ? null : 'coarse_geocode',
    warnings,
  }
}

function parcelPartOf(parcel: Parcel | ParcelUnavailableReason): ParcelPart {
  if (typeof parcel === 'string') return { parcel_unavailable: true, parcel_unavailable_reason: parcel, parcel: null }
  return { parcel_unavailable: false, parcel_unavailable_reason: null, parcel }
}

/** @throws {ApiError} `resolve_invalid_input` for a text that has no number and names no place. */
function unresolvedAnswer(rejection: GeocodeRejection, input: string): Unresolved {
  const hint = rejectionHints[rejection.rejected]
  if (rejection.rejected === 'address_ambiguous')
    return { disposition: 'clarify', hint, candidates: rejection.candidates }
  const { candidates, difference } = rejection as { candidates?: GeocodeCandidate[]; difference?: string }
  if ('matched_level' in rejection && rejection.matched_level === 'none' && !candidates && !/\d/.test(input))
    throw new ApiError(
      'resolve_invalid_input',
      'The text is not an address, a coordinate or a parcel number. Send an address such as "1600 Pennsylvania Avenue NW, Washington, DC", or a coordinate with the latitude first.',
    )
  return {
    disposition: 'no_match',
    reason: rejection.rejected,
    hint: difference === undefined ? hint : `${difference} ${hint}`,
    ...(candidates && { candidates }),
  }
}

function swappedError(suggestion: string): ApiError {
  return new ApiError(
    'resolve_coord_bounds',
    `The longitude comes first in this coordinate. Put the latitude first. Did you mean ${suggestion}?`,
    { suggestion },
  )
}

/** The error of a lookup whose geocoders were too slow has its own code. */
function lookupErrorOf(error: unknown): unknown {
  return error instanceof ApiError && error.code === 'geocode_timeout'
    ? new ApiError('resolve_timeout', error.message, error.context, { cause: error })
    : error
}
