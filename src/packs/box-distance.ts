import type { Point } from '../model/place.ts'

/** A box in degrees. `east` may be beyond 180, or `west` before -180, where it lies across the antimeridian. */
export type DegreeBox = { west: number; east: number; south: number; north: number }

/** Shortest metres that a degree of arc is anywhere on the ellipsoid, with room for what our measure of distances is off. */
const minMetersPerDegree = 6_335_439 * 0.995 * (Math.PI / 180)
/** Likewise the longest. */
const maxMetersPerDegree = 6_399_594 * 1.005 * (Math.PI / 180)
const radiansPerDegree = Math.PI / 180

/** Metres that any place of the box is at least away from the point; 0 inside. Never more than the distance, nor much less. */
export function boxMinDistance_m(
  { lat, lng }: Point,
  west: number,
  east: number,
  south: number,
  north: number,
): number {
  const shiftedLng = lng - (west + east) / 2 + 540
  const deltaLng = Math.max(0, Math.abs(shiftedLng - 360 * Math.floor(shiftedLng / 360) - 180) - (east - west) / 2)
  const deltaLat = lat < south ? south - lat : lat > north ? lat - north : 0
  if (deltaLng === 0) return deltaLat * minMetersPerDegree
  if (deltaLng < 1 && deltaLat < 1) {
    const narrowest = Math.cos(
      Math.min(90, Math.max(Math.abs(lat), Math.abs(lat + (lat < south ? deltaLat : -deltaLat))) + 0.01) *
        radiansPerDegree,
    )
    return Math.sqrt(deltaLat * deltaLat + deltaLng * deltaLng * narrowest * narrowest) * minMetersPerDegree
  }
  return deltaLng < 90
    ? arcDegrees(lat, clamp(closestLatitude(lat, deltaLng), south, north), deltaLng) * minMetersPerDegree
    : Math.min(arcDegrees(lat, south, deltaLng), arcDegrees(lat, north, deltaLng)) * minMetersPerDegree
}

/** Metres that no place of the box is farther away than; Infinity for a box that reaches a degree or more. */
export function boxMaxDistance_m(
  { lat, lng }: Point,
  west: number,
  east: number,
  south: number,
  north: number,
): number {
  const deltaLng = Math.max(Math.abs(lng - west), Math.abs(lng - east))
  const deltaLat = Math.max(Math.abs(lat - south), Math.abs(lat - north))
  if (!(deltaLng < 1 && deltaLat < 1)) return Infinity
  const widest = Math.cos(Math.max(0, Math.abs(lat) - deltaLat) * radiansPerDegree)
  return Math.hypot(deltaLat, deltaLng * widest) * maxMetersPerDegree
}

/** The latitude at which a meridian is nearest to a point that lies `deltaLng` degrees from it. */
function closestLatitude(lat: number, deltaLng: number): number {
  return Math.atan(Math.tan(lat * radiansPerDegree) / Math.cos(deltaLng * radiansPerDegree)) / radiansPerDegree
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}

/** Degrees of arc between two places. */
function arcDegrees(lat: number, otherLat: number, deltaLng: number): number {
  const up = Math.sin(((otherLat - lat) / 2) * radiansPerDegree)
  const side = Math.sin((deltaLng / 2) * radiansPerDegree)
  return (
    (2 *
      Math.asin(
        Math.min(
          1,
          Math.sqrt(up * up + Math.cos(lat * radiansPerDegree) * Math.cos(otherLat * radiansPerDegree) * side * side),
        ),
      )) /
    radiansPerDegree
  )
}
