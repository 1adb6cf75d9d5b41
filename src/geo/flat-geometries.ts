import { xyzOf } from './ecef.ts'
import type { Geometry, Position } from '../model/source.ts'

const segmentsPerRun = 32
const longestSegment_degrees = 0.05
const initialLength = 1024
/** Vertices processed between two yields. */
const verticesPerStep = 4096

/** The resolution of stored coordinates in degrees: 0.85 m. */
export const coordinateStep_degrees = 2 ** -17
/** The size of the cells and rows of polygons in coordinate steps: 1/32 of a degree. */
export const coordinateSteps_perCell = 2 ** 12

/**
 * Geometries in flat arrays. Ring or line `r` has the vertices `starts[r]` up to `starts[r + 1]` (exclusive) of
 * `coordinates` (x, y, in steps).
 */
export type FlatGeometries = {
  coordinates: Int32Array
  starts: Uint32Array
  /** The first ring of each polygon, followed by the end of the last one. */
  polygonRings: Uint32Array
  /** The feature of each polygon. */
  polygonFeatures: Uint32Array
  /** The feature of each ring or line. */
  ringFeatures: Uint32Array
}

/** The geometry of one feature, as positions. */
export function geometryOfFeature(shapes: FlatGeometries, feature: number): Geometry {
  const { coordinates, starts, polygonRings, polygonFeatures, ringFeatures } = shapes
  const pathAt = (ring: number): Position[] =>
    Array.from({ length: starts[ring + 1]! - starts[ring]! }, (_, i) => {
      const vertex = 2 * (starts[ring]! + i)
      return [coordinates[vertex]! * coordinateStep_degrees, coordinates[vertex + 1]! * coordinateStep_degrees]
    })
  let polygon = firstIndexOf(polygonFeatures, feature)
  const polygonEndAt = (ring: number) =>
    polygonFeatures[polygon] === feature && polygonRings[polygon] === ring ? polygonRings[++polygon]! : null
  const rings = { first: firstIndexOf(ringFeatures, feature), end: firstIndexOf(ringFeatures, feature + 1) }
  return collectPaths(rings, pathAt, polygonEndAt)
}

/**
 * Collects paths into a geometry: the rings of polygons, lines, and points (lines of one vertex). `polygonEndAt`
 * returns the path after the last ring of the polygon that begins at a path, null if none begins there. It is called in
 * order.
 */
export function collectPaths(
  { first, end }: { first: number; end: number },
  pathAt: (path: number) => Position[],
  polygonEndAt: (path: number) => number | null,
): Geometry {
  const geometry: Geometry = { points: [], lines: [], polygons: [] }
  for (let path = first; path < end;) {
    const polygonEnd = polygonEndAt(path)
    if (polygonEnd !== null) {
      const from = path
      geometry.polygons.push(Array.from({ length: polygonEnd - from }, (_, i) => pathAt(from + i)))
      path = polygonEnd
      continue
    }
    const line = pathAt(path++)
    if (line.length === 1) geometry.points.push(line[0]!)
    else geometry.lines.push(line)
  }
  return geometry
}

/** The first index of a value in a list in ascending order, or of the next larger value. */
function firstIndexOf(list: Uint32Array, value: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Lines and rings, split into short runs of segments for nearest-feature search. */
export type SegmentRuns = {
  /** x, y, z of each vertex in meters. */
  xyz: Float64Array
  /** The first and the last vertex of each run (inclusive). */
  first: Uint32Array
  last: Uint32Array
  feature: Uint32Array
}

/**
 * Splits the rings and lines of the included features into runs, incrementally. Subdivides long segments so that they
 * follow a straight line in degrees. /
 */
export function* buildSegmentRuns(
  { coordinates, starts, ringFeatures }: FlatGeometries,
  includes: (feature: number) => boolean,
): Generator<void, SegmentRuns, void> {
  const xyz = createGrowableArray(Float64Array)
  const first = createGrowableArray(Uint32Array)
  const last = createGrowableArray(Uint32Array)
  const feature = createGrowableArray(Uint32Array)
  let lastYield = 0
  for (let ring = 0; ring < ringFeatures.length; ring++) {
    if (!includes(ringFeatures[ring]!)) continue
    const begin = xyz.length() / 3
    appendLine(coordinates, starts[ring]!, starts[ring + 1]!, xyz)
    const end = xyz.length() / 3 - 1
    for (let at = begin; at === begin || at < end; at += segmentsPerRun) {
      first.push(at)
      last.push(Math.min(at + segmentsPerRun, end))
      feature.push(ringFeatures[ring]!)
    }
    if (end < lastYield + verticesPerStep) continue
    lastYield = end
    yield
  }
  return { xyz: xyz.finish(), first: first.finish(), last: last.finish(), feature: feature.finish() }
}

/** The box of each run: minimum x, y, z, then maximum x, y, z. */
export function* segmentRunBoxesOf({ xyz, first, last }: SegmentRuns): Generator<void, Float64Array, void> {
  const boxes = new Float64Array(6 * first.length)
  for (let run = 0; run < first.length; run++) {
    for (let k = 0; k < 3; k++) {
      let least = Infinity
      let greatest = -Infinity
      for (let i = first[run]!; i <= last[run]!; i++) {
        least = Math.min(least, xyz[3 * i + k]!)
        greatest = Math.max(greatest, xyz[3 * i + k]!)
      }
      boxes[6 * run + k] = least
      boxes[6 * run + k + 3] = greatest
    }
    if (run % (verticesPerStep / segmentsPerRun) === 0) yield
  }
  return boxes
}

function appendLine(coordinates: Int32Array, begin: number, end: number, xyz: GrowableArray<Float64Array>): void {
  for (let i = begin; i < end; i++) {
    const x = coordinates[2 * i]! * coordinateStep_degrees
    const y = coordinates[2 * i + 1]! * coordinateStep_degrees
    const fromX = i === begin ? x : coordinates[2 * i - 2]! * coordinateStep_degrees
    const fromY = i === begin ? y : coordinates[2 * i - 1]! * coordinateStep_degrees
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) / longestSegment_degrees))
    for (let step = 1; step <= steps; step++) {
      const at = xyzOf({ lat: fromY + ((y - fromY) * step) / steps, lng: fromX + ((x - fromX) * step) / steps })
      xyz.push(at.x)
      xyz.push(at.y)
      xyz.push(at.z)
    }
  }
}

type GrowableArray<A> = { push(value: number): void; length(): number; finish(): A }

/**
 * A typed array that grows. Growing frees the old buffer immediately, and `finish` returns an array of the exact
 * length.
 */
export function createGrowableArray<
  A extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
>(Kind: { new (buffer: ArrayBuffer): A; BYTES_PER_ELEMENT: number }): GrowableArray<A> {
  let array = new Kind(new ArrayBuffer(initialLength * Kind.BYTES_PER_ELEMENT))
  let length = 0
  const resize = (to: number) => {
    array = new Kind(array.buffer.transfer(to * Kind.BYTES_PER_ELEMENT))
  }
  return {
    push(value) {
      if (length === array.length) resize(2 * length)
      array[length++] = value
    },
    length: () => length,
    finish() {
      resize(length)
      return array
    },
  }
}
