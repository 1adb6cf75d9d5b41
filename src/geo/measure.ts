import type { Point } from '../model/place.ts'
import type { Geometry, Position } from '../model/source.ts'
import { chordToArc_m, segmentDistance2, xyzOf, type Xyz } from './ecef.ts'
import { ringsContain } from './polygon.ts'

/**
 * Returns the distance from a point to a geometry along the ground: 0 inside a polygon, `null` for an empty geometry.
 * If a line is nearest, `fraction` is the position on it by length, from 0 at its start to 1 at its end. /
 */
export function measureDistance(
  { points, lines, polygons }: Geometry,
  at: Point,
): { distance_m: number; fraction?: number } | null {
  if (geometryContains({ polygons }, at)) return { distance_m: 0 }
  const from = xyzOf(at)
  let best: Nearest | null = null
  for (const edge of [...points.map((point) => [point]), ...polygons.flat()]) {
    const { distance2 } = nearestOnLine(edge, from)
    if (!best || distance2 < best.distance2) best = { distance2 }
  }
  for (const line of lines) {
    const nearest = nearestOnLine(line, from)
    if (!best || nearest.distance2 < best.distance2) best = nearest
  }
  if (!best) return null
  return {
    distance_m: chordToArc_m(Math.sqrt(best.distance2)),
    ...(best.fraction !== undefined && { fraction: best.fraction }),
  }
}

/**
 * Returns the position of a geometry that is nearest to a point; `null` for an empty geometry. Distances are compared
 * in a plane, so it is meant for drawing.
 */
export function nearestPosition({ points, lines, polygons }: Geometry, { lat, lng }: Point): Position | null {
  const scale = Math.cos(lat * radians)
  const planar = ([x, y]: Position): [number, number] => [(((x - lng + 540) % 360) - 180) * scale, y - lat]
  let [best, least]: [Position | null, number] = [null, Infinity]
  for (const path of [...points.map((point) => [point]), ...lines, ...polygons.flat()]) {
    for (const [i, position] of path.entries()) {
      const before = path[Math.max(0, i - 1)]!
      const [ax, ay] = planar(before)
      const [ux, uy] = [planar(position)[0] - ax, planar(position)[1] - ay]
      const length2 = ux * ux + uy * uy
      const along = length2 === 0 ? 0 : Math.min(1, Math.max(0, -(ax * ux + ay * uy) / length2))
      const distance = Math.hypot(ax + along * ux, ay + along * uy)
      if (distance >= least) continue
      least = distance
      best = [lng + (ax + along * ux) / scale, before[1] + along * (position[1] - before[1])]
    }
  }
  return best
}

/** The number of straight pieces that `measureDistance` measures. Its time is proportional to them. */
export function countPieces({ points, lines, polygons }: Geometry): number {
  let count = points.length
  for (const path of [...lines, ...polygons.flat()])
    for (const [i, position] of path.entries()) count += i === 0 ? 1 : piecesBetween(path[i - 1]!, position)
  return count
}

/** Returns the number of positions of a geometry. */
export function countPositions({ points, lines, polygons }: Geometry): number {
  let count = points.length
  for (const path of lines) count += path.length
  for (const rings of polygons) for (const ring of rings) count += ring.length
  return count
}

/** Whether a polygon of the geometry contains the point. */
export function geometryContains({ polygons }: Pick<Geometry, 'polygons'>, at: Point): boolean {
  return polygons.some((rings) => polygonContains(rings, at))
}

/**
 * The area of the polygons in square meters, within 1 % of the ellipsoid. Holes (rings in the opposite direction) are
 * subtracted.
 */
export function polygonArea_m2({ polygons }: Geometry): number {
  return polygons.reduce(
    (sum, rings) => sum + Math.abs(rings.reduce((signedSum, ring) => signedSum + signedArea_m2(ring), 0)),
    0,
  )
}

const longestSegment_degrees = 0.05
const meanRadius_m = 6_371_008.8
const radians = Math.PI / 180

type Nearest = { distance2: number; fraction?: number }

/** Tests each ring separately, because rings may use different longitude ranges: 190 east is 170 west. */
function polygonContains(rings: Position[][], { lat, lng }: Point): boolean {
  return rings.filter((ring) => ringContains(ring, lng, lat)).length % 2 === 1
}

function ringContains(ring: Position[], lng: number, lat: number): boolean {
  if (ring.every((position) => position[1] > lat) || ring.every((position) => position[1] <= lat)) return false
  const coordinates = Float64Array.from(unwrapLongitudes(ring).flat())
  const starts = Uint32Array.of(0, ring.length)
  return [lng, lng - 360, lng + 360].some((x) => ringsContain(coordinates, starts, 0, 1, x, lat))
}

/** Removes longitude jumps of more than 180 degrees: longitudes continue across the antimeridian. */
function unwrapLongitudes(line: readonly Position[]): readonly Position[] {
  if (line.every(([lng], i) => i === 0 || Math.abs(lng - line[i - 1]![0]) <= 180)) return line
  let offset_degrees = 0
  return line.map(([lng, lat], i) => {
    const step = i === 0 ? 0 : lng - line[i - 1]![0]
    if (Math.abs(step) > 180) offset_degrees -= 360 * Math.sign(step)
    return [lng + offset_degrees, lat]
  })
}

/** The nearest position on a line. Long segments are subdivided so that they follow a straight line in degrees. */
function nearestOnLine(line: readonly Position[], from: Xyz): Nearest & { fraction: number } {
  let [distance2, along, length] = [Infinity, 0, 0]
  const path = unwrapLongitudes(line)
  let a = xyzOfPosition(path[0]!)
  for (let i = 0; i < path.length; i++) {
    for (const b of subdivide(path[Math.max(0, i - 1)]!, path[i]!)) {
      const chord = Math.hypot(b.x - a.x, b.y - a.y, b.z - a.z)
      const segment2 = segmentDistance2(from, a.x, a.y, a.z, b.x, b.y, b.z)
      if (segment2 < distance2) [distance2, along] = [segment2, length + fractionAlong(from, a, b) * chord]
      length += chord
      a = b
    }
  }
  return { distance2, fraction: length === 0 ? 0 : along / length }
}

function* subdivide(from: Position, to: Position): Generator<Xyz> {
  const [x, y] = [to[0] - from[0], to[1] - from[1]]
  const count = piecesBetween(from, to)
  for (let piece = 1; piece < count; piece++)
    yield xyzOfPosition([from[0] + (x * piece) / count, from[1] + (y * piece) / count])
  yield xyzOfPosition(to)
}

function piecesBetween(from: Position, to: Position): number {
  const length_degrees = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]))
  return Math.max(1, Math.ceil(length_degrees / longestSegment_degrees))
}

/** The position of the nearest point on the segment from `a` to `b`, from 0 to 1. */
function fractionAlong(from: Xyz, a: Xyz, b: Xyz): number {
  const [x, y, z] = [b.x - a.x, b.y - a.y, b.z - a.z]
  const length2 = x * x + y * y + z * z
  const along = length2 === 0 ? 0 : ((from.x - a.x) * x + (from.y - a.y) * y + (from.z - a.z) * z) / length2
  return Math.min(1, Math.max(0, along))
}

function xyzOfPosition([lng, lat]: Position): Xyz {
  return xyzOf({ lat, lng })
}

/** The area of a ring on a sphere. The sign depends on the direction of the ring. */
function signedArea_m2(ring: Position[]): number {
  const path = unwrapLongitudes(ring)
  const sum = path.reduce((sum, [lng, lat], i) => {
    const [beforeLng, beforeLat] = path.at(i - 1)!
    return sum + (lng - beforeLng) * radians * (2 + Math.sin(lat * radians) + Math.sin(beforeLat * radians))
  }, 0)
  return (sum * meanRadius_m ** 2) / 2
}
