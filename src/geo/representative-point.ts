import type { FlatPath } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import { extentOf } from './cut-at-extent.ts'
import { segmentLength_m } from './ellipsoid.ts'

/**
 * A point inside a polygon with the even-odd rule: the middle of the widest part of a parallel through it. The parallel
 * runs halfway between two vertices, near the middle of the polygon.
 */
export function pointInside(rings: readonly FlatPath[]): Point {
  const lat = middleBetweenVertices(rings)
  const crossings = rings.flatMap((ring) => crossingsAt(ring, lat)).toSorted((a, b) => a - b)
  let widest = { from: crossings[0]!, to: crossings[0]! }
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    const [from, to] = [crossings[i]!, crossings[i + 1]!]
    if (to - from > widest.to - widest.from) widest = { from, to }
  }
  return { lat, lng: (widest.from + widest.to) / 2 }
}

/** The point in the middle of a line, by length. Of several lines, the longest. */
export function pointOnLine(lines: readonly FlatPath[], lengths_m: readonly number[]): Point {
  const longest = lengths_m.indexOf(Math.max(...lengths_m))
  return pointAlong(lines[longest]!, lengths_m[longest]! / 2)
}

/** The point at a distance from the start of a line. */
export function pointAlong(line: FlatPath, distance_m: number): Point {
  let rest_m = distance_m
  for (let i = 2; i < line.length; i += 2) {
    const [x1, y1, x2, y2] = [line[i - 2]!, line[i - 1]!, line[i]!, line[i + 1]!]
    const length_m = segmentLength_m(x1, y1, x2, y2)
    if (rest_m <= length_m && length_m > 0) {
      const t = rest_m / length_m
      return { lat: y1 + t * (y2 - y1), lng: x1 + t * (x2 - x1) }
    }
    rest_m -= length_m
  }
  return { lat: line.at(-1)!, lng: line.at(-2)! }
}

/** The latitude halfway between the two neighboring vertex latitudes around the middle of the extent. */
function middleBetweenVertices(rings: readonly FlatPath[]): number {
  const { south, north } = extentOf(rings)
  const middle = (south + north) / 2
  let [below, above] = [south, north]
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i += 2) {
      const lat = ring[i]!
      if (lat <= middle && lat > below) below = lat
      if (lat > middle && lat < above) above = lat
    }
  }
  return (below + above) / 2
}

function crossingsAt(ring: FlatPath, lat: number): number[] {
  const crossings: number[] = []
  const count = ring.length
  for (let i = 0; i < count; i += 2) {
    const before = i === 0 ? count - 2 : i - 2
    const [x1, y1, x2, y2] = [ring[before]!, ring[before + 1]!, ring[i]!, ring[i + 1]!]
    if (y1 > lat !== y2 > lat) crossings.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1))
  }
  return crossings
}
