import { ringsContain } from '../../geo/polygon.ts'
import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import { planarGraphOf, isSimpleRing, type PlanarGraph } from './planar-graph.ts'
import { traceRings } from './trace-rings.ts'
import type { Extent } from '../../model/area.ts'
import { emptyExtent, addToExtent, extentContains } from '../../geo/boxes.ts'

/**
 * Builds OGC-valid polygons from closed rings by the even-odd rule. No ring touches itself, and areas that only share a
 * vertex become two polygons. Returns `null` if rings cross or share an edge, because no valid polygons exist then.
 */
export function buildPolygons(paths: readonly number[][]): GeometryPart[] | null {
  if (paths.length === 1 && isSimpleRing(paths[0]!)) return [{ kind: 'polygon', paths: [paths[0]!] }]
  const graph = planarGraphOf(paths)
  if (graph === null) return null
  const rings = traceRings(graph).map((walk) => boundedRingOf(walk, graph))
  return rings.some((ring, i) => rings.some((other, j) => j > i && ringsCross(ring, other))) ? null : nestRings(rings)
}

/** A closed ring with its bounds. `area` is twice the area. */
type BoundedRing = Extent & { path: number[]; area: number }

function boundedRingOf(walk: number[], { x, y }: PlanarGraph): BoundedRing {
  const vertices = [...walk, walk[0]!]
  const ring: BoundedRing = {
    path: vertices.flatMap((vertex) => [x[vertex]!, y[vertex]!]),
    ...emptyExtent(),
    area: 0,
  }
  const [x0, y0] = [x[walk[0]!]!, y[walk[0]!]!]
  for (const [i, vertex] of walk.entries()) {
    const next = vertices[i + 1]!
    ring.area += (x[vertex]! - x0) * (y[next]! - y0) - (x[next]! - x0) * (y[vertex]! - y0)
    addToExtent(ring, x[vertex]!, y[vertex]!)
  }
  ring.area = Math.abs(ring.area)
  return ring
}

/** A ring inside an even number of others is an outer ring. Otherwise it is a hole in the smallest of them. */
function nestRings(rings: BoundedRing[]): GeometryPart[] | null {
  if (rings.length === 1) return [{ kind: 'polygon', paths: [rings[0]!.path] }]
  const containers = rings.map((ring) => rings.filter((other) => other !== ring && isInside(ring, other)))
  const parts = new Map<BoundedRing, GeometryPart>()
  for (const [i, ring] of rings.entries())
    if (containers[i]!.length % 2 === 0) parts.set(ring, { kind: 'polygon', paths: [ring.path] })
  for (const [i, ring] of rings.entries()) {
    if (containers[i]!.length % 2 === 0) continue
    const smallest = containers[i]!.reduce((least, other) => (other.area < least.area ? other : least))
    const part = parts.get(smallest)
    if (!part) return null
    part.paths.push(ring.path)
  }
  return [...parts.values()]
}

/** Tests the midpoints of the ring's edges, because rings may touch in vertices. */
function isInside(ring: BoundedRing, other: BoundedRing): boolean {
  if (!extentContains(other, ring)) return false
  const coordinates = Float64Array.from(other.path)
  const starts = Uint32Array.of(0, other.path.length / 2)
  const sampleCount = Math.min(3, ring.path.length / 2 - 1)
  let insideCount = 0
  for (let i = 0; i < sampleCount; i++) {
    const [x, y] = [
      (ring.path[2 * i]! + ring.path[2 * i + 2]!) / 2,
      (ring.path[2 * i + 1]! + ring.path[2 * i + 3]!) / 2,
    ]
    if (ringsContain(coordinates, starts, 0, 1, x, y)) insideCount++
  }
  return 2 * insideCount > sampleCount
}

/** Whether an edge of one ring crosses an edge of the other. Touching is not crossing. */
function ringsCross(a: BoundedRing, b: BoundedRing): boolean {
  const [west, east] = [Math.max(a.west, b.west), Math.min(a.east, b.east)]
  const [south, north] = [Math.max(a.south, b.south), Math.min(a.north, b.north)]
  if (west > east || south > north) return false
  const [ofA, ofB] = [a, b].map(({ path }) => edgesIn(path, { west, east, south, north })) as [number[], number[]]
  return ofA.some((i) => ofB.some((j) => edgesCross(a.path, i, b.path, j)))
}

/** The start offsets of the edges whose bounds overlap the box. */
function edgesIn(path: number[], { west, east, south, north }: Extent): number[] {
  const found: number[] = []
  for (let i = 0; i + 3 < path.length; i += 2) {
    const [x1, y1, x2, y2] = [path[i]!, path[i + 1]!, path[i + 2]!, path[i + 3]!]
    if (Math.max(x1, x2) >= west && Math.min(x1, x2) <= east && Math.max(y1, y2) >= south && Math.min(y1, y2) <= north)
      found.push(i)
  }
  return found
}

function edgesCross(a: number[], i: number, b: number[], j: number): boolean {
  return sideOf(a, i, b, j) * sideOf(a, i, b, j + 2) < 0 && sideOf(b, j, a, i) * sideOf(b, j, a, i + 2) < 0
}

/** The side of an edge on which a vertex of another path is: positive is left, negative is right. */
function sideOf(path: number[], edge: number, other: number[], at: number): number {
  const [x, y] = [other[at]!, other[at + 1]!]
  return Math.sign(
    (path[edge + 2]! - path[edge]!) * (y - path[edge + 1]!) - (path[edge + 3]! - path[edge + 1]!) * (x - path[edge]!),
  )
}
