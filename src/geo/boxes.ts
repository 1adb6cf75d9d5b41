import type { Position } from '../model/source.ts'
import type { Extent } from '../model/area.ts'

/** A box in degrees, within longitudes -180 to 180. */
export type QueryBox = { w: number; s: number; e: number; n: number }

/** Returns the outline of a box: a closed ring, counterclockwise from its southwest corner. */
export function ringOfBox({ w, s, e, n }: QueryBox): Position[] {
  return [
    [w, s],
    [e, s],
    [e, n],
    [w, n],
    [w, s],
  ]
}

/** The parts of a box that may extend beyond 180 degrees: two if it crosses the antimeridian. */
export function splitAtAntimeridian({ w, s, e, n }: QueryBox): QueryBox[] {
  if (e - w >= 360) return [{ w: -180, s, e: 180, n }]
  if (w < -180) return [{ w: w + 360, s, e: 180, n }, ...(e > -180 ? [{ w: -180, s, e, n }] : [])]
  if (e > 180) return [...(w < 180 ? [{ w, s, e: 180, n }] : []), { w: -180, s, e: e - 360, n }]
  return [{ w, s, e, n }]
}

/** The boxes of polygons: one, or one on each side of the antimeridian. */
export function boxesOfPolygons(polygons: readonly (readonly (readonly Position[])[])[]): QueryBox[] {
  const boxes = polygons.flatMap((rings) => splitAtAntimeridian(boxOfPaths(rings)))
  const isWide = Math.max(...boxes.map(({ e }) => e)) - Math.min(...boxes.map(({ w }) => w)) > 180
  return isWide
    ? [boxes.filter(({ w }) => w < 0), boxes.filter(({ w }) => w >= 0)].map(boundingBoxOf)
    : [boundingBoxOf(boxes)]
}

/** The boxes with this many meters more on every side, merged where they overlap. */
export function widenBoxes(boxes: readonly QueryBox[], margin_m: number): QueryBox[] {
  return mergeBoxes(boxes.flatMap((box) => splitAtAntimeridian(widenBox(box, margin_m))))
}

/** Merges boxes that overlap, unless the merged box would be larger than both together. */
export function mergeBoxes(boxes: readonly QueryBox[]): QueryBox[] {
  const merged: QueryBox[] = []
  for (const box of boxes.toSorted((a, b) => a.w - b.w || a.s - b.s)) {
    let current = box
    for (let i = merged.length - 1; i >= 0; i--) {
      const other = merged[i]!
      const together = boundingBoxOf([current, other])
      if (!boxesTouch(current, other) || areaOf(together) > areaOf(current) + areaOf(other)) continue
      merged.splice(i, 1)
      current = together
      i = merged.length
    }
    merged.push(current)
  }
  return merged
}

/** Whether an extent, which may be beyond 180 degrees, and one of the boxes have a point in common. */
export function touchesBoxes({ west, south, east, north }: Extent, boxes: readonly QueryBox[]): boolean {
  const turns = [-360, 0, 360].map((turn) => ({ w: west + turn, s: south, e: east + turn, n: north }))
  return boxes.some((box) => turns.some((turn) => boxesTouch(turn, box)))
}

/** An extent of nothing, which `addToExtent` makes larger. */
export function emptyExtent(): Extent {
  return { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity }
}

/** Makes an extent so large that it has a position. A coordinate that is not a number makes its bounds NaN. */
export function addToExtent(extent: Extent, x: number, y: number): void {
  extent.west = Math.min(extent.west, x)
  extent.south = Math.min(extent.south, y)
  extent.east = Math.max(extent.east, x)
  extent.north = Math.max(extent.north, y)
}

/** The extent of all positions. Taking each apart by its iterator would take ten times as long. */
export function extentOfPaths(paths: readonly (readonly Position[])[]): Extent {
  const extent = emptyExtent()
  for (const path of paths) for (const { 0: x, 1: y } of path) addToExtent(extent, x, y)
  return extent
}

/** Makes an extent so large that it has another one, which may be empty. */
export function addExtent(extent: Extent, { west, south, east, north }: Extent): void {
  extent.west = Math.min(extent.west, west)
  extent.south = Math.min(extent.south, south)
  extent.east = Math.max(extent.east, east)
  extent.north = Math.max(extent.north, north)
}

/** The smallest extent with all these extents. */
export function unionOfExtents(extents: readonly Extent[]): Extent {
  const union = emptyExtent()
  for (const extent of extents) addExtent(union, extent)
  return union
}

/** Whether an extent has every point of another one. */
export function extentContains(outer: Extent, inner: Extent): boolean {
  return (
    outer.west <= inner.west && inner.east <= outer.east && outer.south <= inner.south && inner.north <= outer.north
  )
}

/** Whether two boxes have a point in common. */
export function boxesTouch(a: QueryBox, b: QueryBox): boolean {
  return a.w <= b.e && b.w <= a.e && a.s <= b.n && b.s <= a.n
}

/** The four quarters of a box. */
export function quartersOf({ w, s, e, n }: QueryBox): QueryBox[] {
  const [x, y] = [(w + e) / 2, (s + n) / 2]
  return [
    { w, s, e: x, n: y },
    { w: x, s, e, n: y },
    { w, s: y, e: x, n },
    { w: x, s: y, e, n },
  ]
}

/** Shorter than any degree of latitude, so that a widened box is never too small. */
const minMetersPerDegree = 110_567
const radians = Math.PI / 180
const maxLatitude = 89

function widenBox({ w, s, e, n }: QueryBox, margin_m: number): QueryBox {
  const height = margin_m / minMetersPerDegree
  const latitude = Math.min(maxLatitude, Math.max(Math.abs(s), Math.abs(n)) + height)
  const width = Math.min(180, height / Math.cos(latitude * radians))
  return { w: w - width, s: Math.max(-90, s - height), e: e + width, n: Math.min(90, n + height) }
}

function boxOfPaths(paths: readonly (readonly Position[])[]): QueryBox {
  const { west: w, south: s, east: e, north: n } = extentOfPaths(paths)
  return { w, s, e, n }
}

function boundingBoxOf(boxes: readonly QueryBox[]): QueryBox {
  return {
    w: Math.min(...boxes.map(({ w }) => w)),
    s: Math.min(...boxes.map(({ s }) => s)),
    e: Math.max(...boxes.map(({ e }) => e)),
    n: Math.max(...boxes.map(({ n }) => n)),
  }
}

function areaOf({ w, s, e, n }: QueryBox): number {
  return (e - w) * (n - s)
}
