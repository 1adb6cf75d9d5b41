import { collectPaths } from '../../geo/flat-geometries.ts'
import { crossesRay } from '../../geo/polygon.ts'
import { readGeometry, type VertexBlock } from '../../geo/text/wkb.ts'
import type { Point } from '../../model/place.ts'
import type { Geometry, Position } from '../../model/source.ts'
import type { Extent } from '../../model/area.ts'
import { emptyExtent, addToExtent } from '../../geo/boxes.ts'

/** The number of edges that share a box. */
export const edgesPerRun = 32

/**
 * The decoded geometry of one feature. `coordinates` holds x and y in degrees. Path `p` (a ring, a line or a point) has
 * the vertices `starts[p]` to `starts[p + 1]`. Polygon `i` has the paths `polygons[2 i]` to `polygons[2 i + 1]`. `runs`
 * holds the box (west, east, south, north) of every 32 edges.
 */
export type PackShape = {
  coordinates: Float64Array
  starts: Uint32Array
  polygons: Uint32Array
  runs: Float64Array
  box: Extent
  xyz: Float64Array | null
  bytes: number
}

/** Converts a layer's coordinates to degrees; null if they are degrees. */
export type Unproject = ((x: number, y: number) => [lng: number, lat: number]) | null

/** Decodes a GeoPackage geometry; `null` if it is empty. @throws Error if it is invalid. */
export function decodeShape(blob: Uint8Array | null, unproject: Unproject): PackShape | null {
  const starts: number[] = []
  const polygons: number[] = []
  const coordinates = new Float64Array(largestLengthOf(blob))
  let length = 0
  let isRing = false
  readGeometry(blob, {
    polygon: () => polygons.push(starts.length, starts.length),
    ring: () => beginPath(true),
    line: () => beginPath(false),
    vertexBlock(vertices) {
      copyVertices(vertices, coordinates, length)
      if (unproject) unprojectVertices(unproject, coordinates, length, length + 2 * vertices.count)
      length += 2 * vertices.count
      if (isRing) closeRing()
    },
  })
  if (starts.length === 0) return null
  const used = coordinates.length > 1.02 * length ? coordinates.slice(0, length) : coordinates.subarray(0, length)
  return createShape(used, Uint32Array.from([...starts, length / 2]), Uint32Array.from(polygons))

  function beginPath(ring: boolean) {
    starts.push(length / 2)
    isRing = ring
    if (ring) polygons[polygons.length - 1] = starts.length
  }

  function closeRing() {
    const first = 2 * starts.at(-1)!
    if (coordinates[length - 2] === coordinates[first] && coordinates[length - 1] === coordinates[first + 1]) return
    coordinates.copyWithin(length, first, first + 2)
    length += 2
  }
}

/** The number of x and y of a geometry if each of its rings must be closed. */
function largestLengthOf(blob: Uint8Array | null): number {
  let length = 0
  readGeometry(blob, {
    polygon: () => {},
    ring: () => (length += 2),
    line: () => {},
    vertexBlock: ({ count }) => (length += 2 * count),
  })
  return length
}

/** Frees a large array that is not used any more. Before the next collection, hundreds of them would add up. */
export function freeLargeBuffer({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > 65_536) buffer.transfer(0)
}

/**
 * Whether a polygon of the shape contains the point, excluding holes. geo/polygon.ts says which borders belong to it.
 */
export function shapeContains(shape: PackShape, { lat, lng }: Point): boolean {
  const { box, polygons } = shape
  if (lat < box.south || lat > box.north) return false
  for (const x of [lng, lng - 360, lng + 360]) {
    if (x < box.west || x > box.east) continue
    for (let i = 0; i < polygons.length; i += 2) {
      let crossings = 0
      for (let ring = polygons[i]!; ring < polygons[i + 1]!; ring++) crossings += countCrossings(shape, ring, x, lat)
      if (crossings % 2 === 1) return true
    }
  }
  return false
}

/** The geometry of a shape, as positions. */
export function geometryOfShape({ coordinates, starts, polygons }: PackShape): Geometry {
  const pathAt = (path: number): Position[] =>
    Array.from({ length: starts[path + 1]! - starts[path]! }, (_, i) => {
      const vertex = 2 * (starts[path]! + i)
      return [coordinates[vertex]!, coordinates[vertex + 1]!]
    })
  let polygon = 0
  const polygonEndAt = (path: number) => (path === polygons[polygon] ? polygons[(polygon += 2) - 1]! : null)
  return collectPaths({ first: 0, end: starts.length - 1 }, pathAt, polygonEndAt)
}

/** The area of the polygons in square meters, accurate to 1 %. */
export function shapeArea_m2({ coordinates, starts, polygons }: PackShape): number {
  let sum = 0
  for (let i = 0; i < polygons.length; i += 2) {
    for (let ring = polygons[i]!; ring < polygons[i + 1]!; ring++)
      sum += (ring === polygons[i] ? 1 : -1) * ringArea_m2(coordinates, starts[ring]!, starts[ring + 1]!)
  }
  return sum
}

const radiansPerDegree = Math.PI / 180
const meanRadius_m = 6_371_008.8

/** Copies the raw bytes if they have the layout of a Float64Array, which is almost always true. */
function copyVertices(
  { view, offset, count, stride_bytes, littleEndian }: VertexBlock,
  to: Float64Array<ArrayBuffer>,
  at: number,
): void {
  if (littleEndian && stride_bytes === 2 * Float64Array.BYTES_PER_ELEMENT) {
    new Uint8Array(to.buffer).set(
      new Uint8Array(view.buffer, view.byteOffset + offset, count * stride_bytes),
      at * Float64Array.BYTES_PER_ELEMENT,
    )
    return
  }
  for (let i = 0; i < count; i++) {
    to[at + 2 * i] = view.getFloat64(offset + i * stride_bytes, littleEndian)
    to[at + 2 * i + 1] = view.getFloat64(offset + i * stride_bytes + 8, littleEndian)
  }
}

/** Unwraps longitudes that the projection cut at the antimeridian. */
function unprojectVertices(
  unproject: NonNullable<Unproject>,
  coordinates: Float64Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i += 2) {
    const [lng, lat] = unproject(coordinates[i]!, coordinates[i + 1]!)
    coordinates[i] = i === 0 ? lng : lng + 360 * Math.round((coordinates[i - 2]! - lng) / 360)
    coordinates[i + 1] = lat
  }
}

function createShape(coordinates: Float64Array, starts: Uint32Array, polygons: Uint32Array): PackShape {
  const runs = runBoxesOf(coordinates)
  const box = boxOf(runs)
  if (!(box.west >= -540 && box.east <= 540 && box.south >= -90.001 && box.north <= 90.001))
    throw new Error('A vertex is not on the earth.')
  // A small shape caches its `xyz` when a distance is first measured. `bytes` includes it from the start.
  return {
    coordinates,
    starts,
    polygons,
    runs,
    box,
    xyz: null,
    bytes: 400 + runs.byteLength + coordinates.byteLength * (runs.length <= 4 ? 2.5 : 1),
  }
}

function boxOf(runs: Float64Array): Extent {
  const box = emptyExtent()
  for (let i = 0; i < runs.length; i += 4) {
    addToExtent(box, runs[i]!, runs[i + 2]!)
    addToExtent(box, runs[i + 1]!, runs[i + 3]!)
  }
  return box
}

/**
 * The boxes of consecutive edges, across ring boundaries: a run that spans two rings only has a larger box than needed.
 * The box of a run with a vertex that is not finite has `west` NaN.
 */
function runBoxesOf(coordinates: Float64Array): Float64Array {
  const vertices = coordinates.length / 2
  const runs = new Float64Array(4 * Math.max(1, Math.ceil((vertices - 1) / edgesPerRun)))
  for (let run = 0; 4 * run < runs.length; run++) {
    const first = run * edgesPerRun
    const last = Math.min(first + edgesPerRun, vertices - 1)
    let west = coordinates[2 * first]!
    let south = coordinates[2 * first + 1]!
    let east = west
    let north = south
    let sum = west + south
    for (let i = 2 * first + 2; i <= 2 * last; i += 2) {
      const x = coordinates[i]!
      const y = coordinates[i + 1]!
      if (x < west) west = x
      else if (x > east) east = x
      if (y < south) south = y
      else if (y > north) north = y
      sum += x + y
    }
    runs[4 * run] = Number.isFinite(sum) ? west : NaN
    runs[4 * run + 1] = east
    runs[4 * run + 2] = south
    runs[4 * run + 3] = north
  }
  return runs
}

/**
 * The number of a ring's edges that a ray from the point to the east crosses. Skips runs north or south of the point.
 */
function countCrossings({ coordinates, starts, runs }: PackShape, ring: number, x: number, y: number): number {
  const end = starts[ring + 1]! - 1
  let crossings = 0
  for (let i = starts[ring]!; i < end;) {
    const run = Math.floor(i / edgesPerRun)
    const next = Math.min(end, (run + 1) * edgesPerRun)
    if (y < runs[4 * run + 2]! || y >= runs[4 * run + 3]!) i = next
    for (; i < next; i++)
      if (
        crossesRay(coordinates[2 * i]!, coordinates[2 * i + 1]!, coordinates[2 * i + 2]!, coordinates[2 * i + 3]!, x, y)
      )
        crossings++
  }
  return crossings
}

function ringArea_m2(coordinates: Float64Array, begin: number, end: number): number {
  let sum = 0
  for (let i = begin; i + 1 < end; i++) {
    sum +=
      (coordinates[2 * i + 2]! - coordinates[2 * i]!) *
      radiansPerDegree *
      (2 + Math.sin(coordinates[2 * i + 1]! * radiansPerDegree) + Math.sin(coordinates[2 * i + 3]! * radiansPerDegree))
  }
  return (Math.abs(sum) * meanRadius_m ** 2) / 2
}
