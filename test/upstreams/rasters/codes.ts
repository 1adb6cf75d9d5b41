import type { Point } from '../../../src/model/place.ts'
import type { PlaceName } from '../test-places.ts'
import { testPlaceAt } from '../documents/place-at.ts'

/** Codes in fields of about 400 m, in an order that mixes them. */
export function patchwork(codes: number[]): (at: Point) => number {
  return (at) => codes[(3 * fieldOf(at.lng) + 5 * fieldOf(at.lat)) % codes.length]!
}

/** The same, moving on by one field each year, as crops do. */
export function rotation(codes: number[]): (at: Point, year: number) => number {
  return (at, year) => codes[(3 * fieldOf(at.lng) + 5 * fieldOf(at.lat) + year) % codes.length]!
}

/** One function at some places, another for the rest. */
export function withExceptions(
  at: Partial<Record<PlaceName, (at: Point, year: number) => number | null>>,
  rest: (at: Point, year: number) => number | null,
): (at: Point, year: number) => number | null {
  return (point, year) => {
    const name = testPlaceAt(point)
    return ((name && at[name]) ?? rest)(point, year)
  }
}

function fieldOf(degrees: number): number {
  return Math.floor((degrees + 180) / 0.004)
}
