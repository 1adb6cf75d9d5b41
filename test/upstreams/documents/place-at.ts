import type { Point } from '../../../src/model/place.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'

/**
 * Returns the place within about 30 km of a point, whose synthetic data apply, or `null` where publishers have no data.
 */
export function testPlaceAt(at: Point): PlaceName | null {
  const names = Object.keys(testPlaces) as PlaceName[]
  return names.find((name) => distance_km(at, testPlaces[name]) < 30) ?? null
}

/** Returns the approximate distance of two points. */
export function distance_km(a: Point, b: Point): number {
  return 111.2 * Math.hypot(a.lat - b.lat, (a.lng - b.lng) * Math.cos((a.lat * Math.PI) / 180))
}

/** Returns the region of a point by rough boxes. */
export function regionAt({ lat, lng }: Point): 'CONUS' | 'AK' | 'HI' | 'PR' | null {
  if (lat > 24 && lat < 50 && lng > -125 && lng < -66) return 'CONUS'
  if (lat > 51 && lat < 72 && lng < -129) return 'AK'
  if (lat > 18 && lat < 23 && lng > -161 && lng < -154) return 'HI'
  return lat > 17.8 && lat < 18.6 && lng > -67.5 && lng < -65 ? 'PR' : null
}
