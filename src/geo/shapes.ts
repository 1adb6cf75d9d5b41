import { xyzOf } from './ecef.ts'
import { readGeometry, type Run } from './wkb.ts'

const runSegments = 32
const longestSegment_degrees = 0.05
const firstLength = 1024
/** Vertices that are worked on before a breath may be taken. */
const verticesOfStep = 4096

/** The grid that coordinates are held on, in degrees: 0.85 m. */
export const grid_degrees = 2 ** -17

/** Geometries laid flat. A ring or line `r` has the vertices `starts[r]` to `starts[r + 1]` of `coordinates` (x, y, in steps of the grid). */
export type Shapes = {
  coordinates: Int32Array
  starts: Uint32Array
  /** Polygons: the first ring of each and, one further, where the last ends; and the feature each belongs to. */
  polygonRings: Uint32Array
  polygonFeatures: Uint32Array
  /** The feature each ring or line belongs to. */
  ringFeatures: Uint32Array
}

/** Collects the geometries of features, in order. */
export function collectShapes() {
  const coordinates = growing(Int32Array)
  const starts = growing(Uint32Array)
  const polygonRings = growing(Uint32Array)
  const polygonFeatures = growing(Uint32Array)
  const ringFeatures = growing(Uint32Array)
  let feature = -1
  let vertices = 0
  const line = (points: number) => {
    starts.push(vertices)
    ringFeatures.push(feature)
    vertices += points
  }
  const sink = {
    polygon: () => { polygonRings.push(starts.length()); polygonFeatures.push(feature) },
    ring: line,
    line,
    run({ view, from, count, size, little }: Run) {
      for (let at = from; at < from + count * size; at += size) {
        coordinates.push(Math.round(view.getFloat64(at, little) / grid_degrees))
        coordinates.push(Math.round(view.getFloat64(at + 8, little) / grid_degrees))
      }
    },
  }
  return {
    /** The number of the feature that it is of. */
    add(geometry: Uint8Array | null): number {
      feature++
      readGeometry(geometry, sink)
      return feature
    },
    /** Hands them over: nothing can be added after. */
    shapes(): Shapes {
      polygonRings.push(starts.length())
      starts.push(vertices)
      return { coordinates: coordinates.taken(), starts: starts.taken(), polygonRings: polygonRings.taken(), polygonFeatures: polygonFeatures.taken(), ringFeatures: ringFeatures.taken() }
    },
  }
}

/** Lines and rings cut into short runs in space: the pieces a nearest search measures. */
export type Runs = {
  /** x, y, z of each vertex, metres. */
  xyz: Float64Array
  /** Where each run begins in `xyz` (in vertices) and where it ends (inclusive). */
  first: Uint32Array
  last: Uint32Array
  feature: Uint32Array
}

/** Cuts the rings and lines of some features into runs, in steps, a ring or line each; long segments are divided, so that a straight line in degrees stays one on the ground. */
export function* runsOf({ coordinates, starts, ringFeatures }: Shapes, belongs: (feature: number) => boolean): Generator<void, Runs, void> {
  const xyz = growing(Float64Array)
  const first = growing(Uint32Array)
  const last = growing(Uint32Array)
  const feature = growing(Uint32Array)
  let breath = 0
  for (let ring = 0; ring < ringFeatures.length; ring++) {
    if (!belongs(ringFeatures[ring]!)) continue
    const begin = xyz.length() / 3
    putLine(coordinates, starts[ring]!, starts[ring + 1]!, xyz)
    const end = xyz.length() / 3 - 1
    for (let at = begin; at === begin || at < end; at += runSegments) {
      first.push(at)
      last.push(Math.min(at + runSegments, end))
      feature.push(ringFeatures[ring]!)
    }
    if (end < breath + verticesOfStep) continue
    breath = end
    yield
  }
  return { xyz: xyz.taken(), first: first.taken(), last: last.taken(), feature: feature.taken() }
}

/** The box of each run: least x, y, z, then greatest x, y, z. */
export function* boxesOf({ xyz, first, last }: Runs): Generator<void, Float64Array, void> {
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
    if (run % (verticesOfStep / runSegments) === 0) yield
  }
  return boxes
}

function putLine(coordinates: Int32Array, begin: number, end: number, xyz: Growing<Float64Array>): void {
  for (let i = begin; i < end; i++) {
    const x = coordinates[2 * i]! * grid_degrees
    const y = coordinates[2 * i + 1]! * grid_degrees
    const fromX = i === begin ? x : coordinates[2 * i - 2]! * grid_degrees
    const fromY = i === begin ? y : coordinates[2 * i - 1]! * grid_degrees
    const pieces = Math.max(1, Math.ceil(Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) / longestSegment_degrees))
    for (let piece = 1; piece <= pieces; piece++) {
      const at = xyzOf({ lat: fromY + ((y - fromY) * piece) / pieces, lng: fromX + ((x - fromX) * piece) / pieces })
      xyz.push(at.x)
      xyz.push(at.y)
      xyz.push(at.z)
    }
  }
}

type Growing<A> = { push(value: number): void; length(): number; taken(): A }

/** A typed array that grows. Whatever it outgrows is given back at once, and what is taken is as large as it is filled. */
function growing<A extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(Kind: { new (buffer: ArrayBuffer): A; BYTES_PER_ELEMENT: number }): Growing<A> {
  let array = new Kind(new ArrayBuffer(firstLength * Kind.BYTES_PER_ELEMENT))
  let length = 0
  const resize = (to: number) => { array = new Kind(array.buffer.transfer(to * Kind.BYTES_PER_ELEMENT)) }
  return {
    push(value) {
      if (length === array.length) resize(2 * length)
      array[length++] = value
    },
    length: () => length,
    taken() {
      resize(length)
      return array
    },
  }
}
