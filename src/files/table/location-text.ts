import { tryParseRecord } from '../../model/record.ts'
import { findCoordinatePairs } from '../../model/coordinate-columns.ts'
import type { Point } from '../../model/place.ts'
import { partsOfGeoJson } from '../geojson/geojson-parts.ts'
import { partsOfWkt, wktPattern } from '../wkt.ts'
import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import type { GeometryPart } from '../../geo/text/wkb-write.ts'

/** A coordinate in one text. `isSwapped`: the text has the longitude first, where the latitude is usual. */
export type LocationText = Point & { isSwapped: boolean }

/** An address with its coordinate in parentheses, as open data portals write it. */
const addressWithPair = /\(\s*(-?\d{1,2}\.\d+)°?\s*,\s*(-?\d{1,3}\.\d+)°?\s*\)$/

/**
 * Parses a text with both coordinates: `39.7,-104.9`, `(39.7, -104.9)`, `POINT (-104.9 39.7)`, a GeoJSON point, an
 * object with the members lat and lng, degrees with minutes, or a link to a map. Null for any other text.
 */
export function parseLocationText(text: string): LocationText | null {
  if (text.startsWith('{')) return parseObject(text)
  if (wktPattern.test(text)) return pointOf(() => partsOfWkt(text))
  const [, lat, lng] = addressWithPair.exec(text) ?? []
  const parsed = parseCoordinates(lat === undefined ? text : `${lat}, ${lng}`)
  if (!parsed || !Number.isFinite(parsed.lat) || !Number.isFinite(parsed.lng)) return null
  return { lat: parsed.lat, lng: parsed.lng, isSwapped: parsed.kind === 'swapped' }
}

function parseObject(text: string): LocationText | null {
  const object = tryParseRecord(text)
  if (!object) return null
  if (object.type === 'Feature') return pointOf(() => partsOfGeoJson(object.geometry))
  if ('coordinates' in object) return pointOf(() => partsOfGeoJson(object))
  const names = Object.keys(object)
  const pairs = findCoordinatePairs(names)
  const [lat, lng] = pairs.length === 1 ? [object[names[pairs[0]!.lat]!], object[names[pairs[0]!.lng]!]] : []
  const at = { lat: Number(lat ?? NaN), lng: Number(lng ?? NaN) }
  return Number.isFinite(at.lat) && Number.isFinite(at.lng) ? { ...at, isSwapped: false } : null
}

/** The only point of a geometry. */
function pointOf(parse: () => GeometryPart[]): LocationText | null {
  try {
    const parts = parse()
    const [lng, lat] = parts.length === 1 && parts[0]!.kind === 'point' ? parts[0]!.paths[0]! : []
    return lng === undefined || lat === undefined ? null : { lat, lng, isSwapped: false }
  } catch {
    return null // No well-formed geometry.
  }
}
