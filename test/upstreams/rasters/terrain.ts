import type { Point } from '../../../src/model/place.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { testPlaceAt } from '../documents/place-at.ts'

// Synthetic: round each place the ground is a plane, so that elevation, slope and aspect are known in closed form.

/** The plane of a place: metres at the place, and metres of rise for each degree eastward and northward. */
export type TerrainPlane = { z: number; east: number; north: number }

export const planes: Record<PlaceName, TerrainPlane> = {
  boulder: { z: 1_655, east: -8_000, north: 6_000 },
  miami_beach: { z: 1.2, east: -20, north: 10 },
  new_orleans: { z: -0.6, east: 0, north: -40 },
  kansas: { z: 398.5, east: 1_200, north: 0 },
  manhattan: { z: 16, east: 0, north: 900 },
  paradise: { z: 530, east: 9_000, north: 9_000 },
  anchorage: { z: 31, east: 2_500, north: -500 },
  san_juan: { z: 12, east: 0, north: -3_000 },
}

/** The elevation in metres; `null` far from every place. */
export function elevationAt(at: Point): number | null {
  const name = testPlaceAt(at)
  return name ? planeAt(name, at) : null
}

/** The elevation on the plane of one place, wherever the point is. */
export function planeAt(name: PlaceName, { lat, lng }: Point): number {
  const { z, east, north } = planes[name]
  return z + east * (lng - testPlaces[name].lng) + north * (lat - testPlaces[name].lat)
}
