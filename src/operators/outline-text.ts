import { parseGeoJsonGeometry } from '../geo/geometry.ts'
import { geoJsonOf } from '../geo/geojson.ts'
import { signedRingArea_m2 } from '../geo/ellipsoid.ts'
import type { Position } from '../model/source.ts'

/**
 * An outline as text: GeoJSON with all its polygons, or well-known text (WKT) of its largest polygon. Null without a
 * polygon.
 */
export function outlineText(geometry: unknown, form: 'geojson' | 'wkt'): string | null {
  const { polygons } = parseGeoJsonGeometry(geometry)
  if (polygons.length === 0) return null
  return form === 'wkt' ? wktOf(largestOf(polygons)) : JSON.stringify(geoJsonOf({ points: [], lines: [], polygons }))
}

function largestOf(polygons: Position[][][]): Position[][] {
  const area = ([outer = []]: Position[][]) => Math.abs(signedRingArea_m2(outer.flatMap(([x, y]) => [x, y])))
  return polygons.reduce((largest, polygon) => (area(polygon) > area(largest) ? polygon : largest))
}

function wktOf(rings: Position[][]): string {
  const ringTexts = rings.map((ring) => `(${ring.map(([x, y]) => `${x} ${y}`).join(', ')})`)
  return `POLYGON (${ringTexts.join(', ')})`
}
