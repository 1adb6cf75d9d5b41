import type { Point } from '../model/place.ts'

/** A box in degrees. `east` may be beyond 180, or `west` before -180, where it lies across the antimeridian. */
export type Box = { west: number; east: number; south: number; north: number }

/** Shortest metres that a degree of arc is anywhere on the ellipsoid, with room for what our measure of distances is off. */
const metresOfDegree = 6_335_439 * 0.995 * (Math.PI / 180)
/** Likewise the longest. */
const mostMetresOfDegree = 6_399_594 * 1.005 * (Math.PI / 180)
const radians = Math.PI / 180

/** Metres that any place of the box is at least away from the point; 0 inside. Never more than the distance, nor much less. */
export function bound_m({ lat, lng }: Point, west: number, east: number, south: number, north: number): number {
  const turn = lng - (west + east) / 2 + 540
  const sideways = Math.max(0, Math.abs(turn - 360 * Math.floor(turn / 360) - 180) - (east - west) / 2)
  const upward = lat < south ? south - lat : lat > north ? lat - north : 0
  if (sideways === 0) return upward * metresOfDegree
  if (sideways < 1 && upward < 1) {
    const narrowest = Math.cos(Math.min(90, Math.max(Math.abs(lat), Math.abs(lat + (lat < south ? upward : -upward))) + 0.01) * radians)
    return Math.sqrt(upward * upward + sideways * sideways * narrowest * narrowest) * metresOfDegree
  }
  return sideways < 90 ? angle(lat, clamped(vertexOf(lat, sideways), south, north), sideways) * metresOfDegree : Math.min(angle(lat, south, sideways), angle(lat, north, sideways)) * metresOfDegree
}

/** Metres that no place of the box is farther away than; Infinity for a box that reaches a degree or more. */
export function farthest_m({ lat, lng }: Point, west: number, east: number, south: number, north: number): number {
  const sideways = Math.max(Math.abs(lng - west), Math.abs(lng - east))
  const upward = Math.max(Math.abs(lat - south), Math.abs(lat - north))
  if (!(sideways < 1 && upward < 1)) return Infinity
  const widest = Math.cos(Math.max(0, Math.abs(lat) - upward) * radians)
  return Math.hypot(upward, sideways * widest) * mostMetresOfDegree
}

/** The latitude at which a meridian is nearest to a point that lies `sideways` degrees from it. */
function vertexOf(lat: number, sideways: number): number {
  return Math.atan(Math.tan(lat * radians) / Math.cos(sideways * radians)) / radians
}

function clamped(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

/** Degrees of arc between two places. */
function angle(lat: number, otherLat: number, sideways: number): number {
  const up = Math.sin(((otherLat - lat) / 2) * radians)
  const side = Math.sin((sideways / 2) * radians)
  return (2 * Math.asin(Math.min(1, Math.sqrt(up * up + Math.cos(lat * radians) * Math.cos(otherLat * radians) * side * side)))) / radians
}
