import { chordToArc_m, segmentDistance2, xyzOf } from '../geo/ecef.ts'
import { extentOf, extentsTouch, growExtent } from '../geo/overlay/cut-at-extent.ts'
import type { Extent, FlatPath } from '../model/area.ts'
import { UpstreamError } from '../model/error.ts'
import type { QueryArea } from './shape/area-geometry.ts'
import { contact_degrees, LineIndex, lengthWithin_m, polygonHasPoint, type TestedPolygon } from './shape/line-cuts.ts'
import type { JoinedFeature } from './shape/partition.ts'

/** A geometry for tests of contact and distance. */
export type MeasuredGeometry = {
  polygons: TestedPolygon[]
  /** The rings, closed, then the lines, then each point as a path of one vertex. */
  outlines: FlatPath[]
  extent: Extent
  /** Returns the index of the outlines. It is built once. */
  index: () => LineIndex
  /** Returns the outlines in earth-centered meters. They are projected once. */
  paths: () => MeasuredPath[]
}

/** A path in earth-centered meters, with a sphere (x, y, z, radius) around each run of segments. */
type MeasuredPath = { xyz: Float64Array; spheres: Float64Array }

const segmentsPerRun = 16
/** Longer segments are split, so that they follow a line that is straight in degrees. */
const longestSegment_degrees = 0.05
/** Measuring more pairs of a vertex and a run takes longer than a second. */
const maxPairs = 50_000_000

/** Prepares an area. */
export function measuredArea(area: QueryArea): MeasuredGeometry {
  if (area.kind === 'line') return measuredGeometry({ polygons: [], lines: area.lines, points: [] })
  return measuredGeometry({ polygons: [area.overlay.toPaths(area.rings)], lines: [], points: [] })
}

/** Prepares a feature. */
export function measuredGeometry({ polygons, lines, points }: Geometry): MeasuredGeometry {
  const singles = Array.from({ length: points.length / 2 }, (_, i) => points.slice(2 * i, 2 * i + 2))
  const outlines = [...polygons.flat().map(closeRing), ...lines, ...singles]
  let index: LineIndex | undefined
  let paths: MeasuredPath[] | undefined
  return {
    polygons: polygons.map((rings) => ({ rings, extent: extentOf(rings) })),
    outlines,
    extent: extentOf(outlines),
    index: () => (index ??= new LineIndex(outlines)),
    paths: () => (paths ??= outlines.map(measurePath)),
  }
}

type Geometry = Pick<JoinedFeature, 'polygons' | 'lines' | 'points'>

/**
 * Whether two geometries share a point: an overlap, a crossing, a common border, or a point inside. Builds the index of
 * the first one only: the area, which is compared with many features.
 */
export function geometriesIntersect(area: MeasuredGeometry, feature: MeasuredGeometry): boolean {
  if (!extentsTouch(growExtent(area.extent, contact_degrees), feature.extent)) return false
  return (
    feature.outlines.some((path) => area.index().meets(path, contact_degrees)) ||
    hasOutlineIn(area, feature) ||
    hasOutlineIn(feature, area)
  )
}

/**
 * The distance along the ground between two geometries that do not touch, in meters. The nearest place on one of them
 * is a vertex. `limit_m`: larger distances need not be exact.
 * @throws {UpstreamError} `too_large` if they have too many vertices.
 */
export function distanceBetween(a: MeasuredGeometry, b: MeasuredGeometry, limit_m: number): number {
  const pairs = countVertices(a) * countRuns(b) + countVertices(b) * countRuns(a)
  if (pairs > maxPairs)
    throw new UpstreamError(
      'too_large',
      'The area and a feature near it have too many vertices to measure the distance. Simplify the area.',
    )
  let nearest = limit_m
  for (const from of a.paths())
    for (const to of b.paths())
      nearest = Math.min(nearest, vertexDistance(from, to, nearest), vertexDistance(to, from, nearest))
  return nearest >= limit_m ? limit_m : chordToArc_m(nearest)
}

/** The length of a feature's lines inside a polygon. */
export function lengthInside_m(area: MeasuredGeometry, lines: readonly FlatPath[]): number {
  return lines.length === 0 ? 0 : lengthWithin_m(lines, area.polygons)
}

function closeRing(ring: FlatPath): FlatPath {
  return [...ring, ring[0]!, ring[1]!]
}

/** Of an outline that meets no other, all vertices are inside if the first is. */
function hasOutlineIn({ polygons }: MeasuredGeometry, { outlines }: MeasuredGeometry): boolean {
  return outlines.some(([x, y]) => polygons.some((polygon) => polygonHasPoint(polygon, x!, y!)))
}

function countVertices({ paths }: MeasuredGeometry): number {
  return paths().reduce((sum, { xyz }) => sum + xyz.length / 3, 0)
}

function countRuns({ paths }: MeasuredGeometry): number {
  return paths().reduce((sum, { spheres }) => sum + spheres.length / 4, 0)
}

function measurePath(path: FlatPath): MeasuredPath {
  const xyz = Float64Array.from(splitPath(path))
  const vertices = xyz.length / 3
  const spheres: number[] = []
  for (let first = 0; first === 0 || first < vertices - 1; first += segmentsPerRun) {
    const last = Math.min(first + segmentsPerRun, vertices - 1)
    const middle = 3 * ((first + last) >> 1)
    let radius = 0
    for (let i = 3 * first; i <= 3 * last; i += 3) radius = Math.max(radius, chord(xyz, i, xyz, middle))
    spheres.push(xyz[middle]!, xyz[middle + 1]!, xyz[middle + 2]!, radius)
  }
  return { xyz, spheres: Float64Array.from(spheres) }
}

function* splitPath(path: FlatPath): Generator<number> {
  for (let i = 0; i < path.length; i += 2) {
    const [x, y] = [path[i]!, path[i + 1]!]
    const [fromX, fromY] = i === 0 ? [x, y] : [path[i - 2]!, path[i - 1]!]
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) / longestSegment_degrees))
    for (let step = 1; step <= steps; step++) {
      const at = xyzOf({ lat: fromY + ((y - fromY) * step) / steps, lng: fromX + ((x - fromX) * step) / steps })
      yield at.x
      yield at.y
      yield at.z
    }
  }
}

/** The least chord between a vertex of one path and a segment of the other, if it is below the limit. */
function vertexDistance({ xyz }: MeasuredPath, to: MeasuredPath, limit: number): number {
  let nearest = limit
  for (let vertex = 0; vertex < xyz.length; vertex += 3) {
    for (let run = 0; 4 * run < to.spheres.length; run++)
      if (chord(xyz, vertex, to.spheres, 4 * run) - to.spheres[4 * run + 3]! < nearest)
        nearest = Math.min(nearest, runDistance(xyz, vertex, to.xyz, run))
  }
  return nearest
}

function runDistance(from: Float64Array, vertex: number, xyz: Float64Array, run: number): number {
  const at = { x: from[vertex]!, y: from[vertex + 1]!, z: from[vertex + 2]! }
  const begin = 3 * run * segmentsPerRun
  const end = Math.min(begin + 3 * segmentsPerRun, xyz.length - 3)
  let least = Infinity
  for (let i = begin; i === begin || i < end; i += 3) {
    const next = i < end ? i + 3 : i
    least = Math.min(
      least,
      segmentDistance2(at, xyz[i]!, xyz[i + 1]!, xyz[i + 2]!, xyz[next]!, xyz[next + 1]!, xyz[next + 2]!),
    )
  }
  return Math.sqrt(least)
}

function chord(a: Float64Array, i: number, b: Float64Array, j: number): number {
  return Math.hypot(a[i]! - b[j]!, a[i + 1]! - b[j + 1]!, a[i + 2]! - b[j + 2]!)
}
