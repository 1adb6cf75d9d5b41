import { ringsContain } from '../../geo/polygon.ts'
import type { GeometryPart } from '../../geo/wkb-write.ts'
import { drawingOf, isPlain, type Drawing } from './drawing.ts'
import { walksOf } from './walks.ts'

/**
 * The polygons that closed rings make by the even-odd rule, valid as OGC says: each a ring with the holes in it, none of which meets itself, and
 * what only meets in a place is two. `null` where rings cross each other or have an edge in common, for then there are no such polygons.
 */
export function facesOf(paths: readonly number[][]): GeometryPart[] | null {
  if (paths.length === 1 && isPlain(paths[0]!)) return [{ kind: 'polygon', paths: [paths[0]!] }]
  const drawing = drawingOf(paths)
  if (drawing === null) return null
  const rings = walksOf(drawing).map((walk) => faceRingOf(walk, drawing))
  return rings.some((ring, i) => rings.some((other, j) => j > i && cross(ring, other))) ? null : nested(rings)
}

/** A ring with the box round it and twice its area; `path` is closed. */
type FaceRing = { path: number[]; west: number; east: number; south: number; north: number; area: number }

function faceRingOf(walk: number[], { x, y }: Drawing): FaceRing {
  const places = [...walk, walk[0]!]
  const ring: FaceRing = { path: places.flatMap((place) => [x[place]!, y[place]!]), west: Infinity, east: -Infinity, south: Infinity, north: -Infinity, area: 0 }
  const [x0, y0] = [x[walk[0]!]!, y[walk[0]!]!]
  for (const [i, place] of walk.entries()) {
    const next = places[i + 1]!
    ring.area += (x[place]! - x0) * (y[next]! - y0) - (x[next]! - x0) * (y[place]! - y0)
    ring.west = Math.min(ring.west, x[place]!)
    ring.east = Math.max(ring.east, x[place]!)
    ring.south = Math.min(ring.south, y[place]!)
    ring.north = Math.max(ring.north, y[place]!)
  }
  ring.area = Math.abs(ring.area)
  return ring
}

/** What an even number of the others holds is an outer ring; what an odd number holds is a hole in the smallest of them. */
function nested(rings: FaceRing[]): GeometryPart[] | null {
  if (rings.length === 1) return [{ kind: 'polygon', paths: [rings[0]!.path] }]
  const around = rings.map((ring) => rings.filter((other) => other !== ring && isInside(ring, other)))
  const parts = new Map<FaceRing, GeometryPart>()
  for (const [i, ring] of rings.entries()) if (around[i]!.length % 2 === 0) parts.set(ring, { kind: 'polygon', paths: [ring.path] })
  for (const [i, ring] of rings.entries()) {
    if (around[i]!.length % 2 === 0) continue
    const smallest = around[i]!.reduce((least, other) => (other.area < least.area ? other : least))
    const part = parts.get(smallest)
    if (!part) return null
    part.paths.push(ring.path)
  }
  return [...parts.values()]
}

/** By the middles of its edges: rings may meet in places. */
function isInside(ring: FaceRing, other: FaceRing): boolean {
  if (ring.west < other.west || ring.east > other.east || ring.south < other.south || ring.north > other.north) return false
  const coordinates = Float64Array.from(other.path)
  const starts = Uint32Array.of(0, other.path.length / 2)
  const middles = Math.min(3, ring.path.length / 2 - 1)
  let inside = 0
  for (let i = 0; i < middles; i++) {
    const [x, y] = [(ring.path[2 * i]! + ring.path[2 * i + 2]!) / 2, (ring.path[2 * i + 1]! + ring.path[2 * i + 3]!) / 2]
    if (ringsContain(coordinates, starts, 0, 1, x, y)) inside++
  }
  return 2 * inside > middles
}

/** Whether an edge of one passes through an edge of the other; to meet is not to cross. */
function cross(a: FaceRing, b: FaceRing): boolean {
  const [west, east] = [Math.max(a.west, b.west), Math.min(a.east, b.east)]
  const [south, north] = [Math.max(a.south, b.south), Math.min(a.north, b.north)]
  if (west > east || south > north) return false
  const [ofA, ofB] = [a, b].map(({ path }) => edgesIn(path, { west, east, south, north })) as [number[], number[]]
  return ofA.some((i) => ofB.some((j) => edgesCross(a.path, i, b.path, j)))
}

/** Where the edges begin in a path that have anything in a box. */
function edgesIn(path: number[], { west, east, south, north }: Pick<FaceRing, 'west' | 'east' | 'south' | 'north'>): number[] {
  const found: number[] = []
  for (let i = 0; i + 3 < path.length; i += 2) {
    const [x1, y1, x2, y2] = [path[i]!, path[i + 1]!, path[i + 2]!, path[i + 3]!]
    if (Math.max(x1, x2) >= west && Math.min(x1, x2) <= east && Math.max(y1, y2) >= south && Math.min(y1, y2) <= north) found.push(i)
  }
  return found
}

function edgesCross(a: number[], i: number, b: number[], j: number): boolean {
  return sideOf(a, i, b, j) * sideOf(a, i, b, j + 2) < 0 && sideOf(b, j, a, i) * sideOf(b, j, a, i + 2) < 0
}

/** On which side of an edge a place of another path lies: above 0 left, below 0 right. */
function sideOf(path: number[], edge: number, other: number[], place: number): number {
  const [x, y] = [other[place]!, other[place + 1]!]
  return Math.sign((path[edge + 2]! - path[edge]!) * (y - path[edge + 1]!) - (path[edge + 3]! - path[edge + 1]!) * (x - path[edge]!))
}
