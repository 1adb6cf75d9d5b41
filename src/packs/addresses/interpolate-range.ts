import type { RangeRow } from './address-pack.ts'
import { decodeLine } from './address-pack-schema.ts'
import { metersPerDegree } from '../../geo/ecef.ts'
import type { Point } from '../../model/place.ts'

/**
 * Interpolates the position of a house number along its range, offset to its side of the street. Null if the number is
 * outside the range or has the other parity.
 */
export function interpolateRange({ low, high, parity, side, is_falling, line }: RangeRow, num: number): Point | null {
  if (num < low || num > high || !matchesParity(parity, num)) return null
  const fraction = high === low ? 0.5 : (num - low) / (high - low)
  return pointBeside(decodeLine(line), is_falling ? 1 - fraction : fraction, side === 'L' ? -offset_m : offset_m)
}

/** Whether a number is on the side with this parity. */
function matchesParity(parity: string, num: number): boolean {
  return parity === 'B' || (parity === 'O') === (num % 2 === 1)
}

/** The assumed distance of a house from the center line. */
const offset_m = 10
const radiansPerDegree = Math.PI / 180

/** The point at a fraction of a line's length, offset to its right (to its left if `right_m` is negative). */
function pointBeside(path: readonly (readonly [number, number])[], fraction: number, right_m: number): Point | null {
  const [start] = path
  if (!start) return null
  const metersPerLngDegree = metersPerDegree * Math.cos(start[1] * radiansPerDegree)
  const segments = path.slice(1).map(([lng, lat], i) => ({
    from: path[i]!,
    east_m: (lng - path[i]![0]) * metersPerLngDegree,
    north_m: (lat - path[i]![1]) * metersPerDegree,
  }))
  const lengths = segments.map(({ east_m, north_m }) => Math.hypot(east_m, north_m))
  const total_m = lengths.reduce((sum, length_m) => sum + length_m, 0)
  if (total_m === 0) return { lat: start[1], lng: start[0] }
  let remaining_m = fraction * total_m
  let i = 0
  while (i < segments.length - 1 && (remaining_m > lengths[i]! || lengths[i] === 0)) remaining_m -= lengths[i++]!
  const { from, east_m, north_m } = segments[i]!
  const length_m = lengths[i]! || 1
  const along = Math.min(1, remaining_m / length_m)
  return {
    lat: from[1] + (along * north_m - (right_m * east_m) / length_m) / metersPerDegree,
    lng: from[0] + (along * east_m + (right_m * north_m) / length_m) / metersPerLngDegree,
  }
}
