import type { Point } from '../../src/model/place.ts'

/**
 * The places with simulated data. The data are synthetic, in the formats and terms of the real services, and marked as
 * such.
 */
export const testPlaces = {
  boulder: { lat: 40.015, lng: -105.2705 },
  miami_beach: { lat: 25.7907, lng: -80.13 },
  new_orleans: { lat: 29.9511, lng: -90.0715 },
  kansas: { lat: 39.28, lng: -97.07 },
  manhattan: { lat: 40.7484, lng: -73.9857 },
  paradise: { lat: 39.7596, lng: -121.6219 },
  anchorage: { lat: 61.2181, lng: -149.9003 },
  san_juan: { lat: 18.4655, lng: -66.1057 },
} as const satisfies Record<string, Point>
export type PlaceName = keyof typeof testPlaces
