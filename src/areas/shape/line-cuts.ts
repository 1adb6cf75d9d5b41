import Flatbush from 'flatbush'
import type { YieldToEventLoop } from '../../async/incremental-task.ts'
import { waitFor, type Coroutine } from '../../async/maybe-promise.ts'
import { segmentLength_m } from '../../geo/ellipsoid.ts'
import { extentOf, growExtent } from '../../geo/overlay/cut-at-extent.ts'
import { crossesRay } from '../../geo/polygon.ts'
import type { Extent, FlatPath } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'

/** A stretch of a line between two cuts. `x` and `y`: its middle. */
export type Stretch = { from_m: number; to_m: number; x: number; y: number }

/** Outlines that are this close, a tenth of a millimeter, touch: the outline of an area is rounded to a grid. */
export const contact_degrees = 1e-9

/** x and y of the first end, then x and y of the second. */
type SegmentEnds = [x1: number, y1: number, x2: number, y2: number]

/** The segments of lines, with an index of their boxes. All fields of a request share it. */
export class LineIndex {
  readonly #ends: Float64Array
  readonly #index: Flatbush
  /** The length of each segment in meters. */
  readonly lengths_m: Float64Array

  constructor(lines: readonly FlatPath[]) {
    const count = lines.reduce((sum, line) => sum + Math.max(0, line.length / 2 - 1), 0)
    this.#ends = new Float64Array(4 * count)
    // The index does not accept that there is nothing in it.
    this.#index = new Flatbush(Math.max(1, count))
    this.lengths_m = new Float64Array(count)
    let segment = 0
    for (const line of lines)
      for (let i = 2; i < line.length; i += 2) {
        const [x1, y1, x2, y2] = [line[i - 2]!, line[i - 1]!, line[i]!, line[i + 1]!]
        this.#ends.set([x1, y1, x2, y2], 4 * segment)
        this.#index.add(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))
        this.lengths_m[segment++] = segmentLength_m(x1, y1, x2, y2)
      }
    if (count === 0) this.#index.add(Infinity, Infinity)
    this.#index.finish()
  }

  get count(): number {
    return this.lengths_m.length
  }

  endsOf(segment: number): SegmentEnds {
    return this.#ends.subarray(4 * segment, 4 * segment + 4) as unknown as SegmentEnds
  }

  /** Whether a path, or the point of a path of one vertex, crosses one of the segments or is as close as the tolerance. */
  *meets(path: FlatPath, tolerance: number, yieldToEventLoop: YieldToEventLoop): Coroutine<boolean> {
    for (let to = Math.min(2, path.length - 2); to < path.length; to += 2) {
      yield* waitFor(yieldToEventLoop())
      const from = Math.max(0, to - 2)
      const edge: SegmentEnds = [path[from]!, path[from + 1]!, path[to]!, path[to + 1]!]
      const { west, south, east, north } = growExtent(extentOf([edge]), tolerance)
      const isNear = (segment: number) => doSegmentsMeet(this.endsOf(segment), edge, tolerance)
      if (this.count > 0 && this.#index.search(west, south, east, north, isNear).length > 0) return true
    }
    return false
  }

  /**
   * Returns the segments that an edge of a path crosses. A crossing at an end of a segment does not count. `from` and
   * `to`: where the ends of the edge are in the path. `t`: where it crosses, from 0 to 1 along the segment.
   */
  crossingsWith(path: FlatPath, from: number, to: number): { segment: number; t: number }[] {
    const [x1, y1, x2, y2] = [path[from]!, path[from + 1]!, path[to]!, path[to + 1]!]
    const crossings: { segment: number; t: number }[] = []
    for (const segment of this.#index.search(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2))) {
      const [ax, ay, bx, by] = this.endsOf(segment)
      const determinant = (bx - ax) * (y2 - y1) - (by - ay) * (x2 - x1)
      if (determinant === 0) continue
      const t = ((x1 - ax) * (y2 - y1) - (y1 - ay) * (x2 - x1)) / determinant
      const u = ((x1 - ax) * (by - ay) - (y1 - ay) * (bx - ax)) / determinant
      if (t > 0 && t < 1 && u >= 0 && u <= 1) crossings.push({ segment, t })
    }
    return crossings
  }
}

/** About a tenth of a micrometer: the crossings of two rings with a common vertex differ by rounding. */
const shortestStretch_degrees = 1e-12
/** The most cuts of lines. Outlines of places make some thousands. */
const maxCuts = 200_000

/** Lines that can be cut where rings cross them. Distances count over all lines, in order. */
export class CuttableLines {
  readonly #index: LineIndex
  readonly #cuts = new Map<number, number[]>()
  #count = 0

  constructor(index: LineIndex) {
    this.#index = index
  }

  /** Cuts the lines at every crossing with a ring. @throws {UpstreamError} `too_large` after too many. */
  *cutAtRing(ring: FlatPath, yieldToEventLoop: YieldToEventLoop): Coroutine<void> {
    for (let i = 0; i < ring.length; i += 2) {
      yield* waitFor(yieldToEventLoop())
      const before = i === 0 ? ring.length - 2 : i - 2
      for (const { segment, t } of this.#index.crossingsWith(ring, before, i)) {
        const cuts = this.#cuts.get(segment)
        if (cuts) cuts.push(t)
        else this.#cuts.set(segment, [t])
        if (++this.#count > maxCuts)
          throw new UpstreamError(
            'too_large',
            `The lines cross outlines here more than ${maxCuts.toLocaleString('en-US')} times. Ask about a smaller area.`,
          )
      }
    }
  }

  /** The stretches between the cuts, in order. */
  *stretches(): Generator<Stretch> {
    let from_m = 0
    for (let segment = 0; segment < this.#index.count; segment++) {
      const [x1, y1, x2, y2] = this.#index.endsOf(segment)
      const cuts = this.#cuts.get(segment)?.toSorted((a, b) => a - b) ?? []
      const least = shortestStretch_degrees / Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1))
      let previous = 0
      for (const t of [...cuts.filter((it) => it < 1 - least), 1]) {
        if (t !== 1 && t - previous < least) continue
        const [ax, ay] = [x1 + previous * (x2 - x1), y1 + previous * (y2 - y1)]
        const [bx, by] = [x1 + t * (x2 - x1), y1 + t * (y2 - y1)]
        const length_m = cuts.length === 0 ? this.#index.lengths_m[segment]! : segmentLength_m(ax, ay, bx, by)
        const to_m = from_m + length_m
        yield { from_m, to_m, x: (ax + bx) / 2, y: (ay + by) / 2 }
        from_m = to_m
        previous = t
      }
    }
  }
}

/** An index of so many segments is built in about ten milliseconds. */
const segmentsPerGroup = 20_000

/** Groups of lines, or of pieces of a long one, whose segments can have one index. */
export function groupsOfLines(lines: readonly FlatPath[]): Iterable<FlatPath[]> {
  const begins = (line: FlatPath) => [...Array(Math.ceil((line.length / 2 - 1) / segmentsPerGroup)).keys()]
  const pieceFrom = (i: number) => [2 * i * segmentsPerGroup, 2 * (i + 1) * segmentsPerGroup + 2] as const
  const pieces = lines.flatMap((line) => begins(line).map((i) => line.slice(...pieceFrom(i))))
  let segments = 0
  return Map.groupBy(pieces, (piece) => Math.floor((segments += piece.length / 2 - 1) / segmentsPerGroup)).values()
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
      if (crossesRay(ring[before]!, ring[before + 1]!, ring[i]!, ring[i + 1]!, x, y)) isInside = !isInside
    }
  }
  return isInside
}

/** Whether two segments cross, or one of their ends is as close to the other segment as the tolerance. */
function doSegmentsMeet(a: SegmentEnds, b: SegmentEnds, tolerance: number): boolean {
  const [ax, ay, bx, by] = a
  const [cx, cy, dx, dy] = b
  if (sideOf(a, cx, cy) * sideOf(a, dx, dy) < 0 && sideOf(b, ax, ay) * sideOf(b, bx, by) < 0) return true
  const isNear = (segment: SegmentEnds, x: number, y: number) => distanceToSegment(segment, x, y) <= tolerance
  return isNear(a, cx, cy) || isNear(a, dx, dy) || isNear(b, ax, ay) || isNear(b, bx, by)
}

/** Positive on the left of a segment, negative on the right. */
function sideOf([x1, y1, x2, y2]: SegmentEnds, x: number, y: number): number {
  return Math.sign((x2 - x1) * (y - y1) - (y2 - y1) * (x - x1))
}

/** The distance in the plane between a point and a segment. */
export function distanceToSegment([x1, y1, x2, y2]: SegmentEnds, x: number, y: number): number {
  const [width, height] = [x2 - x1, y2 - y1]
  const t = ((x - x1) * width + (y - y1) * height) / (width * width + height * height)
  const along = t > 0 ? Math.min(1, t) : 0
  return Math.hypot(x - (x1 + along * width), y - (y1 + along * height))
}
