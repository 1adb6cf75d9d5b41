import type { Point } from '../model/place.ts'

const rad = Math.PI / 180
const equatorialRadius_m = 6_378_137
const eccentricity2 = 0.00669437999014
const meanRadius_m = 6_371_008.8

/** The length of a degree of latitude on a sphere, rounded to a meter. */
export const metersPerDegree = 111_195

/** Earth-centered coordinates in meters, on the surface of the WGS 84 ellipsoid. They have no antimeridian. */
export type Xyz = { x: number; y: number; z: number }

/** Converts a point to earth-centered coordinates. */
export function xyzOf({ lat, lng }: Point): Xyz {
  const sinLat = Math.sin(lat * rad)
  const cosLat = Math.cos(lat * rad)
  const normal_m = equatorialRadius_m / Math.sqrt(1 - eccentricity2 * sinLat * sinLat)
  return {
    x: normal_m * cosLat * Math.cos(lng * rad),
    y: normal_m * cosLat * Math.sin(lng * rad),
    z: normal_m * (1 - eccentricity2) * sinLat,
  }
}

/** Converts a chord through the earth to a length along the surface. Within 0.02 % of the geodesic up to 5,000 km. */
export function chordToArc_m(chord_m: number): number {
  return 2 * meanRadius_m * Math.asin(Math.min(1, chord_m / (2 * meanRadius_m)))
}

/** Converts a length along the surface to a chord. Infinity stays Infinity. */
export function arcToChord_m(arc_m: number): number {
  return arc_m >= Math.PI * meanRadius_m ? Infinity : 2 * meanRadius_m * Math.sin(arc_m / (2 * meanRadius_m))
}

/**
 * The distance between two points along the ellipsoid, in meters. Within 0.02 % of the geodesic up to 5,000 km, and
 * more exact nearby.
 */
export function distanceBetween_m(a: Point, b: Point): number {
  const p = xyzOf(a)
  const q = xyzOf(b)
  return chordToArc_m(Math.hypot(p.x - q.x, p.y - q.y, p.z - q.z))
}

/** The squared distance from `p` to the segment from `a` to `b`, in square meters. */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
export function segmentDistance2(
  p: Xyz,
  ax: number,
  ay: number,
  az: number,
  bx: number,
  by: number,
  bz: number,
): number {
  const ux = bx - ax
  const uy = by - ay
  const uz = bz - az
  const length2 = ux * ux + uy * uy + uz * uz
  const along = length2 === 0 ? 0 : ((p.x - ax) * ux + (p.y - ay) * uy + (p.z - az) * uz) / length2
  const t = Math.min(1, Math.max(0, along))
  const dx = p.x - ax - t * ux
  const dy = p.y - ay - t * uy
  const dz = p.z - az - t * uz
  return dx * dx + dy * dy + dz * dz
}
