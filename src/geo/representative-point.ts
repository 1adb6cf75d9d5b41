import type { FlatPath } from '../model/area.ts'
import type { Point } from '../model/place.ts'
import { extentOf } from './overlay/cut-at-extent.ts'
import { positionsOfPaths } from './overlay/overlay-steps.ts'
import { segmentLength_m } from './ellipsoid.ts'

/**
 * A point inside a polygon with the even-odd rule: the middle of the widest part of a parallel through it. The parallel
 * runs halfway between two vertices, near the middle of the polygon.
 */
export function pointInside(rings: readonly FlatPath[]): Point {
  for (const lat of latitudesBetweenVertices(rings)) {
    const crossings = rings.flatMap((ring) => crossingsAt(ring, lat)).toSorted((a, b) => a - b)
    let widest = { from: 0, to: 0 }
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const [from, to] = [crossings[i]!, crossings[i + 1]!]
      if (to - from > widest.to - widest.from) widest = { from, to }
    }
    if (widest.to > widest.from) return { lat, lng: (widest.from + widest.to) / 2 }
  }
  const [lng, lat] = rings[0]!
  return { lat: lat!, lng: lng! }
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

/**
 * The latitudes halfway between neighboring vertices, from the middle of the extent outward: no polygon may be in the
 * middle.
 */
function latitudesBetweenVertices(rings: readonly FlatPath[]): number[] {
  const { south, north } = extentOf(rings)
  const middle = (south + north) / 2
  const vertices = new Float64Array(positionsOfPaths(rings))
  let count = 0
  for (const ring of rings) for (let i = 1; i < ring.length; i += 2) vertices[count++] = ring[i]!
  vertices.sort()
  const between: number[] = []
  for (let i = 1; i < vertices.length; i++)
    if (vertices[i]! > vertices[i - 1]!) between.push((vertices[i - 1]! + vertices[i]!) / 2)
  return between.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))
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
