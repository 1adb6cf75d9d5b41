import type { Extent } from '../../model/area.ts'
import type { Geometry, Position } from '../../model/source.ts'
import { countPositions } from '../measure.ts'
import { extentOfPaths } from '../boxes.ts'

/** A simplified geometry, and by how much its outlines may differ from the original, in degrees of latitude. */
export type SimplifiedGeometry = { geometry: Geometry; tolerance_degrees: number }

/** A picture of this width in pixels shows an outline with an error of at most a tenth of a pixel. */
const picture_px = 1024
const error_px = 0.1

/**
 * Simplifies a geometry for drawing: to a tenth of a pixel where it fills a picture, and further until it has at most
 * `positionsMax` positions. Parts that are smaller than the error are left out, except the largest.
 */
export function simplifyForDrawing(geometry: Geometry, positionsMax: number): SimplifiedGeometry {
  const { width, lat } = extentOf(geometry)
  const scale = Math.cos((lat * Math.PI) / 180)
  let tolerance_degrees = (width * error_px) / picture_px
  let simplified = simplifyGeometry(geometry, tolerance_degrees, scale)
  while (countPositions(simplified) > positionsMax && tolerance_degrees > 0 && tolerance_degrees < 90) {
    tolerance_degrees *= 2
    simplified = simplifyGeometry(simplified, tolerance_degrees, scale)
  }
  return { geometry: simplified, tolerance_degrees }
}

/** Simplifies each path with the algorithm of Douglas and Peucker. `scale`: the length of a degree of longitude. */
export function simplifyGeometry(geometry: Geometry, tolerance_degrees: number, scale: number): Geometry {
  const simplify = (path: Position[]) => simplifyPath(path, tolerance_degrees, scale)
  const isVisible = (path: Position[]) => spanOf(path, scale) > tolerance_degrees
  const rings = geometry.polygons.flat()
  const largest = largestOf(rings, scale)
  return {
    points: geometry.points,
    lines: geometry.lines.map(simplify),
    polygons: geometry.polygons
      .map((polygon) => polygon.filter((ring) => ring === largest || isVisible(ring)).map(simplifyRing))
      .map((polygon) => polygon.filter((ring) => ring.length >= 4))
      .filter((polygon) => polygon.length > 0),
  }

  /** Simplifies the two halves of a ring, because its first and last position are the same. */
  function simplifyRing(ring: Position[]): Position[] {
    const middle = ring.length >> 1
    const simplified = [...simplify(ring.slice(0, middle + 1)), ...simplify(ring.slice(middle)).slice(1)]
    return simplified.length >= 4 ? simplified : ring.length <= 8 ? ring : cornersOf(ring)
  }
}

/** The extreme positions of a ring that would vanish otherwise, closed. */
function cornersOf(ring: Position[]): Position[] {
  const quarter = ring.length / 4
  const corners = Array.from({ length: 4 }, (_, i) => ring[Math.floor(i * quarter)]!)
  return [...corners, corners[0]!]
}

/** The path with the largest span, the first of several. */
function largestOf(paths: readonly Position[][], scale: number): Position[] | undefined {
  let largest: { path: Position[]; span: number } | undefined
  for (const path of paths) {
    const span = spanOf(path, scale)
    if (!largest || span > largest.span) largest = { path, span }
  }
  return largest?.path
}

/** Outlines of places are divided about twenty times. */
const farthestDivisions = 64

/**
 * Keeps the position that is farthest from the straight line between two others, and goes on with both halves. Halves
 * of very different lengths would make this the square of the number of positions, so that a part that is divided often
 * is divided in its middle.
 */
function simplifyPath(path: Position[], tolerance: number, scale: number): Position[] {
  const isKept = new Uint8Array(path.length)
  isKept[0] = 1
  isKept[path.length - 1] = 1
  const pending: [first: number, last: number, divisions: number][] = [[0, path.length - 1, 0]]
  for (let part = pending.pop(); part; part = pending.pop()) {
    const [first, last, divisions] = part
    const farthest = farthestFrom(path, first, last, scale)
    if (farthest.distance <= tolerance) continue
    const index = divisions < farthestDivisions ? farthest.index : (first + last) >> 1
    isKept[index] = 1
    pending.push([first, index, divisions + 1], [index, last, divisions + 1])
  }
  return path.filter((_, i) => isKept[i] === 1)
}

/** The position farthest from the straight line between two others. */
function farthestFrom(path: Position[], first: number, last: number, scale: number) {
  const [[ax, ay], [bx, by]] = [path[first]!, path[last]!]
  const [ux, uy] = [(bx - ax) * scale, by - ay]
  const length2 = ux * ux + uy * uy
  const farthest = { index: first, distance: -1 }
  for (let i = first + 1; i < last; i++) {
    const [x, y] = [(path[i]![0] - ax) * scale, path[i]![1] - ay]
    const along = length2 === 0 ? 0 : Math.min(1, Math.max(0, (x * ux + y * uy) / length2))
    const distance = Math.hypot(x - along * ux, y - along * uy)
    if (distance > farthest.distance) Object.assign(farthest, { index: i, distance })
  }
  return farthest
}

function spanOf(path: Position[], scale: number): number {
  const { west, south, east, north } = extentOfPaths([path])
  return Math.max((east - west) * scale, north - south)
}

function extentOf(geometry: Geometry): { width: number; lat: number } {
  const { west, south, east, north } = boundsOfGeometry(geometry)
  const lat = (south + north) / 2
  return { lat, width: Math.max((east - west) * Math.cos((lat * Math.PI) / 180), north - south, 0) }
}

/** Returns the bounds of a geometry in degrees. Those of an empty geometry are infinite and empty. */
export function boundsOfGeometry({ points, lines, polygons }: Geometry): Extent {
  return extentOfPaths([points, ...lines, ...polygons.flat()])
}
