import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { extentOf, growExtent } from '../../geo/overlay/cut-at-extent.ts'
import { lineLength_m } from '../../geo/ellipsoid.ts'
import type { GeometryRunner, MeasuredPolygon, MeasureJob } from '../../geo/overlay/geometry-jobs.ts'
import { Overlay, runOverlay } from '../../geo/overlay/overlay.ts'
import { pointOnLine } from '../../geo/representative-point.ts'
import { insideUs, usEnvelope } from '../../geo/us.ts'
import type { Extent, FlatPath } from '../../model/area.ts'
import { ApiError, validationErrorAt } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { areaLimits, lineTypes, type AreaGeometry } from '../area-schema.ts'
import type { Loc } from './geometry-errors.ts'
import { LineIndex } from './line-cuts.ts'
import { measurePolygon } from './measure-polygon.ts'

/** An area to summarize: polygons without overlap, measured on the ellipsoid. */
export type PolygonArea = MeasuredPolygon & { kind: 'polygon'; overlay: Overlay }
/** Lines to summarize, with the length of each. */
export type LineArea = {
  kind: 'line'
  lines: FlatPath[]
  lengths_m: number[]
  /** Returns the index of the segments, which is built at the first call: a corridor needs none. */
  index: () => LineIndex
  extent: Extent
  point: Point
}
export type QueryArea = PolygonArea | LineArea

type Measuring = Pick<GeometryRunner, 'overlay' | 'measure'>

const ownThread: Measuring = { overlay: runOverlay, measure: measurePolygon }

/**
 * Checks a geometry and measures it. By default, all in this thread.
 * @throws {ValidationError} that names the invalid position, and {ApiError} `coord_out_of_bounds` outside the US.
 */
export function measureGeometry(
  { type, coordinates }: AreaGeometry,
  loc: Loc,
  runner: Measuring = ownThread,
): MaybePromise<QueryArea> {
  if (isLineType(type)) return measureLines({ type, coordinates }, loc)
  const at = [...loc, 'coordinates']
  const reader = new PositionReader()
  const lists = type === 'Polygon' ? [coordinates] : coordinates
  const polygons = lists.map((polygon, i) => reader.rings(polygon, type === 'Polygon' ? at : [...at, i]))
  return polygonAreaOf({ kind: 'request', type, polygons, loc: at }, runner)
}

/** Measures polygons. @throws as the job does. */
export function polygonAreaOf(job: MeasureJob, { measure, overlay }: Measuring): MaybePromise<PolygonArea> {
  return andThen(measure(job), (measured) => ({
    kind: 'polygon' as const,
    overlay: new Overlay(measured.extent, overlay),
    ...measured,
  }))
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
  let built: LineIndex | undefined
  const index = () => (built ??= new LineIndex(lines))
  return { kind: 'line', lines, lengths_m, index, extent: extentOf(lines), point: pointOnLine(lines, lengths_m) }
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
