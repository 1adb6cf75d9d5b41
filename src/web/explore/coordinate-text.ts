import type { Point } from '../../model/place.ts'
import { parseCoordinates, type ParsedCoordinates } from '../../place/parse-coordinates.ts'
import { roundPoint } from '../map/geometry.ts'

/** A coordinate found in a text; `isSwapped` when longitude came first. */
export type CoordinateInText = { at: Point; isSwapped: boolean }

/**
 * Finds a coordinate in a text by the rules of the service, or in the URL of a map. Returns null when there is none.
 */
export function findCoordinate(text: string): CoordinateInText | null {
  const parsed = parseCoordinates(pairInLink(text.trim()) ?? text)
  return parsed && isOnEarth(parsed) ? { at: roundPoint(parsed), isSwapped: parsed.kind === 'swapped' } : null
}

const number = '[-+−]?\\d{1,3}(?:[.]\\d{1,12})?'
/** Matches `geo:39.7,-105` and map URLs: `@39.7,-105,12z`, `?q=39.7,-105`, `#map=12/39.7/-105`. */
const linkPatterns = [
  new RegExp(`^geo:(${number}),(${number})`, 'i'),
  new RegExp(`@(${number}),(${number})`),
  new RegExp(`#map=\\d{1,2}(?:[.]\\d{1,3})?/(${number})/(${number})`),
  new RegExp(`[?&](?:q|ll|query|center)=(${number})(?:,|%2C)(${number})`, 'i'),
]

/** Returns the coordinate of a link as `lat, lng`, or null. */
function pairInLink(text: string): string | null {
  const match = linkPatterns.map((link) => link.exec(text)).find((it) => it)
  return match ? `${match[1]}, ${match[2]}` : null
}

/** The service accepts a latitude beyond the poles and reports it as out of bounds. The map cannot show it. */
function isOnEarth({ lat, lng }: ParsedCoordinates): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 360
}
