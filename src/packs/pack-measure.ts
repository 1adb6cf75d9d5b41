import { chordToArc_m, segmentDistance2, xyzOf, type Xyz } from '../geo/ecef.ts'
import type { Point } from '../model/place.ts'
import { boxMinDistance_m } from './box-distance.ts'
import { edgesPerRun, type PackShape } from './pack-shape.ts'

/**
 * Returns the distance to the nearest place on the shape's edges; `null` if it is farther than `reach_m`. `fraction`
 * returns the position of that place on the shape's only line, from 0 at its start to 1 at its end.
 */
export function measureShape(
  shape: PackShape,
  at: Point,
  from: Xyz,
  reach_m: number,
): { distance_m: number; fraction: () => number | undefined } | null {
  const best = { distance2: Infinity, reach_m: reach_m * (1 + tolerance), vertex: -1, along: 0 }
  if (shape.runs.length <= 4) {
    shape.xyz ??= xyzOfVertices(shape.coordinates, 0, shape.coordinates.length / 2)
    measureRun(shape, shape.xyz, 0, at, from, best)
  } else measureRuns(shape, at, from, best)
  if (best.vertex < 0) return null
  const { lat, lng } = pointAlong(shape.coordinates, best.vertex, best.along)
  const nearest = xyzOf({ lat, lng })
  const distance_m = chordToArc_m(Math.hypot(nearest.x - from.x, nearest.y - from.y, nearest.z - from.z))
  return { distance_m, fraction: () => fractionOf(shape, best.vertex, best.along) }
}

/** Extends the reach so that rounding does not exclude an edge at exactly that distance. */
const tolerance = 0.001
const longEdge_degrees = 0.02

/** The nearest edge so far. `reach_m` shrinks with each nearer edge. `vertex` is -1 while no edge is within reach. */
type Best = { distance2: number; reach_m: number; vertex: number; along: number }

/** Measures the run with the nearest box first, then the runs that may still contain something nearer. */
function measureRuns(shape: PackShape, at: Point, from: Xyz, best: Best): void {
  const { runs } = shape
  const bounds = new Float64Array(runs.length / 4)
  let first = 0
  for (let run = 0; run < bounds.length; run++) {
    bounds[run] = boxMinDistance_m(at, runs[4 * run]!, runs[4 * run + 1]!, runs[4 * run + 2]!, runs[4 * run + 3]!)
    if (bounds[run]! < bounds[first]!) first = run
  }
  for (let i = -1; i < bounds.length; i++) {
    const run = i < 0 ? first : i
    if (bounds[run]! > best.reach_m || i === first) continue
    const vertex = run * edgesPerRun
    measureRun(
      shape,
      xyzOfVertices(shape.coordinates, vertex, Math.min(edgesPerRun + 1, shape.coordinates.length / 2 - vertex)),
      vertex,
      at,
      from,
      best,
    )
  }
}

/** Measures the edges that start at vertex `first`; `xyz` holds the positions of their vertices. */
function measureRun(
  { coordinates, starts }: PackShape,
  xyz: Float64Array,
  first: number,
  at: Point,
  from: Xyz,
  best: Best,
): void {
  const last = first + xyz.length / 3 - 1
  let path = pathIndexOf(starts, first)
  for (let i = first; i <= last; i++) {
    if (i === starts[path + 1]) path++
    if (i + 1 === starts[path + 1]) {
      if (i === starts[path]) measureEdge(xyz, i - first, i - first, i, from, best)
      continue
    }
    if (i === last) return
    const width = Math.abs(coordinates[2 * i + 2]! - coordinates[2 * i]!)
    const height = Math.abs(coordinates[2 * i + 3]! - coordinates[2 * i + 1]!)
    if (width > longEdge_degrees || height > longEdge_degrees)
      measureLongEdge(coordinates, i, at, from, best, Math.ceil(Math.max(width, height) / longEdge_degrees))
    else measureEdge(xyz, i - first, i - first + 1, i, from, best)
  }
}

/** The path that contains the vertex. */
function pathIndexOf(starts: Uint32Array, vertex: number): number {
  let [low, high] = [0, starts.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= vertex) low = middle
    else high = middle
  }
  return low
}

function measureEdge(xyz: Float64Array, i: number, j: number, vertex: number, from: Xyz, best: Best): void {
  const distance2 = segmentDistance2(
    from,
    xyz[3 * i]!,
    xyz[3 * i + 1]!,
    xyz[3 * i + 2]!,
    xyz[3 * j]!,
    xyz[3 * j + 1]!,
    xyz[3 * j + 2]!,
  )
  if (distance2 >= best.distance2) return
  const along =
    i === j
      ? 0
      : closestFraction(
          from,
          xyz[3 * i]!,
          xyz[3 * i + 1]!,
          xyz[3 * i + 2]!,
          xyz[3 * j]!,
          xyz[3 * j + 1]!,
          xyz[3 * j + 2]!,
        )
  updateBest(best, distance2, vertex, along)
}

function updateBest(best: Best, distance2: number, vertex: number, along: number): void {
  best.distance2 = distance2
  const distance_m = chordToArc_m(Math.sqrt(distance2))
  if (distance_m > best.reach_m) return
  best.reach_m = distance_m
  best.vertex = vertex
  best.along = along
}

/** Measures in pieces, because a long straight line in degrees is a curve on the ground. */
function measureLongEdge(coordinates: Float64Array, i: number, at: Point, from: Xyz, best: Best, pieces: number): void {
  const [x1, y1, x2, y2] = [
    coordinates[2 * i]!,
    coordinates[2 * i + 1]!,
    coordinates[2 * i + 2]!,
    coordinates[2 * i + 3]!,
  ]
  const minDistance_m = boxMinDistance_m(at, Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2))
  if (minDistance_m > best.reach_m) return
  let a = xyzOf({ lat: y1, lng: x1 })
  for (let piece = 1; piece <= pieces; piece++) {
    const b = xyzOf({ lat: y1 + ((y2 - y1) * piece) / pieces, lng: x1 + ((x2 - x1) * piece) / pieces })
    const distance2 = segmentDistance2(from, a.x, a.y, a.z, b.x, b.y, b.z)
    if (distance2 < best.distance2)
      updateBest(best, distance2, i, (piece - 1 + closestFraction(from, a.x, a.y, a.z, b.x, b.y, b.z)) / pieces)
    a = b
  }
}

/** The position of the nearest place between a and b, from 0 to 1. */
function closestFraction(p: Xyz, ax: number, ay: number, az: number, bx: number, by: number, bz: number): number {
  const [ux, uy, uz] = [bx - ax, by - ay, bz - az]
  const length2 = ux * ux + uy * uy + uz * uz
  return length2 === 0 ? 0 : Math.min(1, Math.max(0, ((p.x - ax) * ux + (p.y - ay) * uy + (p.z - az) * uz) / length2))
}

function pointAlong(coordinates: Float64Array, vertex: number, along: number): Point {
  const [x, y] = [coordinates[2 * vertex]!, coordinates[2 * vertex + 1]!]
  if (along === 0) return { lat: y, lng: x }
  return { lat: y + along * (coordinates[2 * vertex + 3]! - y), lng: x + along * (coordinates[2 * vertex + 2]! - x) }
}

/** Undefined unless the shape is a single line. */
function fractionOf({ starts, polygons, coordinates }: PackShape, vertex: number, along: number): number | undefined {
  if (starts.length !== 2 || polygons.length > 0 || coordinates.length < 4) return undefined
  const xyz = xyzOfVertices(coordinates, 0, starts[1]!)
  let [total, covered] = [0, 0]
  for (let i = 0; i < starts[1]! - 1; i++) {
    const length = Math.hypot(
      xyz[3 * i + 3]! - xyz[3 * i]!,
      xyz[3 * i + 4]! - xyz[3 * i + 1]!,
      xyz[3 * i + 5]! - xyz[3 * i + 2]!,
    )
    if (i < vertex) covered += length
    if (i === vertex) covered += along * length
    total += length
  }
  return total === 0 ? 0 : covered / total
}

function xyzOfVertices(coordinates: Float64Array, first: number, count: number): Float64Array {
  const xyz = new Float64Array(count * 3)
  for (let i = 0; i < count; i++) {
    const { x, y, z } = xyzOf({ lng: coordinates[2 * (first + i)]!, lat: coordinates[2 * (first + i) + 1]! })
    xyz[3 * i] = x
    xyz[3 * i + 1] = y
    xyz[3 * i + 2] = z
  }
  return xyz
}
