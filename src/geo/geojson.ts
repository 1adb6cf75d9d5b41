import type { Geometry, Position } from '../model/source.ts'
import { ringsContain } from './polygon.ts'

/** A geometry as RFC 7946 defines it, with the types that this project writes. */
export type GeoJsonGeometry =
  | {
      type: 'Point' | 'MultiPoint' | 'LineString' | 'MultiLineString' | 'Polygon' | 'MultiPolygon'
      coordinates: unknown[]
    }
  | { type: 'GeometryCollection'; geometries: GeoJsonGeometry[] }

/** Returns a geometry as GeoJSON; null if it is empty. Outer rings run counterclockwise and each has its holes. */
export function geoJsonOf({ points, lines, polygons }: Geometry): GeoJsonGeometry | null {
  const parts: GeoJsonGeometry[] = []
  const grouped = polygons.flatMap(groupRings)
  if (points.length > 0) parts.push(single('Point', points))
  if (lines.length > 0) parts.push(single('LineString', lines))
  if (grouped.length > 0) parts.push(single('Polygon', grouped))
  if (parts.length === 0) return null
  return parts.length === 1 ? parts[0]! : { type: 'GeometryCollection', geometries: parts }
}

function single(type: 'Point' | 'LineString' | 'Polygon', members: readonly unknown[]): GeoJsonGeometry {
  return members.length === 1
    ? { type, coordinates: members[0] as unknown[] }
    : { type: `Multi${type}`, coordinates: [...members] }
}

/** Rounds all numbers of a value to 6 decimals: 0.1 m in degrees. */
export function roundCoordinates<T>(value: T): T {
  if (typeof value === 'number') return (Math.round(value * 1e6) / 1e6) as T
  if (Array.isArray(value)) return value.map(roundCoordinates) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, roundCoordinates(member)])) as T
}

type Ring = { positions: Position[]; area: number; depth: number; coordinates: Float64Array }

/** Splits the rings of a polygon, which follow the even-odd rule, into outer rings with their holes. */
function groupRings(rings: Position[][]): Position[][][] {
  const measured = rings
    .map((positions): Ring => ({ positions, area: signedArea(positions), depth: 0, coordinates: flatten(positions) }))
    .filter(({ area }) => area !== 0)
    .toSorted((a, b) => Math.abs(b.area) - Math.abs(a.area))
  const outers: { ring: Ring; holes: Position[][] }[] = []
  for (const [i, ring] of measured.entries()) {
    const around = measured.slice(0, i).filter((larger) => contains(larger, ring))
    ring.depth = around.length
    // The smallest ring around a hole is the last one, because they are sorted by area.
    const parent = ring.depth % 2 === 1 ? outers.findLast((outer) => around.includes(outer.ring)) : undefined
    if (parent) parent.holes.push(wound(ring, -1))
    else outers.push({ ring, holes: [] })
  }
  return outers.map(({ ring, holes }) => [wound(ring, 1), ...holes])
}

function flatten(positions: Position[]): Float64Array {
  return Float64Array.from(positions.flat())
}

function contains(outer: Ring, { positions }: Ring): boolean {
  const [[x, y]] = positions as [Position]
  return ringsContain(outer.coordinates, Uint32Array.of(0, outer.positions.length), 0, 1, x, y)
}

function wound({ positions, area }: Ring, sign: 1 | -1): Position[] {
  return Math.sign(area) === sign ? positions : positions.toReversed()
}

function signedArea(ring: Position[]): number {
  return ring.reduce((sum, [x, y], i) => {
    const [beforeX, beforeY] = ring.at(i - 1)!
    return sum + (beforeX * y - x * beforeY) / 2
  }, 0)
}

/** Degrees rounded to a number of decimals. Seven decimals are about a centimeter. */
export function roundDegrees(degrees: number, decimals = 7): number {
  return Number(degrees.toFixed(decimals))
}
