import { parseGeoJsonGeometry } from '../../geo/geometry.ts'
import { geoJsonOf } from '../../geo/text/geojson.ts'
import { wktOf } from '../../geo/text/wkt-write.ts'
import { signedRingArea_m2 } from '../../geo/ellipsoid.ts'
import { measureDistance } from '../../geo/measure.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Position } from '../../model/source.ts'

/** Providers round the positions of their outlines. */
const outlineTolerance_m = 1

/**
 * An outline as text: GeoJSON with all its polygons, or well-known text (WKT) of its largest polygon. Null without a
 * polygon.
 *
 * @throws {UpstreamError} `bad_response` for an outline of another place.
 */
export function outlineText(geometry: unknown, form: 'geojson' | 'wkt', at: Point): string | null {
  const { polygons } = parseGeoJsonGeometry(geometry)
  if (polygons.length === 0) return null
  requireOutlineAt(polygons, at)
  return form === 'wkt'
    ? wktOf({ type: 'Polygon', coordinates: largestOf(polygons) })
    : JSON.stringify(geoJsonOf({ points: [], lines: [], polygons }))
}

/**
 * Requires that an outline contains the point or touches it.
 *
 * @throws {UpstreamError} `bad_response` if it does not: the source answered another place.
 */
export function requireOutlineAt(polygons: Position[][][], at: Point): void {
  const nearest = measureDistance({ points: [], lines: [], polygons }, at)
  if (nearest === null || nearest.distance_m <= outlineTolerance_m) return
  throw new UpstreamError(
    'bad_response',
    `The source returned an outline ${Math.round(nearest.distance_m)} m from the point. Try again later.`,
  )
}

function largestOf(polygons: Position[][][]): Position[][] {
  const area = ([outer = []]: Position[][]) => Math.abs(signedRingArea_m2(outer.flatMap(([x, y]) => [x, y])))
  return polygons.reduce((largest, polygon) => (area(polygon) > area(largest) ? polygon : largest))
}
