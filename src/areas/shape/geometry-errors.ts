import Flatbush from 'flatbush'
import { extentOf, growExtent } from '../../geo/overlay/cut-at-extent.ts'
import { metersPerDegree } from '../../geo/ecef.ts'
import { signedRingArea_m2 } from '../../geo/ellipsoid.ts'
import type { Overlay } from '../../geo/overlay/overlay.ts'
import type { FlatPath } from '../../model/area.ts'
import { validationErrorAt, type ValidationError, type Violation } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { contact_degrees, distanceToSegment, polygonHasPoint } from './line-cuts.ts'

/** Where a member is in a request. */
export type Loc = Violation['loc']

/** Overlaps up to this share are rounding. */
export const overlapTolerance = 1e-9

/** @throws {ValidationError} that names the first two edges that cross. */
export function requireNoCrossing(polygons: readonly FlatPath[][], locOf: (polygon: number) => Loc): void {
  const crossing = findCrossing(polygons.flat())
  if (!crossing) return
  const owners = polygons.flatMap((rings, polygon) => rings.map((_, ring) => ({ polygon, ring })))
  const { first, second, lng, lat } = crossing
  const [a, b] = [owners[first.ring]!, owners[second.ring]!]
  const other = `edge ${second.vertex} of ${a.polygon === b.polygon && a.ring === b.ring ? 'the same ring' : `ring ${[...locOf(b.polygon), b.ring].join('.')}`}`
  throw validationErrorAt(
    [...locOf(a.polygon), a.ring, first.vertex],
    `The edge from this position crosses ${other} at ${lng.toFixed(7)}, ${lat.toFixed(7)}. Remove the crossing`,
  )
}

/**
 * A ring may touch itself at a point, as long as it encloses each place once. The area of its edges then is `area_m2`,
 * that of the even-odd rule.
 * @throws {ValidationError} that names the first vertex where the ring touches itself.
 */
export function requireSimpleRing(ring: FlatPath, area_m2: number, { step_degrees }: Overlay, loc: Loc): void {
  const { west, south, east, north } = extentOf([ring])
  const size_degrees = Math.max(east - west, north - south)
  const rounding_m2 = ring.length * size_degrees * step_degrees * metersPerDegree ** 2
  if (Math.abs(Math.abs(signedRingArea_m2(ring)) - area_m2) <= overlapTolerance * area_m2 + rounding_m2) return
  const contact = findContact(ring)
  if (!contact) throw new Error('The polygon overlay lost a part of a ring.')
  throw validationErrorAt(
    [...loc, contact.vertex],
    `The ring meets its own edge ${contact.edge} at this position, and crosses or repeats itself there. Remove the part that is enclosed twice, or make each loop a polygon of its own`,
  )
}

/** The error for polygons that overlap. `at`: a point that two of them contain. */
export function polygonsFault(
  polygons: readonly FlatPath[][],
  locOf: (polygon: number) => Loc,
  at: Point | null,
): ValidationError {
  const [first = 0, second = 1] = indexesAt(polygons, at)
  return validationErrorAt(
    locOf(second),
    `This polygon overlaps polygon ${locOf(first).join('.')}${placeText(at)}. Join the two, or remove the overlap`,
  )
}

/** The error for holes. `outside`: a point in a hole and outside the first ring. `twice`: a point in two holes. */
export function holesFault(
  rings: FlatPath[],
  loc: Loc,
  { outside, twice }: { outside: Point | null; twice: Point | null },
): ValidationError {
  const holes = rings.slice(1).map((ring) => [ring])
  const [first = 0, second = 1] = indexesAt(holes, outside ?? twice)
  if (outside)
    return validationErrorAt(
      [...loc, 1 + first],
      `This hole is not inside the first ring of its polygon${placeText(outside)}. Make it a polygon of its own, or remove it`,
    )
  return validationErrorAt(
    [...loc, 1 + second],
    `This hole overlaps the hole ${[...loc, 1 + first].join('.')}${placeText(twice)}. Join the two holes`,
  )
}

/** Which polygons contain a point. */
function indexesAt(polygons: readonly FlatPath[][], at: Point | null): number[] {
  if (!at) return []
  return polygons.flatMap((rings, i) =>
    polygonHasPoint({ rings, extent: extentOf(rings) }, at.lng, at.lat) ? [i] : [],
  )
}

function placeText(at: Point | null): string {
  return at ? `, at ${at.lng.toFixed(7)}, ${at.lat.toFixed(7)}` : ''
}

/** Two edges that cross: the ring and the first vertex of each, and where. */
type Crossing = { first: EdgeAt; second: EdgeAt; lng: number; lat: number }
type EdgeAt = { ring: number; vertex: number }

/** Returns the first two edges that cross, of the same ring or of two; null if none do. Rings may touch at points. */
function findCrossing(rings: readonly FlatPath[]): Crossing | null {
  const edges = rings.flatMap((path, ring) => edgesOf(path, ring))
  if (edges.length <= fewEdges) return findCrossingOfFew(edges)
  const index = indexEdges(edges)
  for (const [i, edge] of edges.entries()) {
    const touching = index.search(...boxOf(edge), (j) => j > i && doCross(edge, edges[j]!))
    if (touching.length > 0) return crossingOf(edge, edges[Math.min(...touching)]!)
  }
  return null
}

/** This many edges are compared with each other in less time than it takes to build an index. */
const fewEdges = 16

function findCrossingOfFew(edges: readonly Edge[]): Crossing | null {
  for (const [i, edge] of edges.entries())
    for (let j = i + 1; j < edges.length; j++) if (doCross(edge, edges[j]!)) return crossingOf(edge, edges[j]!)
  return null
}

function indexEdges(edges: readonly Edge[]): Flatbush {
  const index = new Flatbush(edges.length)
  for (const edge of edges) index.add(...boxOf(edge))
  index.finish()
  return index
}

function boxOf({ x1, y1, x2, y2 }: Edge): [west: number, south: number, east: number, north: number] {
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]
}

type Edge = EdgeAt & { x1: number; y1: number; x2: number; y2: number }

function edgesOf(path: FlatPath, ring: number): Edge[] {
  const count = path.length / 2
  return Array.from({ length: count }, (_, vertex) => {
    const [x1, y1] = [path[2 * vertex]!, path[2 * vertex + 1]!]
    const next = (vertex + 1) % count
    return { ring, vertex, x1, y1, x2: path[2 * next]!, y2: path[2 * next + 1]! }
  })
}

/** Whether each edge has one end on either side of the other. */
function doCross(a: Edge, b: Edge): boolean {
  return side(a, b.x1, b.y1) * side(a, b.x2, b.y2) < 0 && side(b, a.x1, a.y1) * side(b, a.x2, a.y2) < 0
}

/** The side of an edge on which a point lies: -1 or 1, and 0 within the rounding error of the test. */
function side({ x1, y1, x2, y2 }: Edge, x: number, y: number): number {
  const left = (x2 - x1) * (y - y1)
  const right = (y2 - y1) * (x - x1)
  const difference = left - right
  return Math.abs(difference) <= 4 * Number.EPSILON * (Math.abs(left) + Math.abs(right)) ? 0 : Math.sign(difference)
}

function crossingOf(first: Edge, second: Edge): Crossing {
  const [dx, dy] = [first.x2 - first.x1, first.y2 - first.y1]
  const [ex, ey] = [second.x2 - second.x1, second.y2 - second.y1]
  const t = ((second.x1 - first.x1) * ey - (second.y1 - first.y1) * ex) / (dx * ey - dy * ex)
  return { first, second, lng: first.x1 + t * dx, lat: first.y1 + t * dy }
}

/** Returns the first vertex of a ring that is on an edge that does not begin or end there, and the number of the edge. */
function findContact(ring: FlatPath): { vertex: number; edge: number } | null {
  const edges = edgesOf(ring, 0)
  const index = indexEdges(edges)
  for (const { vertex, x1: x, y1: y } of edges) {
    const before = (vertex + edges.length - 1) % edges.length
    const touches = ({ x1, y1, x2, y2 }: Edge) => distanceToSegment([x1, y1, x2, y2], x, y) <= contact_degrees
    const { west, south, east, north } = growExtent({ west: x, south: y, east: x, north: y }, contact_degrees)
    const isOther = (it: number) => it !== vertex && it !== before && touches(edges[it]!)
    const [edge] = index.search(west, south, east, north, isOther)
    if (edge !== undefined) return { vertex, edge }
  }
  return null
}
