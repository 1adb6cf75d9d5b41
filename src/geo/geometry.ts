import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'

/** WGS 84 degrees, in the order GeoJSON and Esri JSON have them. */
export type Position = readonly [lng: number, lat: number]

/** What a feature consists of. A polygon is its rings, outer ones and holes: what an odd number of them holds is inside. */
export type Geometry = { points: Position[]; lines: Position[][]; polygons: Position[][][] }

/** A geometry of RFC 7946, heights passed over; `null` is an empty one. Throws `bad_response` for a wrong form. */
export function geometryOfGeoJson(value: unknown): Geometry {
  const geometry = empty()
  if (value !== null && value !== undefined) readGeoJson(value, geometry, 0)
  return geometry
}

/**
 * A geometry of Esri JSON in degrees or in Web Mercator; a missing one, and a point of NaN, is empty. `reference` is the
 * spatialReference of the whole answer, for geometries that bear none. Throws `bad_response` for a wrong form.
 */
export function geometryOfEsri(value: unknown, reference?: unknown): Geometry {
  const geometry = empty()
  if (value === null || value === undefined) return geometry
  if (!isRecord(value)) throw wrong('an object')
  const projection = projectionOf(value.spatialReference ?? reference)
  const position = (of: unknown) => positionOf(of, projection)
  if ('x' in value) {
    if (!isMissing(value.x)) geometry.points.push(position([value.x, value.y]))
  } else if ('points' in value) geometry.points.push(...listOf(value.points).filter((point) => !isMissing(listOf(point)[0])).map(position))
  else if ('paths' in value) geometry.lines.push(...linesOf(value.paths, position))
  else if ('rings' in value) geometry.polygons.push(...[linesOf(value.rings, position)].filter((rings) => rings.length > 0))
  else if (Object.keys(value).some((key) => key !== 'spatialReference')) throw wrong('x and y, points, paths or rings')
  return geometry
}

const deepest = 8
const mercatorRadius_m = 6_378_137
const degrees = 180 / Math.PI

type Projection = (x: number, y: number) => Position

function empty(): Geometry {
  return { points: [], lines: [], polygons: [] }
}

function readGeoJson(value: unknown, into: Geometry, depth: number): void {
  if (!isRecord(value) || depth > deepest) throw wrong('a GeoJSON geometry')
  const { type, coordinates, geometries } = value
  if (type === 'GeometryCollection') return listOf(geometries).forEach((part) => readGeoJson(part, into, depth + 1))
  const position = (of: unknown) => positionOf(of, inDegrees)
  const parts = listOf(coordinates)
  if (type === 'Point') into.points.push(...[parts].filter((point) => point.length > 0).map(position))
  else if (type === 'MultiPoint') into.points.push(...parts.map(position))
  else if (type === 'LineString') into.lines.push(...linesOf([parts], position))
  else if (type === 'MultiLineString') into.lines.push(...linesOf(parts, position))
  else if (type === 'Polygon') into.polygons.push(...polygonsOf([parts], position))
  else if (type === 'MultiPolygon') into.polygons.push(...polygonsOf(parts, position))
  else throw wrong('a type of RFC 7946')
}

function polygonsOf(value: unknown[], position: (of: unknown) => Position): Position[][][] {
  return value.map((rings) => linesOf(rings, position)).filter((rings) => rings.length > 0)
}

/** Lines or rings, without those that have no positions. */
function linesOf(value: unknown, position: (of: unknown) => Position): Position[][] {
  return listOf(value).map((line) => listOf(line).map(position)).filter((line) => line.length > 0)
}

function positionOf(value: unknown, projection: Projection): Position {
  const [x, y] = listOf(value)
  if (typeof x !== 'number' || typeof y !== 'number') throw wrong('positions of two numbers')
  const position = projection(x, y)
  if (!(Math.abs(position[0]) <= 540 && Math.abs(position[1]) <= 90.001)) throw wrong('positions in degrees')
  return position
}

function inDegrees(x: number, y: number): Position {
  return [x, y]
}

function inMercator(x: number, y: number): Position {
  return [(x / mercatorRadius_m) * degrees, Math.atan(Math.sinh(y / mercatorRadius_m)) * degrees]
}

function projectionOf(reference: unknown): Projection {
  if (reference === null || reference === undefined) return inDegrees
  const wkid = isRecord(reference) ? (reference.latestWkid ?? reference.wkid) : reference
  if (wkid === 4326) return inDegrees
  if (wkid === 3857 || wkid === 102100) return inMercator
  throw wrong('the spatial reference 4326, 3857 or 102100')
}

function isMissing(value: unknown): boolean {
  return value === 'NaN' || value === null || Number.isNaN(value)
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw wrong('lists of positions')
  return value
}

function wrong(wanted: string): UpstreamError {
  return new UpstreamError('bad_response', `A geometry in the answer has the wrong form: ${wanted} was expected.`)
}
