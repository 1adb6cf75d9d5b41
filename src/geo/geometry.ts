/**
 * Pure geometry: distances on the ellipsoid, point in polygon, indexes, projections, `overlay/` of polygons, and
 * geometries as `text/` or bytes. It reads no file and knows no dataset.
 */
import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Geometry, Position } from '../model/source.ts'

/**
 * Parses a GeoJSON geometry (RFC 7946) and ignores heights. `null` is empty. Throws `bad_response` if it is malformed.
 */
export function parseGeoJsonGeometry(value: unknown): Geometry {
  const geometry = emptyGeometry()
  if (value !== null && value !== undefined) readGeoJson(value, geometry, 0)
  return geometry
}

/**
 * Parses an Esri JSON geometry in degrees or Web Mercator. A missing geometry and a NaN point are empty. `reference` is
 * the spatialReference of the response, for geometries without their own. Throws `bad_response` if it is malformed. /
 */
export function parseEsriGeometry(value: unknown, reference?: unknown): Geometry {
  const geometry = emptyGeometry()
  if (value === null || value === undefined) return geometry
  if (!isRecord(value)) throw malformedGeometry('an object')
  const toDegrees = toDegreesOf(value.spatialReference ?? reference)
  const toPosition = (raw: unknown) => positionOf(raw, toDegrees)
  if ('x' in value) {
    if (!isMissing(value.x)) geometry.points.push(toPosition([value.x, value.y]))
  } else if ('points' in value) {
    const points = requireList(value.points).filter((point) => !isMissing(requireList(point)[0]))
    geometry.points = points.map(toPosition)
  } else if ('paths' in value) geometry.lines = linesOf(value.paths, toPosition)
  else if ('rings' in value) geometry.polygons = polygonsOf([value.rings], toPosition)
  else if (Object.keys(value).some((key) => key !== 'spatialReference'))
    throw malformedGeometry('x and y, points, paths or rings')
  return geometry
}

const maxDepth = 8
const mercatorRadius_m = 6_378_137
const degrees = 180 / Math.PI

type ToDegrees = (x: number, y: number) => Position

function emptyGeometry(): Geometry {
  return { points: [], lines: [], polygons: [] }
}

function readGeoJson(value: unknown, target: Geometry, depth: number): void {
  if (!isRecord(value) || depth > maxDepth) throw malformedGeometry('a GeoJSON geometry')
  const { type, coordinates, geometries } = value
  if (type === 'GeometryCollection')
    return requireList(geometries).forEach((part) => readGeoJson(part, target, depth + 1))
  const toPosition = (raw: unknown) => positionOf(raw, fromDegrees)
  const parts = requireList(coordinates)
  if (type === 'Point') append(target.points, [parts].filter((point) => point.length > 0).map(toPosition))
  else if (type === 'MultiPoint') append(target.points, parts.map(toPosition))
  else if (type === 'LineString') append(target.lines, linesOf([parts], toPosition))
  else if (type === 'MultiLineString') append(target.lines, linesOf(parts, toPosition))
  else if (type === 'Polygon') append(target.polygons, polygonsOf([parts], toPosition))
  else if (type === 'MultiPolygon') append(target.polygons, polygonsOf(parts, toPosition))
  else throw malformedGeometry('a type of RFC 7946')
}

/** Appends the items one by one, because a call cannot have a million arguments. */
function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item)
}

function polygonsOf(value: unknown[], toPosition: (raw: unknown) => Position): Position[][][] {
  return value.map((rings) => linesOf(rings, toPosition)).filter((rings) => rings.length > 0)
}

/** Parses lines or rings, without empty ones. */
function linesOf(value: unknown, toPosition: (raw: unknown) => Position): Position[][] {
  return requireList(value)
    .map((line) => requireList(line).map(toPosition))
    .filter((line) => line.length > 0)
}

function positionOf(value: unknown, toDegrees: ToDegrees): Position {
  const { 0: x, 1: y } = requireList(value)
  if (typeof x !== 'number' || typeof y !== 'number') throw malformedGeometry('positions of two numbers')
  const position = toDegrees(x, y)
  if (!(Math.abs(position[0]) <= 540 && Math.abs(position[1]) <= 90.001))
    throw malformedGeometry('positions in degrees')
  return position
}

function fromDegrees(x: number, y: number): Position {
  return [x, y]
}

function fromMercator(x: number, y: number): Position {
  return [(x / mercatorRadius_m) * degrees, Math.atan(Math.sinh(y / mercatorRadius_m)) * degrees]
}

function toDegreesOf(reference: unknown): ToDegrees {
  if (reference === null || reference === undefined) return fromDegrees
  const wkid = isRecord(reference) ? (reference.latestWkid ?? reference.wkid) : reference
  if (wkid === 4326) return fromDegrees
  if (wkid === 3857 || wkid === 102100) return fromMercator
  throw malformedGeometry('the spatial reference 4326, 3857 or 102100')
}

function isMissing(value: unknown): boolean {
  return value === 'NaN' || value === null || Number.isNaN(value)
}

function requireList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw malformedGeometry('lists of positions')
  return value
}

function malformedGeometry(expected: string): UpstreamError {
  return new UpstreamError('bad_response', `The response contains a malformed geometry. Expected ${expected}.`)
}
