import type { YieldToEventLoop } from '../async/incremental-task.ts'
import { runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import { chordToArc_m, segmentDistance2, xyzOf } from '../geo/ecef.ts'
import { extentOf, extentsTouch, growExtent } from '../geo/overlay/cut-at-extent.ts'
import type { Extent, FlatPath } from '../model/area.ts'
import { UpstreamError } from '../model/error.ts'
import type { QueryArea } from './shape/area-geometry.ts'
import { contact_degrees, LineIndex, polygonHasPoint, type TestedPolygon } from './shape/line-cuts.ts'
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
  paths: () => MaybePromise<MeasuredPath[]>
  yieldToEventLoop: YieldToEventLoop
}

/** A path in earth-centered meters, with a sphere (x, y, z, radius) around each run of segments. */
type MeasuredPath = { xyz: Float64Array; spheres: Float64Array }

const segmentsPerRun = 16
/** Longer segments are split, so that they follow a line that is straight in degrees. */
const longestSegment_degrees = 0.05
/** The most vertices of a geometry after that. They take 50 MB. */
const maxVertices = 2_000_000
/** Measuring more pairs of a vertex and a run takes longer than a second. */
const maxPairs = 50_000_000
/** So many vertices, or pairs, are measured in less than a millisecond. */
const [verticesPerStep, pairsPerStep] = [1_000, 20_000]

/** Prepares an area. */
export function measuredArea(area: QueryArea, yieldToEventLoop: YieldToEventLoop): MeasuredGeometry {
  const [polygons, lines] = area.kind === 'line' ? [[], area.lines] : [[area.overlay.toPaths(area.rings)], []]
  return measuredGeometry({ polygons, lines, points: [] }, yieldToEventLoop)
}

/** Prepares a feature. */
export function measuredGeometry(
  { polygons, lines, points }: Pick<JoinedFeature, 'polygons' | 'lines' | 'points'>,
  yieldToEventLoop: YieldToEventLoop,
): MeasuredGeometry {
  const singles = Array.from({ length: points.length / 2 }, (_, i) => points.slice(2 * i, 2 * i + 2))
  const outlines = [...polygons.flat().map((ring) => [...ring, ring[0]!, ring[1]!]), ...lines, ...singles]
  let index: LineIndex | undefined
  let paths: MaybePromise<MeasuredPath[]> | undefined
  return {
    polygons: polygons.map((rings) => ({ rings, extent: extentOf(rings) })),
    outlines,
    extent: extentOf(outlines),
    index: () => (index ??= new LineIndex(outlines)),
    paths: () => (paths ??= runCoroutine(measurePaths(outlines, yieldToEventLoop))),
    yieldToEventLoop,
  }
}

/**
 * Whether two geometries share a point: an overlap, a crossing, a common border, or a point inside. Builds the index of
 * the first one only: the area, which is compared with many features.
 */
export function* geometriesIntersect(area: MeasuredGeometry, feature: MeasuredGeometry): Coroutine<boolean> {
  if (!extentsTouch(growExtent(area.extent, contact_degrees), feature.extent)) return false
  for (const path of feature.outlines)
    if (yield* area.index().meets(path, contact_degrees, area.yieldToEventLoop)) return true
  return (yield* hasOutlineIn(area, feature)) || (yield* hasOutlineIn(feature, area))
}

/**
 * The distance along the ground between two geometries that do not touch, in meters. The nearest place on one of them
 * is a vertex. `limit_m`: larger distances need not be exact.
 * @throws {UpstreamError} `too_large` if they have too many vertices.
 */
export function* distanceBetween(a: MeasuredGeometry, b: MeasuredGeometry, limit_m: number): Coroutine<number> {
  const [ofA, ofB] = [yield* waitFor(a.paths()), yield* waitFor(b.paths())]
  const pairs = numbersIn(ofA, 'xyz') * numbersIn(ofB, 'spheres') + numbersIn(ofB, 'xyz') * numbersIn(ofA, 'spheres')
  if (pairs > 3 * 4 * maxPairs) throw tooManyVertices()
  let nearest = limit_m
  for (const from of ofA)
    for (const to of ofB) {
      nearest = yield* vertexDistance(from, to, nearest, a.yieldToEventLoop)
      nearest = yield* vertexDistance(to, from, nearest, a.yieldToEventLoop)
    }
  return nearest >= limit_m ? limit_m : chordToArc_m(nearest)
}

function tooManyVertices(): UpstreamError {
  return new UpstreamError(
    'too_large',
    'The area and a feature near it have too many vertices to measure the distance. Simplify the area.',
  )
}

/** Of an outline that meets no other, all vertices are inside if the first is. */
function* hasOutlineIn(
  { polygons, yieldToEventLoop }: MeasuredGeometry,
  { outlines }: MeasuredGeometry,
): Coroutine<boolean> {
  for (const [x, y] of outlines) {
    yield* waitFor(yieldToEventLoop())
    if (polygons.some((polygon) => polygonHasPoint(polygon, x!, y!))) return true
  }
  return false
}

function numbersIn(paths: readonly MeasuredPath[], member: keyof MeasuredPath): number {
  return paths.reduce((sum, path) => sum + path[member].length, 0)
}

function* measurePaths(outlines: readonly FlatPath[], yieldToEventLoop: YieldToEventLoop): Coroutine<MeasuredPath[]> {
  if (outlines.reduce((sum, path) => sum + verticesAfterSplit(path), 0) > maxVertices) throw tooManyVertices()
  const paths: MeasuredPath[] = []
  for (const path of outlines) paths.push(yield* measurePath(path, yieldToEventLoop))
  return paths
}

function* measurePath(path: FlatPath, yieldToEventLoop: YieldToEventLoop): Coroutine<MeasuredPath> {
  const vertices = verticesAfterSplit(path)
  const xyz = new Float64Array(3 * vertices)
  let vertex = 0
  for (let i = 0; i < path.length; i += 2) {
    const [x, y] = [path[i]!, path[i + 1]!]
    const [fromX, fromY] = i === 0 ? [x, y] : [path[i - 2]!, path[i - 1]!]
    const pieces = piecesBefore(path, i)
    for (let piece = 1; piece <= pieces; piece++) {
      if (vertex % verticesPerStep === 0) yield* waitFor(yieldToEventLoop())
      const at = xyzOf({ lat: fromY + ((y - fromY) * piece) / pieces, lng: fromX + ((x - fromX) * piece) / pieces })
      xyz.set([at.x, at.y, at.z], 3 * vertex++)
    }
  }
  const spheres: number[] = []
  for (let first = 0; first === 0 || first < vertices - 1; first += segmentsPerRun) {
    yield* waitFor(yieldToEventLoop())
    const last = Math.min(first + segmentsPerRun, vertices - 1)
    const middle = 3 * ((first + last) >> 1)
    let radius = 0
    for (let i = 3 * first; i <= 3 * last; i += 3) radius = Math.max(radius, chord(xyz, i, xyz, middle))
    spheres.push(xyz[middle]!, xyz[middle + 1]!, xyz[middle + 2]!, radius)
  }
  return { xyz, spheres: Float64Array.from(spheres) }
}

function verticesAfterSplit(path: FlatPath): number {
  let count = 0
  for (let i = 0; i < path.length; i += 2) count += piecesBefore(path, i)
  return count
}

/** In how many pieces the segment that ends at a vertex is split; 1 for the first vertex. */
function piecesBefore(path: FlatPath, i: number): number {
  const size = i === 0 ? 0 : Math.max(Math.abs(path[i]! - path[i - 2]!), Math.abs(path[i + 1]! - path[i - 1]!))
  return Math.max(1, Math.ceil(size / longestSegment_degrees))
}

/** The least chord between a vertex of one path and a segment of the other, if it is below the limit. */
function* vertexDistance(
  { xyz }: MeasuredPath,
  to: MeasuredPath,
  limit: number,
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<number> {
  const runs = to.spheres.length / 4
  const numbersPerStep = 3 * Math.ceil(pairsPerStep / runs)
  let nearest = limit
  for (let vertex = 0; vertex < xyz.length; vertex += 3) {
    if (vertex % numbersPerStep === 0) yield* waitFor(yieldToEventLoop())
    for (let run = 0; run < runs; run++)
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
