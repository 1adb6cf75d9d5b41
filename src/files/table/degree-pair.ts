import type { Point } from '../../model/place.ts'
import type { ToDegrees } from '../crs.ts'
import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'

/** How to read two numbers: `toDegrees` is null for degrees. `west`: positive longitudes are west. */
export type NumberSystem = { toDegrees: ToDegrees; west: boolean }

/** Why two cells are no coordinate: one of them is no angle, or they are in the other order. */
export type PairProblem = { problem: 'lat' | 'lng' | 'swapped' }

/**
 * Parses the cells of a latitude and a longitude: decimal degrees, also with a decimal comma, degrees with minutes,
 * seconds or a hemisphere, or the northing and easting of a coordinate system.
 */
export function parsePair(latText: string, lngText: string, { toDegrees, west }: NumberSystem): Point | PairProblem {
  const [y, x] = [parseNumber(latText), parseNumber(lngText)]
  if (!Number.isNaN(y) && !Number.isNaN(x)) {
    const at = toDegrees ? toDegrees(x, y) : { lat: y, lng: x }
    return toDegrees && !Number.isFinite(at.lat + at.lng) ? { problem: 'lng' } : withWest(at, west)
  }
  const bad = { problem: Number.isNaN(y) ? ('lat' as const) : ('lng' as const) }
  if (toDegrees) return bad
  const parsed = parseCoordinates(`${withDecimalPoint(latText)}, ${withDecimalPoint(lngText)}`)
  if (parsed?.kind === 'swapped') return { problem: 'swapped' }
  if (!parsed || !Number.isFinite(parsed.lat) || !Number.isFinite(parsed.lng)) return bad
  return withWest({ lat: parsed.lat, lng: parsed.lng }, west)
}

/** Returns a coordinate with its longitude in the west, if it is asked for. */
export function withWest({ lat, lng }: Point, west: boolean): Point {
  return { lat, lng: west ? -Math.abs(lng) : lng }
}

function parseNumber(text: string): number {
  const decimal = /^[+-]?\d{1,3}(?:,\d{3}){2,}(?:\.\d*)?$/.test(text)
    ? text.replaceAll(',', '')
    : withDecimalPoint(text)
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(decimal) && Number.isFinite(Number(decimal))
    ? Number(decimal)
    : NaN
}

function withDecimalPoint(text: string): string {
  return text.replace(/^([^\d]*\d+),(\d+)/, '$1.$2')
}
