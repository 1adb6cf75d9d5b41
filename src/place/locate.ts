import { envelope, insideUs, regionOf } from '../geo/us.ts'
import { ApiError } from '../model/error.ts'
import type { Place, Point, Region } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import type { HeldLayer } from '../packs/held-layer.ts'

/** A location as it comes in: a coordinate or an address. */
export type LocationInput = { lat?: number | undefined; lng?: number | undefined; address?: string | undefined }

/** From a location to a place, or an ApiError that says why not. */
export type Locate = (location: LocationInput, budget: Budget) => Promise<Place>

/** `counties`: the embedded counties, by whose state the region of a point is known. */
export function openLocate(counties: () => HeldLayer): Locate {
  return async ({ lat, lng, address }) => {
    if (address !== undefined && (lat !== undefined || lng !== undefined)) {
      throw new ApiError('location_conflict', 'Give either a coordinate (lat and lng) or an address, not both.')
    }
    if (address !== undefined) {
      throw new ApiError('geocode_unavailable', 'This server has no geocoder yet: give lat and lng.', { providers: [], retry_after_s: noGeocoder_s })
    }
    // + 0 turns -0 into 0.
    const at = { lat: lat! + 0, lng: lng! + 0 }
    if (!insideUs(at)) throw outOfBounds(at)
    return { ...at, source: 'coordinate', region: regionAt(at) }
  }

  function regionAt(at: Point): Region | null {
    const [county] = counties().near({ at, radius_m: 0, limit: 1 })
    return county ? regionOf(String(county.properties.STUSPS)) : null
  }
}

const noGeocoder_s = 86_400

function outOfBounds({ lat, lng }: Point): ApiError {
  const swapped = insideUs({ lat: lng, lng: lat }) ? ' The two look swapped: latitude comes first.' : ''
  return new ApiError('coord_out_of_bounds', `${lat}, ${lng} is outside the United States and its territories.${swapped}`, { lat, lng, envelope })
}
