import {
  ClipperOffset,
  EndType,
  FillRule,
  JoinType,
  simplifyPaths,
  union,
  type Path64,
  type Paths64,
  type Point64,
} from 'clipper2-ts'
import type { FlatPath } from '../../model/area.ts'
import { lineLength_m, segmentLength_m } from '../ellipsoid.ts'
import type { GrowJob } from './geometry-jobs.ts'
import { isQuickToCompare } from './overlay-steps.ts'
import { pointAlong } from '../representative-point.ts'
import { projectionOf } from '../projection.ts'

/** Longer lines are buffered in pieces, each in a projection around its middle: the distortion is below 0.005 %. */
const pieceMax_m = 50_000
/** Segments are split, so that they follow a line that is straight in degrees. */
const segmentMax_m = 1_000
/** A circle has about 500 vertices, so that its area is 0.003 % too small. */
const arcTolerance = 2e-5
const stepsPerMeter = 10_000

/**
 * Returns the polygon of every place within a distance of a line. Its ends are round; a line of one position is a
 * circle. Longitudes beyond the antimeridian are below -180 or above 180. The line is at most as long as those of
 * `bufferPieces`.
 */
export function bufferLine(line: FlatPath, distance_m: number): FlatPath[] {
  const { lat, lng } = pointAlong(line, lineLength_m(line) / 2)
  const plane = projectionOf(`+proj=aeqd +lat_0=${lat} +lon_0=${lng} +x_0=0 +y_0=0 +ellps=WGS84 +units=m`)
  const path: Path64 = []
  for (let i = 0; i < line.length; i += 2) {
    const { x, y } = plane.forward({ lng: line[i]!, lat: line[i + 1]! })
    path.push({ x: Math.round(x * stepsPerMeter), y: Math.round(y * stepsPerMeter) })
  }
  return unionOf(splitAtTurns(path).map((part) => offsetOf(part, distance_m * stepsPerMeter))).map((ring) =>
    ring.flatMap(({ x, y }) => {
      const at = plane.inverse(x / stepsPerMeter, y / stepsPerMeter)
      return [lng + nearestTurn(at.lng - lng), at.lat]
    }),
  )
}

function offsetOf(path: Path64, distance: number): Paths64 {
  const offset = new ClipperOffset(undefined, distance * arcTolerance)
  offset.addPaths([path], JoinType.Round, EndType.Round)
  const rings: Paths64 = []
  offset.execute(distance, rings)
  return rings
}

/** The union of polygons, neighbors first, so that what the next unions go through is only the outline of each. */
function unionOf(polygons: readonly Paths64[]): Paths64 {
  if (polygons.length === 1) return polygons[0]!
  const middle = polygons.length >> 1
  return union([...unionOf(polygons.slice(0, middle)), ...unionOf(polygons.slice(middle))], FillRule.NonZero)
}

/**
 * Divides a path into parts with a limited number of vertices in their joins. Each turn has an arc on its outer side,
 * and arcs that overlap take the square of their number. Neighbors share a vertex, around which both have an arc.
 */
function splitAtTurns(path: Path64): Path64[] {
  const parts: Path64[] = []
  let begin = 0
  let joins = 0
  for (let i = 1; i + 1 < path.length; i++) {
    joins += 1 + turnAt(path[i - 1]!, path[i]!, path[i + 1]!) * joinsPerRadian
    if (joins < joinsMax) continue
    parts.push(path.slice(begin, i + 1))
    begin = i
    joins = 0
  }
  return [...parts, path.slice(begin)]
}

/** The vertices of the joins of a part: a circle has about 500. */
const joinsMax = 1_000
const joinsPerRadian = 500 / (2 * Math.PI)

/** The angle between two edges, from 0 to pi. */
function turnAt(from: Point64, at: Point64, to: Point64): number {
  const [ax, ay, bx, by] = [at.x - from.x, at.y - from.y, to.x - at.x, to.y - at.y]
  return Math.abs(Math.atan2(ax * by - ay * bx, ax * bx + ay * by))
}

function nearestTurn(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360)
}

/** Divides lines into pieces that can be buffered, with short segments. Neighbors share a vertex. */
export function bufferPieces(lines: readonly FlatPath[]): FlatPath[] {
  return lines.flatMap(piecesOf)
}

function piecesOf(line: FlatPath): FlatPath[] {
  const pieces: FlatPath[] = []
  let piece = line.slice(0, 2)
  let length_m = 0
  for (let i = 2; i < line.length; i += 2) {
    const [x1, y1, x2, y2] = [line[i - 2]!, line[i - 1]!, line[i]!, line[i + 1]!]
    const segment_m = segmentLength_m(x1, y1, x2, y2)
    const steps = Math.max(1, Math.ceil(segment_m / segmentMax_m))
    for (let step = 1; step <= steps; step++) {
      piece.push(x1 + ((x2 - x1) * step) / steps, y1 + ((y2 - y1) * step) / steps)
      length_m += segment_m / steps
      if (length_m < pieceMax_m) continue
      pieces.push(piece)
      piece = piece.slice(-2)
      length_m = 0
    }
  }
  return piece.length > 2 || pieces.length === 0 ? [...pieces, piece] : pieces
}

const stepsPerDegree = 1e8

/** Returns clockwise rings that hold the rings with a margin, and have fewer vertices. */
export function growRings({ rings, margin_degrees }: GrowJob): FlatPath[] {
  const margin = margin_degrees * stepsPerDegree
  const offset = new ClipperOffset()
  offset.addPaths(rings.map(toSteps), JoinType.Square, EndType.Polygon)
  const grown: Path64[] = []
  offset.execute(margin, grown)
  return simplifyPaths(grown, margin / 4).map((ring) =>
    ring.toReversed().flatMap(({ x, y }) => [x / stepsPerDegree, y / stepsPerDegree]),
  )
}

/** Whether rings are grown in about ten milliseconds. */
export function isQuickToGrow({ rings }: GrowJob): boolean {
  return isQuickToCompare(rings)
}

function toSteps(ring: FlatPath): Path64 {
  return Array.from({ length: ring.length / 2 }, (_, i) => ({
    x: Math.round(ring[2 * i]! * stepsPerDegree),
    y: Math.round(ring[2 * i + 1]! * stepsPerDegree),
  }))
}
