import type { Extent, FlatPath } from '../../model/area.ts'

/**
 * Vertices of a path in a larger array: x and y from `begin` to `end` (in vertices), times `scale`, with `shift`
 * degrees added to x.
 */
export type PathSlice = {
  coordinates: ArrayLike<number>
  begin: number
  end: number
  scale?: number
  shift?: number
}

/** The extent of flat paths. Empty paths have an infinite, empty extent. */
export function extentOf(paths: Iterable<ArrayLike<number>>): Extent {
  const extent = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity }
  for (const path of paths) {
    for (let i = 0; i < path.length; i += 2) {
      const [x, y] = [path[i]!, path[i + 1]!]
      if (x < extent.west) extent.west = x
      if (x > extent.east) extent.east = x
      if (y < extent.south) extent.south = y
      if (y > extent.north) extent.north = y
    }
  }
  return extent
}

/** The extent with a margin on every side. */
export function growExtent({ west, south, east, north }: Extent, x_degrees: number, y_degrees = x_degrees): Extent {
  return { west: west - x_degrees, south: south - y_degrees, east: east + x_degrees, north: north + y_degrees }
}

/** Whether two extents share a point. */
export function extentsTouch(a: Extent, b: Extent): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north
}

/**
 * Cuts a ring at an extent (Sutherland and Hodgman). A ring that the extent cuts into several keeps edges along the
 * border of the extent, which enclose nothing. Empty if the ring is outside. A ring around the extent becomes its
 * outline.
 */
export function cutRingAtExtent(slice: PathSlice, extent: Extent): FlatPath {
  const windings = windingsAround(slice, extent)
  if (windings !== null) return windings % 2 === 0 ? [] : outlineOf(extent, windings)
  const ring = readNearRing(slice, extent)
  const { west, south, east, north } = extentOf([ring])
  if (west > extent.east || east < extent.west || south > extent.north || north < extent.south) return []
  let cut = ring
  if (west < extent.west) cut = cutRing(cut, 0, extent.west, 1)
  if (east > extent.east) cut = cutRing(cut, 0, extent.east, -1)
  if (south < extent.south) cut = cutRing(cut, 1, extent.south, 1)
  if (north > extent.north) cut = cutRing(cut, 1, extent.north, -1)
  return cut.length < 6 ? [] : cut
}

/** The parts of a line that touch an extent: whole segments, not cut at the border. */
export function segmentsTouchingExtent(slice: PathSlice, extent: Extent): FlatPath[] {
  const line = readPath(slice)
  const parts: FlatPath[] = []
  let current: FlatPath | null = null
  for (let i = 2; i < line.length; i += 2) {
    const segment = [line[i - 2]!, line[i - 1]!, line[i]!, line[i + 1]!]
    if (!extentsTouch(extentOf([segment]), extent)) current = null
    else if (current) current.push(line[i]!, line[i + 1]!)
    else parts.push((current = segment))
  }
  return parts
}

/** The sides of an extent on which a place lies, as bits. */
function sidesOf({ west, south, east, north }: Extent, x: number, y: number): number {
  return (x < west ? 1 : x > east ? 2 : 0) | (y < south ? 4 : y > north ? 8 : 0)
}

/** Whether a polygon with the even-odd rule contains an extent, with no edge near it. */
export function surroundsExtent(rings: readonly FlatPath[], extent: Extent): boolean {
  let isInside = false
  for (const coordinates of rings) {
    const windings = windingsAround({ coordinates, begin: 0, end: coordinates.length / 2 }, extent)
    if (windings === null) return false
    if (windings % 2 !== 0) isInside = !isInside
  }
  return isInside
}

/** The outline of an extent: counterclockwise if `direction` is positive. */
export function outlineOf({ west, south, east, north }: Extent, direction: number): FlatPath {
  return direction > 0
    ? [west, south, east, south, east, north, west, north]
    : [west, south, west, north, east, north, east, south]
}

/**
 * How often a ring runs around an extent counterclockwise; null if an edge may touch it. Most rings near a small area do
 * not touch it.
 */
function windingsAround({ coordinates, begin, end, scale = 1, shift = 0 }: PathSlice, extent: Extent): number | null {
  const middle = (extent.south + extent.north) / 2
  let x = coordinates[2 * end - 2]! * scale + shift
  let y = coordinates[2 * end - 1]! * scale
  let sides = sidesOf(extent, x, y)
  let windings = 0
  for (let i = 2 * begin; i < 2 * end; i += 2) {
    const nextX = coordinates[i]! * scale + shift
    const nextY = coordinates[i + 1]! * scale
    const nextSides = sidesOf(extent, nextX, nextY)
    if ((sides & nextSides) === 0) return null
    // Of the edges beside the extent, only those on its east side meet a ray from its middle to the east.
    if (y > middle !== nextY > middle && x > extent.east) windings += nextY > y ? 1 : -1
    x = nextX
    y = nextY
    sides = nextSides
  }
  return windings
}

/**
 * The vertices of a ring, without those that lie on one side of the extent together with the vertices before and after
 * them: the triangle that each cuts off does not touch the extent.
 */
function readNearRing({ coordinates, begin, end, scale = 1, shift = 0 }: PathSlice, extent: Extent): FlatPath {
  const ring: FlatPath = []
  const last = 2 * end - 2
  let before = 0
  let [x, y] = [coordinates[2 * begin]! * scale + shift, coordinates[2 * begin + 1]! * scale]
  let sides = sidesOf(extent, x, y)
  for (let i = 2 * begin; i <= last; i += 2) {
    const next = i === last ? 2 * begin : i + 2
    const nextX = coordinates[next]! * scale + shift
    const nextY = coordinates[next + 1]! * scale
    const nextSides = sidesOf(extent, nextX, nextY)
    // The first vertex is kept, because it is the next one of the last.
    if ((before & sides & nextSides) === 0) {
      ring.push(x, y)
      before = sides
    }
    sides = nextSides
    x = nextX
    y = nextY
  }
  return ring
}

/** The vertices of a slice, without repeated ones. */
function readPath({ coordinates, begin, end, scale = 1, shift = 0 }: PathSlice): FlatPath {
  const path: FlatPath = []
  for (let i = 2 * begin; i < 2 * end; i += 2) {
    const [x, y] = [coordinates[i]! * scale + shift, coordinates[i + 1]! * scale]
    if (path.length === 0 || x !== path[path.length - 2] || y !== path[path.length - 1]) path.push(x, y)
  }
  return path
}

/** Keeps the side of an axis-parallel line on which `sign * (coordinate - limit)` is not negative. */
function cutRing(ring: FlatPath, axis: 0 | 1, limit: number, sign: 1 | -1): FlatPath {
  const cut: FlatPath = []
  const count = ring.length
  for (let i = 0; i < count; i += 2) {
    const before = i === 0 ? count - 2 : i - 2
    const wasInside = sign * (ring[before + axis]! - limit) >= 0
    const isInside = sign * (ring[i + axis]! - limit) >= 0
    if (wasInside !== isInside) pushCrossing(cut, ring, before, i, axis, limit)
    if (isInside) cut.push(ring[i]!, ring[i + 1]!)
  }
  return cut
}

/** Computed in the same order for both directions of an edge, so that neighbors get the same crossing. */
// oxlint-disable-next-line max-params -- Numbers, because this inner loop must not allocate.
function pushCrossing(to: FlatPath, ring: FlatPath, a: number, b: number, axis: 0 | 1, limit: number): void {
  const isInOrder = ring[a + axis]! < ring[b + axis]!
  const [low, high] = isInOrder ? [a, b] : [b, a]
  const other = 1 - axis
  const t = (limit - ring[low + axis]!) / (ring[high + axis]! - ring[low + axis]!)
  const crossing = ring[low + other]! + t * (ring[high + other]! - ring[low + other]!)
  if (axis === 0) to.push(limit, crossing)
  else to.push(crossing, limit)
}
