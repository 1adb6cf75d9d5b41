import type { RangeRow } from './addresses-file.ts'
import { lineOfBlob } from './addresses-schema.ts'
import type { Point } from '../model/place.ts'

/**
 * Where a number lies on its range: by its share of the numbers, along the line, to the side of the street that it is on.
 * Null beyond the range, and on the side of the other parity.
 */
export function interpolated({ low, high, parity, side, is_falling, line }: RangeRow, num: number): Point | null {
  if (num < low || num > high || !fits(parity, num)) return null
  const share = high === low ? 0.5 : (num - low) / (high - low)
  return beside(lineOfBlob(line), is_falling ? 1 - share : share, side === 'L' ? -offset_m : offset_m)
}

/** Whether a number belongs to a side: odd, even or both. */
function fits(parity: string, num: number): boolean {
  return parity === 'B' || (parity === 'O') === (num % 2 === 1)
}

/** How far from the middle of the street a house is taken to be. */
const offset_m = 10
const metresOfDegree = 111_195
const radians = Math.PI / 180

/** The place at a share of a line's length, some metres to its right (negative: to its left). */
function beside(path: readonly (readonly [number, number])[], share: number, right_m: number): Point | null {
  const [begin] = path
  if (!begin) return null
  const across = metresOfDegree * Math.cos(begin[1] * radians)
  const steps = path.slice(1).map(([lng, lat], i) => ({ from: path[i]!, east_m: (lng - path[i]![0]) * across, north_m: (lat - path[i]![1]) * metresOfDegree }))
  const lengths = steps.map(({ east_m, north_m }) => Math.hypot(east_m, north_m))
  const total_m = lengths.reduce((sum, length_m) => sum + length_m, 0)
  if (total_m === 0) return { lat: begin[1], lng: begin[0] }
  let left_m = share * total_m
  let i = 0
  while (i < steps.length - 1 && (left_m > lengths[i]! || lengths[i] === 0)) left_m -= lengths[i++]!
  const { from, east_m, north_m } = steps[i]!
  const length_m = lengths[i]! || 1
  const along = Math.min(1, left_m / length_m)
  return {
    lat: from[1] + (along * north_m - (right_m * east_m) / length_m) / metresOfDegree,
    lng: from[0] + (along * east_m + (right_m * north_m) / length_m) / across,
  }
}
