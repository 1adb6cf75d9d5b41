import { runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import type { YieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { extentOf, growExtent } from '../geo/cut-at-extent.ts'
import { lineLength_m } from '../geo/ellipsoid.ts'
import { Overlay, type GridRings, type RunOverlay } from '../geo/overlay.ts'
import { pointInside, pointOnLine } from '../geo/representative-point.ts'
import { insideUs, usEnvelope } from '../geo/us.ts'
import type { Extent, FlatPath } from '../model/area.ts'
import { ApiError, type ValidationError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { areaLimits, lineTypes, type AreaGeometry } from './area-schema.ts'
import {
  validationErrorAt,
  holesFault,
  overlapTolerance,
  polygonsFault,
  requireNoCrossing,
  requireSimpleRing,
  type Loc,
} from './geometry-errors.ts'
import { LineIndex } from './line-cuts.ts'

/** An area to summarize: polygons without overlap, measured on the ellipsoid. */
export type PolygonArea = {
  kind: 'polygon'
  overlay: Overlay
  rings: GridRings
  area_m2: number
  extent: Extent
  point: Point
}
/** Lines to summarize, with the length of each. */
export type LineArea = {
  kind: 'line'
  lines: FlatPath[]
  lengths_m: number[]
  index: LineIndex
  extent: Extent
  point: Point
}
export type QueryArea = PolygonArea | LineArea

/** How the steps of a large geometry are executed. By default, all in one turn of the event loop. */
type GeometrySteps = { runOverlay?: RunOverlay; yieldToEventLoop?: YieldToEventLoop }

/**
 * Checks a geometry and measures it.
 * @throws {ValidationError} that names the invalid position, and {ApiError} `coord_out_of_bounds` outside the US.
 */
export function measureGeometry(
  { type, coordinates }: AreaGeometry,
  loc: Loc,
  steps: GeometrySteps = {},
): MaybePromise<QueryArea> {
  if (isLineType(type)) return measureLines({ type, coordinates }, loc)
  const at = [...loc, 'coordinates']
  const reader = new PositionReader()
  const polygons = type === 'Polygon' ? [coordinates] : coordinates
  const rings = polygons.map((polygon, i) => reader.rings(polygon, type === 'Polygon' ? at : [...at, i]))
  return runCoroutine(polygonAreaOf(rings, (polygon) => (type === 'Polygon' ? at : [...at, polygon]), steps))
}

function isLineType(type: AreaGeometry['type']): type is LineGeometry['type'] {
  return lineTypes.some((it) => it === type)
}

type LineGeometry = { type: (typeof lineTypes)[number]; coordinates: unknown[] }

/** Checks lines and measures them. @throws as `measureGeometry`. */
export function measureLines({ type, coordinates }: LineGeometry, loc: Loc): LineArea {
  const at = [...loc, 'coordinates']
  const reader = new PositionReader()
  return lineAreaOf(type === 'LineString' ? [reader.line(coordinates, at)] : reader.lines(coordinates, at), at)
}

/** Reads positions, and counts them over the complete geometry. */
class PositionReader {
  #vertices = 0

  lines(value: unknown, loc: Loc): FlatPath[] {
    return listAt(value, loc).map((line, i) => this.line(line, [...loc, i]))
  }

  line(value: unknown, loc: Loc): FlatPath {
    const line = this.#path(value, loc)
    if (line.length < 4) throw validationErrorAt(loc, 'A line needs at least two positions')
    return line
  }

  rings(value: unknown, loc: Loc): FlatPath[] {
    return listAt(value, loc).map((ring, i) => this.#ring(ring, [...loc, i]))
  }

  #ring(value: unknown, loc: Loc): FlatPath {
    const ring = this.#path(value, loc)
    const last = ring.length - 2
    if (ring.length < 8) throw validationErrorAt(loc, 'A ring needs at least four positions')
    if (ring[0] !== ring[last] || ring[1] !== ring[last + 1])
      throw validationErrorAt(
        [...loc, last / 2],
        `A ring must end where it begins. It begins at ${ring[0]}, ${ring[1]} and ends at ${ring[last]}, ${ring[last + 1]}`,
      )
    return ring.slice(0, last)
  }

  #path(value: unknown, loc: Loc): FlatPath {
    const path: FlatPath = []
    for (const [i, position] of listAt(value, loc).entries()) {
      if (typeof position === 'number')
        throw validationErrorAt(
          loc,
          'This must be a list of positions, and is one position. A Polygon has a list of rings, and a ring has a list of positions',
        )
      const [lng, lat] = Array.isArray(position) ? (position as unknown[]) : []
      if (typeof lng !== 'number' || typeof lat !== 'number' || !Number.isFinite(lng) || !Number.isFinite(lat))
        throw validationErrorAt([...loc, i], 'A position must be a list of two numbers: longitude, then latitude')
      if (++this.#vertices > areaLimits.vertices)
        throw validationErrorAt(
          [...loc, i],
          `The geometry has more than ${areaLimits.vertices.toLocaleString('en-US')} positions. Simplify it`,
        )
      if (!insideUs({ lat, lng })) throw outsideUsError({ lat, lng }, [...loc, i])
      if (i > 0 && Math.abs(lng - path[path.length - 2]!) > 180)
        throw validationErrorAt(
          [...loc, i],
          'The geometry crosses the antimeridian here. Split it there, into the parts of a MultiPolygon or a MultiLineString',
        )
      path.push(lng + 0, lat + 0)
    }
    return path
  }
}

function outsideUsError(at: Point, loc: Loc): ApiError {
  return new ApiError(
    'coord_out_of_bounds',
    `The position ${at.lng}, ${at.lat} of the geometry (${loc.join('.')}) is outside the United States and its territories.${outsideUsHint(at)}`,
    { lat: at.lat, lng: at.lng, loc, envelope: usEnvelope },
  )
}

function outsideUsHint({ lat, lng }: Point): string {
  if (insideUs({ lat: lng, lng: lat })) return ' The longitude comes first.'
  if (Math.abs(lng) <= 180 && Math.abs(lat) <= 90) return ''
  return insideUs({ lat, lng: lng - 360 * Math.sign(lng) })
    ? ' A longitude is from -180 to 180. Split the geometry where it crosses the antimeridian.'
    : ' A position is a longitude and a latitude in degrees.'
}

function lineAreaOf(lines: FlatPath[], loc: Loc): LineArea {
  const lengths_m = lines.map(lineLength_m)
  const length_m = lengths_m.reduce((sum, length) => sum + length, 0)
  if (length_m === 0) throw validationErrorAt(loc, 'The line has no length')
  if (length_m > areaLimits.line_km * 1000)
    throw validationErrorAt(
      loc,
      `The line is ${Math.round(length_m / 1000).toLocaleString('en-US')} km long. The maximum is ${areaLimits.line_km.toLocaleString('en-US')} km. Divide it into several lines`,
    )
  return {
    kind: 'line',
    lines,
    lengths_m,
    index: new LineIndex(lines),
    extent: extentOf(lines),
    point: pointOnLine(lines, lengths_m),
  }
}

function* polygonAreaOf(
  polygons: FlatPath[][],
  locOf: (polygon: number) => Loc,
  { runOverlay, yieldToEventLoop = () => null }: GeometrySteps,
): Coroutine<PolygonArea> {
  yield* requireNoCrossing(polygons, locOf, yieldToEventLoop)
  const extent = extentOf(polygons.flat())
  if (extent.west === extent.east || extent.south === extent.north)
    throw validationErrorAt(locOf(0), 'The polygon has no area')
  const overlay = new Overlay(extent, runOverlay)
  const parts: MeasuredRings[] = []
  for (const [i, rings] of polygons.entries()) parts.push(yield* partOf(overlay, rings, locOf(i)))
  const { rings, area_m2 } = parts.length === 1 ? parts[0]! : yield* joinParts(overlay, parts)
  const sum_m2 = parts.reduce((sum, part) => sum + part.area_m2, 0)
  if (sum_m2 - area_m2 > overlapTolerance * sum_m2) {
    const eachOnce = yield* waitFor(overlay.fromPolygon(parts.flatMap((part) => overlay.toPaths(part.rings))))
    throw polygonsFault(polygons, locOf, pointIn(overlay, (yield* waitFor(overlay.split(rings, eachOnce))).rest))
  }
  requireMeasurableArea(area_m2, polygons.length === 1 ? locOf(0) : locOf(0).slice(0, -1))
  return { kind: 'polygon', overlay, rings, area_m2, extent, point: pointInside(overlay.toPaths(rings)) }
}

function* joinParts(overlay: Overlay, parts: readonly MeasuredRings[]): Coroutine<MeasuredRings> {
  const rings = yield* waitFor(overlay.union(parts.flatMap((part) => part.rings)))
  return { rings, area_m2: overlay.area_m2(rings) }
}

/** Joins polygons that may overlap, such as the pieces of a buffer. @throws {ValidationError} beyond the limits. */
export async function joinPolygons(polygons: readonly FlatPath[][], loc: Loc, run?: RunOverlay): Promise<PolygonArea> {
  const extent = extentOf(polygons.flat())
  if (!(extent.west < extent.east && extent.south < extent.north)) throw tooSmallAt(loc)
  if (extent.west < -180 || extent.east > 180)
    throw validationErrorAt(
      loc,
      'The area crosses the antimeridian. Send a MultiPolygon with a part on each side of it',
    )
  const overlay = new Overlay(extent, run)
  const cleaned: GridRings = []
  for (const polygon of polygons) cleaned.push(...(await overlay.fromPolygon(polygon)))
  const rings = await overlay.union(cleaned)
  const area_m2 = overlay.area_m2(rings)
  requireMeasurableArea(area_m2, loc)
  return { kind: 'polygon', overlay, rings, area_m2, extent, point: pointInside(overlay.toPaths(rings)) }
}

/** The smallest area: answers state areas in thousandths of a square meter. */
const areaMin_m2 = 0.001

function requireMeasurableArea(area_m2: number, loc: Loc): void {
  if (area_m2 < areaMin_m2) throw tooSmallAt(loc)
  requireAreaWithinLimit(area_m2, loc)
}

function tooSmallAt(loc: Loc): ValidationError {
  return validationErrorAt(loc, `The area is smaller than ${areaMin_m2} m². Use a larger one`)
}

/** @throws {ValidationError} for an area that is too large. */
export function requireAreaWithinLimit(area_m2: number, loc: Loc): void {
  if (area_m2 <= areaLimits.area_km2 * 1e6) return
  throw validationErrorAt(
    loc,
    `The area is ${Math.round(area_m2 / 1e6).toLocaleString('en-US')} km². The maximum is ${areaLimits.area_km2.toLocaleString('en-US')} km². Divide it into several areas`,
  )
}

type MeasuredRings = Pick<PolygonArea, 'rings' | 'area_m2'>

/** A polygon on the grid. Its even-odd area equals the outer ring without the holes, unless a hole is not inside. */
function* partOf(overlay: Overlay, rings: FlatPath[], loc: Loc): Coroutine<MeasuredRings> {
  const cleaned: MeasuredRings[] = []
  for (const [i, ring] of rings.entries()) {
    const onGrid = yield* waitFor(overlay.fromPolygon([ring]))
    const area_m2 = overlay.area_m2(onGrid)
    requireSimpleRing(ring, area_m2, overlay, [...loc, i])
    cleaned.push({ rings: onGrid, area_m2 })
  }
  const [outer, ...holes] = cleaned as [MeasuredRings, ...MeasuredRings[]]
  const outer_m2 = outer.area_m2
  if (outer_m2 === 0) throw validationErrorAt(loc, 'The polygon has no area')
  if (holes.length === 0) return outer
  const withoutHoles = yield* waitFor(overlay.fromPolygon(rings))
  const area_m2 = overlay.area_m2(withoutHoles)
  const expected_m2 = holes.reduce((rest_m2, hole) => rest_m2 - hole.area_m2, outer_m2)
  if (area_m2 === 0) throw validationErrorAt(loc, 'The polygon has no area: its holes fill it')
  if (Math.abs(area_m2 - expected_m2) <= overlapTolerance * outer_m2) return { rings: withoutHoles, area_m2 }
  const union = yield* waitFor(overlay.union(holes.flatMap((hole) => hole.rings)))
  const { rest: outside } = yield* waitFor(overlay.split(union, outer.rings))
  const evenOdd = yield* waitFor(overlay.fromPolygon(rings.slice(1)))
  const { rest: twice } = yield* waitFor(overlay.split(union, evenOdd))
  throw holesFault(rings, loc, { outside: pointIn(overlay, outside), twice: pointIn(overlay, twice) })
}

/** A point in rings; null if they have no area. */
function pointIn(overlay: Overlay, rings: GridRings): Point | null {
  return overlay.area_m2(rings) === 0 ? null : pointInside(overlay.toPaths(rings))
}

/** The extent of features that can matter for an area: a little larger, so that cut edges lie outside it. */
export function queryExtentOf({ extent }: QueryArea): Extent {
  const margin = 0.01 * Math.max(extent.east - extent.west, extent.north - extent.south, 1e-6)
  return growExtent(extent, margin)
}

function listAt(value: unknown, loc: Loc): unknown[] {
  if (Array.isArray(value) && value.length > 0) return value as unknown[]
  throw validationErrorAt(loc, 'This must be a list of positions, as in GeoJSON, and it may not be empty')
}
