import type { Position } from '../model/source.ts'

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
  const boxes = polygons.flatMap((rings) => splitAtAntimeridian(boxOfPositions(rings.flat())))
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

function boxOfPositions(positions: readonly Position[]): QueryBox {
  const box = { w: Infinity, s: Infinity, e: -Infinity, n: -Infinity }
  for (const [lng, lat] of positions) {
    box.w = Math.min(box.w, lng)
    box.s = Math.min(box.s, lat)
    box.e = Math.max(box.e, lng)
    box.n = Math.max(box.n, lat)
  }
  return box
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
