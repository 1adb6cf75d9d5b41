/**
 * Turns a text into a point: coordinates in many notations, addresses with local and remote geocoders, towns and ZIP
 * codes. An address that fits no house, or several, is refused with candidates.
 */
import { usEnvelope, insideUs, regionOf } from '../geo/us.ts'
import { ApiError } from '../model/error.ts'
import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Place, Point, Region } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/text.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { MemoryLayer } from '../packs/embedded/memory-layer.ts'
import { coordinateMistakeOf, outsideUsMessage } from './coordinate-mistakes.ts'
import type { Geocode } from './geocode.ts'
import {
  geocodeSummaryOf,
  rejectionError,
  type AcceptedMatch,
  type GeocodeAnswer,
  type Geocoded,
  type GeocodeSummary,
} from './geocode-outcome.ts'

/** A requested location: a coordinate or an address. */
export type LocationInput = { lat?: number | undefined; lng?: number | undefined; address?: string | undefined }

/** A place, with the geocode details if it came from an address. */
export type LocatedPlace = Place & { geocode?: GeocodeSummary }

/** Resolves a location to a place. Throws an ApiError if it cannot. */
export type Locate = (location: LocationInput, budget: Budget) => MaybePromise<LocatedPlace>

/**
 * Creates a `Locate` per account, which records addresses under that account. The embedded counties give the region of
 * a point.
 */
export function createLocate(
  { layer, prepare }: Pick<EmbeddedData, 'layer' | 'prepare'>,
  geocode: Geocode,
): (account: string) => Locate {
  const counties = () => layer('counties')
  let searchRegion: RegionSearch | null = null
  const regionAt: RegionSearch = (lat, lng) => (searchRegion ??= createRegionSearch(counties()))(lat, lng)
  return (account) => (location, budget) => {
    const loading = prepare('counties', { radius_m: 0 })
    return loading ? loading.then(() => locate(location, account, budget)) : locate(location, account, budget)
  }

  function locate({ lat, lng, address }: LocationInput, account: string, budget: Budget): MaybePromise<LocatedPlace> {
    if (address !== undefined && (lat !== undefined || lng !== undefined)) {
      throw new ApiError(
        'invalid_locator',
        'The location has both a coordinate and an address. Send lat and lng, or address.',
      )
    }
    if (address !== undefined) {
      return geocodeOrThrow(geocode, address, account, budget).then(({ lat, lng, ...echo }) => ({
        lat,
        lng,
        source: 'address',
        region: regionAt(lat, lng),
        geocode: geocodeSummaryOf(echo),
      }))
    }
    if (lat === undefined || lng === undefined)
      throw new ApiError('invalid_locator', 'The location is missing. Send lat and lng, or address.')
    return placeIn(regionAt, { lat, lng })
  }
}

/** Answers an address for an account. @throws {ApiError} of the rejection if there is no match. */
export async function answerGeocode(
  { geocode, now }: { geocode: Geocode; now: () => Date },
  { address, account }: { address: string; account: string },
  budget: Budget,
): Promise<GeocodeAnswer> {
  const { lat, lng, ...rest } = await geocodeOrThrow(geocode, address, account, budget)
  return { lat, lng, fetched_at: formatTimestamp(now()), ...rest }
}

/** @throws {ApiError} of the rejection if there is no match. */
async function geocodeOrThrow(geocode: Geocode, address: string, account: string, budget: Budget): Promise<Geocoded> {
  const { outcome, cached } = await geocode(address, account, budget)
  if ('rejected' in outcome) throw rejectionError(outcome, cached)
  return geocodedOf(outcome, cached)
}

/** The place of a coordinate. Throws `coord_out_of_bounds` outside the US envelope. */
export function placeAt(counties: () => MemoryLayer, at: Point): Place {
  return placeIn((lat, lng) => createRegionSearch(counties())(lat, lng), at)
}

function placeIn(regionAt: RegionSearch, { lat, lng }: Point): Place {
  // + 0 turns -0 into 0.
  const at = { lat: lat + 0, lng: lng + 0 }
  requireInsideUs(at)
  return { lat: at.lat, lng: at.lng, source: 'coordinate', region: regionAt(at.lat, at.lng) }
}

/** @throws {ApiError} `coord_out_of_bounds` outside the US envelope. */
export function requireInsideUs(at: Point): void {
  if (!insideUs(at)) throw outOfBoundsError(at)
}

/** Returns the region of a point; null outside the counties. */
type RegionSearch = (lat: number, lng: number) => Region | null

/** Creates a function that returns the region of a point without creating objects. */
export function createRegionSearch(counties: MemoryLayer): RegionSearch {
  const search = counties.rowSearch({ radius_m: 0, limit: 1 })
  const regions: Region[] = []
  return (lat, lng) => {
    const row = search.find(lat, lng)
    return row < 0 ? null : (regions[row] ??= regionOf(String(counties.valueAt(row, 'STUSPS'))))
  }
}

/** Returns an accepted match with where it comes from. */
export function geocodedOf({ warnings, ...found }: AcceptedMatch, cached: boolean): Geocoded {
  return { ...found, source: cached ? 'cache' : found.provider, cached, warnings }
}

export function outOfBoundsError({ lat, lng }: Point): ApiError {
  const mistake = coordinateMistakeOf({ lat, lng })
  return new ApiError('coord_out_of_bounds', outsideUsMessage({ lat, lng }), {
    lat,
    lng,
    envelope: usEnvelope,
    ...(mistake?.suggestion && { suggestion: mistake.suggestion }),
  })
}
