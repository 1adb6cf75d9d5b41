import type { Point } from '../model/place.ts'

const earth_m = 6_371_008.8
const ringSegments = 96

/** Returns the circle of points at a distance from a point, counterclockwise and closed. */
export function circleAround(at: Point, radius_m: number, segments = ringSegments): Point[] {
  return Array.from({ length: segments + 1 }, (_, i) => destination(at, radiansOf(-(i / segments) * 360), radius_m))
}

/**
 * Returns the point at a distance and bearing in radians (clockwise from north) on a sphere, which is accurate enough
 * for a map.
 */
export function destination({ lat, lng }: Point, bearing: number, distance_m: number): Point {
  const [angle, phi] = [distance_m / earth_m, radiansOf(lat)]
  const there_lat = Math.asin(Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing))
  const turned_lng = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(phi),
    Math.cos(angle) - Math.sin(phi) * Math.sin(there_lat),
  )
  return { lat: (there_lat * 180) / Math.PI, lng: lng + (turned_lng * 180) / Math.PI }
}

function radiansOf(degrees: number): number {
  return (degrees * Math.PI) / 180
}
