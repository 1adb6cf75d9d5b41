import Flatbush from 'flatbush'
import type { Geometry, Position } from '../../model/source.ts'
import { crossesRay } from '../polygon.ts'
import { extentOfPaths } from '../boxes.ts'

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

type Ring = { positions: Position[]; area: number; depth: number; edges: Flatbush | null }

/** Splits the rings of a polygon, which follow the even-odd rule, into outer rings with their holes. */
function groupRings(rings: Position[][]): Position[][][] {
  const measured = rings
    .map((positions): Ring => ({ positions, area: signedArea(positions), depth: 0, edges: null }))
    .filter(({ area }) => area !== 0)
    .toSorted((a, b) => Math.abs(b.area) - Math.abs(a.area))
  const largerAround = createRingSearch(measured)
  const holesOf = new Map<Ring, Position[][]>()
  for (const [i, ring] of measured.entries()) {
    const around = largerAround(i)
    ring.depth = around.length
    // The smallest ring around a hole is the last one, because they are sorted by area.
    const parent = ring.depth % 2 === 1 ? around.findLast((outer) => holesOf.has(outer)) : undefined
    if (parent) holesOf.get(parent)!.push(wound(ring, -1))
    else holesOf.set(ring, [])
  }
  return [...holesOf].map(([ring, holes]) => [wound(ring, 1), ...holes])
}

/** Returns a search for the earlier rings that contain a ring, in order. A polygon can have thousands of holes. */
function createRingSearch(rings: readonly Ring[]): (i: number) => Ring[] {
  if (rings.length < 2) return () => []
  const boxes = new Flatbush(rings.length)
  for (const { positions } of rings) addBox(boxes, positions)
  boxes.finish()
  return (i) => {
    const [[x, y]] = rings[i]!.positions as [Position]
    const around = boxes.search(x, y, x, y, (j) => j < i && contains(rings[j]!, x, y))
    return around.sort((a, b) => a - b).map((j) => rings[j]!)
  }
}

function addBox(index: Flatbush, positions: readonly Position[]): void {
  const { west, south, east, north } = extentOfPaths([positions])
  index.add(west, south, east, north)
}

/** Whether a ring contains a point, as `ringsContain` decides. Only the edges east of the point are examined. */
function contains(ring: Ring, x: number, y: number): boolean {
  const { positions } = ring
  ring.edges ??= indexEdgesOf(positions)
  let isInside = false
  ring.edges.search(x, y, Infinity, y, (i) => {
    const [[x1, y1], [x2, y2]] = [positions.at(i - 1)!, positions[i]!]
    if (crossesRay(x1, y1, x2, y2, x, y)) isInside = !isInside
    return false
  })
  return isInside
}

function indexEdgesOf(positions: readonly Position[]): Flatbush {
  const index = new Flatbush(positions.length)
  for (const [i, position] of positions.entries()) addBox(index, [positions.at(i - 1)!, position])
  index.finish()
  return index
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
