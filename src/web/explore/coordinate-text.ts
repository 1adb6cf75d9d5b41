import { parseCoordinates, type ParsedCoordinates } from '../../place/parse-coordinates.ts'
import { roundPoint, type MapPoint } from '../map/geometry.ts'

/** A coordinate that was read from a text; `isTurned`: the longitude stood first. */
export type CoordinateInText = { at: MapPoint; isSwapped: boolean }

/** The coordinate in a text, read as the service reads it, and in the address of a map. Null when there is none. */
export function findCoordinate(text: string): CoordinateInText | null {
  const parsed = parseCoordinates(pairInLink(text.trim()) ?? text)
  return parsed && isOnEarth(parsed) ? { at: roundPoint(parsed), isSwapped: parsed.kind === 'swapped' } : null
}

const number = '[-+−]?\\d{1,3}(?:[.]\\d{1,12})?'
/** `geo:39.7,-105`, and what maps write into their address: `@39.7,-105,12z`, `?q=39.7,-105`, `#map=12/39.7/-105`. */
const linkPatterns = [
  new RegExp(`^geo:(${number}),(${number})`, 'i'),
  new RegExp(`@(${number}),(${number})`),
  new RegExp(`#map=\\d{1,2}(?:[.]\\d{1,3})?/(${number})/(${number})`),
  new RegExp(`[?&](?:q|ll|query|center)=(${number})(?:,|%2C)(${number})`, 'i'),
]

/** The coordinate in a link, as people write it. */
function pairInLink(text: string): string | null {
  const match = linkPatterns.map((link) => link.exec(text)).find((it) => it)
  return match ? `${match[1]}, ${match[2]}` : null
}

/** The service tells of a latitude beyond the poles that it is outside the country; on the map it is nowhere. */
function isOnEarth({ lat, lng }: ParsedCoordinates): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 360
}
