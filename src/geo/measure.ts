import type { Point } from '../model/place.ts'
import { arc_m, segmentDistance2, xyzOf, type Xyz } from './ecef.ts'
import type { Geometry, Position } from './geometry.ts'
import { ringsHold } from './polygon.ts'

/**
 * How far a geometry is from a point along the ground: 0 inside a polygon, `null` when the geometry is empty. `fraction`, where a
 * line is what lies nearest: the place on it, 0 at its start to 1 at its end, by length.
 */
export function measured({ points, lines, polygons }: Geometry, at: Point): { distance_m: number; fraction?: number } | null {
  if (polygons.some((rings) => holds(rings, at))) return { distance_m: 0 }
  const from = xyzOf(at)
  let best: Nearest | null = null
  for (const edge of [...points.map((point) => [point]), ...polygons.flat()]) {
    const { distance2 } = nearestOn(edge, from)
    if (!best || distance2 < best.distance2) best = { distance2 }
  }
  for (const line of lines) {
    const nearest = nearestOn(line, from)
    if (!best || nearest.distance2 < best.distance2) best = nearest
  }
  if (!best) return null
  return { distance_m: arc_m(Math.sqrt(best.distance2)), ...(best.fraction !== undefined && { fraction: best.fraction }) }
}

/** About how many square metres polygons cover, within 1 % of the ellipsoid: their holes, which run the other way round, are left out. */
export function areaOf({ polygons }: Geometry): number {
  return polygons.reduce((sum, rings) => sum + Math.abs(rings.reduce((turned, ring) => turned + turnedArea_m2(ring), 0)), 0)
}

const longestSegment_degrees = 0.05
const meanRadius_m = 6_371_008.8
const radians = Math.PI / 180

type Nearest = { distance2: number; fraction?: number }

/** Each ring is asked alone, wherever round the globe it was written down: 190 east is 170 west. */
function holds(rings: Position[][], { lat, lng }: Point): boolean {
  return rings.filter((ring) => ringHolds(ring, lng, lat)).length % 2 === 1
}

function ringHolds(ring: Position[], lng: number, lat: number): boolean {
  if (ring.every((position) => position[1] > lat) || ring.every((position) => position[1] <= lat)) return false
  const coordinates = Float64Array.from(unwrapped(ring).flat())
  const starts = Uint32Array.of(0, ring.length)
  return [lng, lng - 360, lng + 360].some((x) => ringsHold(coordinates, starts, 0, 1, x, lat))
}

/** The positions with no step of more than half the globe between them: across the antimeridian the longitudes go on. */
function unwrapped(line: readonly Position[]): readonly Position[] {
  if (line.every(([lng], i) => i === 0 || Math.abs(lng - line[i - 1]![0]) <= 180)) return line
  let turn = 0
  return line.map(([lng, lat], i) => {
    const step = i === 0 ? 0 : lng - line[i - 1]![0]
    if (Math.abs(step) > 180) turn -= 360 * Math.sign(step)
    return [lng + turn, lat]
  })
}

/** The nearest place of a line; long segments are divided, so that a straight line in degrees stays one on the ground. */
function nearestOn(line: readonly Position[], from: Xyz): Nearest & { fraction: number } {
  let [distance2, along, length] = [Infinity, 0, 0]
  const path = unwrapped(line)
  let a = placed(path[0]!)
  for (let i = 0; i < path.length; i++) {
    for (const b of pieces(path[Math.max(0, i - 1)]!, path[i]!)) {
      const chord = Math.hypot(b.x - a.x, b.y - a.y, b.z - a.z)
      const to2 = segmentDistance2(from, a.x, a.y, a.z, b.x, b.y, b.z)
      if (to2 < distance2) [distance2, along] = [to2, length + foot(from, a, b) * chord]
      length += chord
      a = b
    }
  }
  return { distance2, fraction: length === 0 ? 0 : along / length }
}

function* pieces(from: Position, to: Position): Generator<Xyz> {
  const [x, y] = [to[0] - from[0], to[1] - from[1]]
  const count = Math.max(1, Math.ceil(Math.max(Math.abs(x), Math.abs(y)) / longestSegment_degrees))
  for (let piece = 1; piece < count; piece++) yield placed([from[0] + (x * piece) / count, from[1] + (y * piece) / count])
  yield placed(to)
}

/** Where on the way from `a` to `b` the nearest place lies, 0 to 1. */
function foot(from: Xyz, a: Xyz, b: Xyz): number {
  const [x, y, z] = [b.x - a.x, b.y - a.y, b.z - a.z]
  const length2 = x * x + y * y + z * z
  const along = length2 === 0 ? 0 : ((from.x - a.x) * x + (from.y - a.y) * y + (from.z - a.z) * z) / length2
  return Math.min(1, Math.max(0, along))
}

function placed([lng, lat]: Position): Xyz {
  return xyzOf({ lat, lng })
}

/** The area on a sphere that a ring runs round, with a sign for its direction. */
function turnedArea_m2(ring: Position[]): number {
  const path = unwrapped(ring)
  const sum = path.reduce((sum, [lng, lat], i) => {
    const [beforeLng, beforeLat] = path.at(i - 1)!
    return sum + (lng - beforeLng) * radians * (2 + Math.sin(lat * radians) + Math.sin(beforeLat * radians))
  }, 0)
  return (sum * meanRadius_m ** 2) / 2
}
