import { chordToArc_m, segmentDistance2, xyzOf, type Xyz } from '../../geo/ecef.ts'
import type { Point } from '../../model/place.ts'
import { boxMinDistance_m } from '../layer/box-distance.ts'
import { edgesPerRun, type PackShape } from '../layer/pack-shape.ts'

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
  const search = new NearestEdge(shape, at, from, reach_m * (1 + tolerance))
  if (shape.runs.length <= 4) {
    shape.xyz ??= xyzOfVertices(shape.coordinates, 0, shape.coordinates.length / 2)
    search.measureRun(shape.xyz, 0)
  } else search.measureRuns()
  const { vertex, along } = search
  if (vertex < 0) return null
  const nearest = xyzOf(pointAlong(shape.coordinates, vertex, along))
  const distance_m = chordToArc_m(Math.hypot(nearest.x - from.x, nearest.y - from.y, nearest.z - from.z))
  return { distance_m, fraction: () => fractionOf(shape, vertex, along) }
}

/** Extends the reach so that rounding does not exclude an edge at exactly that distance. */
const tolerance = 0.001
const longEdge_degrees = 0.02

/** Finds the nearest edge of a shape. `reach_m` shrinks with each nearer edge. */
class NearestEdge {
  /** The first vertex of the nearest edge; -1 while no edge is within reach. */
  vertex = -1
  /** The position of the nearest place on that edge, from 0 to 1. */
  along = 0
  #distance2 = Infinity
  readonly #shape: PackShape
  readonly #at: Point
  readonly #from: Xyz
  #reach_m: number

  constructor(shape: PackShape, at: Point, from: Xyz, reach_m: number) {
    this.#shape = shape
    this.#at = at
    this.#from = from
    this.#reach_m = reach_m
  }

  /** Measures the run with the nearest box first, then the runs that may still contain something nearer. */
  measureRuns(): void {
    const { runs, coordinates } = this.#shape
    const bounds = new Float64Array(runs.length / 4)
    let first = 0
    for (let run = 0; run < bounds.length; run++) {
      bounds[run] = boxMinDistance_m(this.#at, runs, 4 * run)
      if (bounds[run]! < bounds[first]!) first = run
    }
    for (let i = -1; i < bounds.length; i++) {
      const run = i < 0 ? first : i
      if (bounds[run]! > this.#reach_m || i === first) continue
      const vertex = run * edgesPerRun
      const count = Math.min(edgesPerRun + 1, coordinates.length / 2 - vertex)
      this.measureRun(xyzOfVertices(coordinates, vertex, count), vertex)
    }
  }

  /** Measures the edges that start at vertex `first`; `xyz` holds the positions of their vertices. */
  measureRun(xyz: Float64Array, first: number): void {
    const { coordinates, starts } = this.#shape
    const last = first + xyz.length / 3 - 1
    let path = pathIndexOf(starts, first)
    for (let i = first; i <= last; i++) {
      if (i === starts[path + 1]) path++
      if (i + 1 === starts[path + 1]) {
        if (i === starts[path]) this.#measureEdge(xyz, i - first, i - first, i)
        continue
      }
      if (i === last) return
      const width = Math.abs(coordinates[2 * i + 2]! - coordinates[2 * i]!)
      const height = Math.abs(coordinates[2 * i + 3]! - coordinates[2 * i + 1]!)
      if (width > longEdge_degrees || height > longEdge_degrees)
        this.#measureLongEdge(i, Math.ceil(Math.max(width, height) / longEdge_degrees))
      else this.#measureEdge(xyz, i - first, i - first + 1, i)
    }
  }

  #measureEdge(xyz: Float64Array, i: number, j: number, vertex: number): void {
    const distance2 = segmentDistance2(
      this.#from,
      xyz[3 * i]!,
      xyz[3 * i + 1]!,
      xyz[3 * i + 2]!,
      xyz[3 * j]!,
      xyz[3 * j + 1]!,
      xyz[3 * j + 2]!,
    )
    if (distance2 >= this.#distance2) return
    this.#update(distance2, vertex, i === j ? 0 : closestFraction(this.#from, xyzAt(xyz, i), xyzAt(xyz, j)))
  }

  /** Measures in pieces, because a long straight line in degrees is a curve on the ground. */
  #measureLongEdge(i: number, pieces: number): void {
    const { coordinates } = this.#shape
    const [x1, y1, x2, y2] = [
      coordinates[2 * i]!,
      coordinates[2 * i + 1]!,
      coordinates[2 * i + 2]!,
      coordinates[2 * i + 3]!,
    ]
    const box = Float64Array.of(Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2))
    if (boxMinDistance_m(this.#at, box, 0) > this.#reach_m) return
    let a = xyzOf({ lat: y1, lng: x1 })
    for (let piece = 1; piece <= pieces; piece++) {
      const b = xyzOf({ lat: y1 + ((y2 - y1) * piece) / pieces, lng: x1 + ((x2 - x1) * piece) / pieces })
      const distance2 = segmentDistance2(this.#from, a.x, a.y, a.z, b.x, b.y, b.z)
      if (distance2 < this.#distance2)
        this.#update(distance2, i, (piece - 1 + closestFraction(this.#from, a, b)) / pieces)
      a = b
    }
  }

  #update(distance2: number, vertex: number, along: number): void {
    this.#distance2 = distance2
    const distance_m = chordToArc_m(Math.sqrt(distance2))
    if (distance_m > this.#reach_m) return
    this.#reach_m = distance_m
    this.vertex = vertex
    this.along = along
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

/** The position of the nearest place between a and b, from 0 to 1. */
function closestFraction(p: Xyz, a: Xyz, b: Xyz): number {
  const [ux, uy, uz] = [b.x - a.x, b.y - a.y, b.z - a.z]
  const length2 = ux * ux + uy * uy + uz * uz
  return length2 === 0
    ? 0
    : Math.min(1, Math.max(0, ((p.x - a.x) * ux + (p.y - a.y) * uy + (p.z - a.z) * uz) / length2))
}

function xyzAt(xyz: Float64Array, i: number): Xyz {
  return { x: xyz[3 * i]!, y: xyz[3 * i + 1]!, z: xyz[3 * i + 2]! }
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
