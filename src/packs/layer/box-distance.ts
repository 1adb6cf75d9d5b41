import type { Point } from '../../model/place.ts'
import type { Extent } from '../../model/area.ts'

/** The box at `boxes[i]` (west, east, south, north). */
export function boxAt(boxes: Float64Array, i: number): Extent {
  return { west: boxes[i]!, east: boxes[i + 1]!, south: boxes[i + 2]!, north: boxes[i + 3]! }
}

/**
 * Shortest length of one degree of arc anywhere on the ellipsoid, with a margin for the error of our distance
 * formula.
 */
const minMetersPerDegree = 6_335_439 * 0.995 * (Math.PI / 180)
/** Longest length of one degree of arc, with the same margin. */
const maxMetersPerDegree = 6_399_594 * 1.005 * (Math.PI / 180)
const radiansPerDegree = Math.PI / 180

/**
 * A close lower bound of the distance in meters from the point to the box at `boxes[i]` (west, east, south, north); 0
 * inside the box.
 */
export function boxMinDistance_m({ lat, lng }: Point, boxes: Float64Array, i: number): number {
  const west = boxes[i]!
  const east = boxes[i + 1]!
  const south = boxes[i + 2]!
  const north = boxes[i + 3]!
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

/**
 * An upper bound of the distance in meters to any place in the box; Infinity if the box reaches a degree or more
 * away.
 */
export function boxMaxDistance_m({ lat, lng }: Point, boxes: Float64Array, i: number): number {
  const west = boxes[i]!
  const east = boxes[i + 1]!
  const south = boxes[i + 2]!
  const north = boxes[i + 3]!
  const deltaLng = Math.max(Math.abs(lng - west), Math.abs(lng - east))
  const deltaLat = Math.max(Math.abs(lat - south), Math.abs(lat - north))
  if (!(deltaLng < 1 && deltaLat < 1)) return Infinity
  const widest = Math.cos(Math.max(0, Math.abs(lat) - deltaLat) * radiansPerDegree)
  return Math.hypot(deltaLat, deltaLng * widest) * maxMetersPerDegree
}

/** The latitude of the place on a meridian that is nearest to a point `deltaLng` degrees away. */
function closestLatitude(lat: number, deltaLng: number): number {
  return Math.atan(Math.tan(lat * radiansPerDegree) / Math.cos(deltaLng * radiansPerDegree)) / radiansPerDegree
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}

/** The arc between two places, in degrees. */
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
