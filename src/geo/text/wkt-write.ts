import type { GeoJsonGeometry } from './geojson.ts'

/** Returns a polygon or several as well-known text (OGC 06-103r4), longitude first. */
export function wktOf(geometry: GeoJsonGeometry): string {
  if (!('coordinates' in geometry)) throw new Error('Only geometries with coordinates can be written as text.')
  return `${geometry.type.toUpperCase()} ${textOf(geometry.coordinates)}`
}

/** A position is two numbers with a space; all else is a list in parentheses. */
function textOf(coordinates: unknown): string {
  if (!Array.isArray(coordinates)) return String(coordinates)
  return typeof coordinates[0] === 'number'
    ? `${String(coordinates[0])} ${String(coordinates[1])}`
    : `(${coordinates.map(textOf).join(', ')})`
}
