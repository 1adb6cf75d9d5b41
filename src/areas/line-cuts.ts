import Flatbush from 'flatbush'
import { segmentLength_m } from '../geo/ellipsoid.ts'
import { extentOf } from '../geo/cut-at-extent.ts'
import type { Extent, FlatPath } from '../model/area.ts'

/** A stretch of a line between two cuts. `x` and `y`: its middle. */
export type Stretch = { from_m: number; to_m: number; x: number; y: number }

/** Lines that can be cut where rings cross them. Distances count over all lines, in order. */
export class CuttableLines {
  readonly #lines: readonly FlatPath[]
  readonly #index: Flatbush
  /** The line and the first vertex of each segment, as the index numbers them. */
  readonly #segments: { line: number; vertex: number }[] = []
  readonly #cuts = new Map<number, number[]>()

  constructor(lines: readonly FlatPath[]) {
    this.#lines = lines
    for (const [line, path] of lines.entries())
      for (let vertex = 0; vertex + 1 < path.length / 2; vertex++) this.#segments.push({ line, vertex })
    this.#index = new Flatbush(this.#segments.length)
    for (const segment of this.#segments) {
      const { west, south, east, north } = extentOf([this.#endsOf(segment)])
      this.#index.add(west, south, east, north)
    }
    this.#index.finish()
  }

  /** Cuts the lines at every crossing with a ring. */
  cutAtRing(ring: FlatPath): void {
    const count = ring.length
    for (let i = 0; i < count; i += 2) {
      const before = i === 0 ? count - 2 : i - 2
      this.#cutAtEdge(ring[before]!, ring[before + 1]!, ring[i]!, ring[i + 1]!)
    }
  }

  /** Cuts the lines at every crossing with another line. */
  cutAtLine(line: FlatPath): void {
    for (let i = 2; i < line.length; i += 2) this.#cutAtEdge(line[i - 2]!, line[i - 1]!, line[i]!, line[i + 1]!)
  }

  hasCuts(): boolean {
    return this.#cuts.size > 0
  }

  /** The stretches between the cuts, in order. */
  stretches(): Stretch[] {
    const stretches: Stretch[] = []
    let from_m = 0
    for (const [i, segment] of this.#segments.entries()) {
      const [x1, y1, x2, y2] = this.#endsOf(segment) as [number, number, number, number]
      let previous = 0
      for (const t of [...(this.#cuts.get(i) ?? []).toSorted((a, b) => a - b), 1]) {
        if (t <= previous) continue
        const [ax, ay] = [x1 + previous * (x2 - x1), y1 + previous * (y2 - y1)]
        const [bx, by] = [x1 + t * (x2 - x1), y1 + t * (y2 - y1)]
        const to_m = from_m + segmentLength_m(ax, ay, bx, by)
        stretches.push({ from_m, to_m, x: (ax + bx) / 2, y: (ay + by) / 2 })
        from_m = to_m
        previous = t
      }
    }
    return stretches
  }

  #endsOf({ line, vertex }: { line: number; vertex: number }): FlatPath {
    return this.#lines[line]!.slice(2 * vertex, 2 * vertex + 4)
  }

  #cutAtEdge(x1: number, y1: number, x2: number, y2: number): void {
    const { west, south, east, north } = extentOf([[x1, y1, x2, y2]])
    for (const i of this.#index.search(west, south, east, north)) {
      const [ax, ay, bx, by] = this.#endsOf(this.#segments[i]!) as [number, number, number, number]
      const determinant = (bx - ax) * (y2 - y1) - (by - ay) * (x2 - x1)
      if (determinant === 0) continue
      const t = ((x1 - ax) * (y2 - y1) - (y1 - ay) * (x2 - x1)) / determinant
      const u = ((x1 - ax) * (by - ay) - (y1 - ay) * (bx - ax)) / determinant
      if (t <= 0 || t >= 1 || u < 0 || u > 1) continue
      const cuts = this.#cuts.get(i)
      if (cuts) cuts.push(t)
      else this.#cuts.set(i, [t])
    }
  }
}

/** The pieces of lines between two distances along all of them. */
export function lineBetween(lines: readonly FlatPath[], from_m: number, to_m: number): FlatPath[] {
  const pieces: FlatPath[] = []
  let start_m = 0
  for (const line of lines) {
    const piece: FlatPath = []
    for (let i = 2; i < line.length; i += 2) {
      const [x1, y1, x2, y2] = [line[i - 2]!, line[i - 1]!, line[i]!, line[i + 1]!]
      const length_m = segmentLength_m(x1, y1, x2, y2)
      const [from, to] = [from_m - start_m, to_m - start_m].map((at_m) => Math.min(1, Math.max(0, at_m / length_m)))
      start_m += length_m
      if (!(from! < to!)) continue
      if (piece.length === 0) piece.push(x1 + from! * (x2 - x1), y1 + from! * (y2 - y1))
      piece.push(x1 + to! * (x2 - x1), y1 + to! * (y2 - y1))
    }
    if (piece.length > 0) pieces.push(piece)
  }
  return pieces
}

/** A polygon with its extent, for many tests of points. */
export type TestedPolygon = { rings: readonly FlatPath[]; extent: Extent }

/** Whether a polygon contains a point, by the even-odd rule. A border belongs to one of the polygons that share it. */
export function polygonHasPoint({ rings, extent }: TestedPolygon, x: number, y: number): boolean {
  if (x < extent.west || x > extent.east || y < extent.south || y > extent.north) return false
  let isInside = false
  for (const ring of rings) {
    for (let i = 0, before = ring.length - 2; i < ring.length; before = i, i += 2) {
      const [x1, y1, x2, y2] = [ring[before]!, ring[before + 1]!, ring[i]!, ring[i + 1]!]
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside
    }
  }
  return isInside
}

/** The length of the lines within polygons, in meters. Overlapping polygons count once. */
export function lengthWithin_m(lines: readonly FlatPath[], polygons: readonly TestedPolygon[]): number {
  const cuttable = new CuttableLines(lines)
  for (const { rings } of polygons) for (const ring of rings) cuttable.cutAtRing(ring)
  return cuttable
    .stretches()
    .filter(({ x, y }) => polygons.some((polygon) => polygonHasPoint(polygon, x, y)))
    .reduce((sum, { from_m, to_m }) => sum + to_m - from_m, 0)
}
