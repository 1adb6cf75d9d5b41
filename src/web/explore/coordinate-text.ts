import type { Point } from '../../model/place.ts'
import { parseCoordinates, type ParsedCoordinates } from '../../place/parse-coordinates.ts'
import { roundPoint } from '../map/geometry.ts'

/** A coordinate found in a text; `isSwapped` when longitude came first. */
export type CoordinateInText = { at: Point; isSwapped: boolean }

/** Finds a coordinate in a text by the rules of the service. Returns null when there is none. */
export function findCoordinate(text: string): CoordinateInText | null {
  const parsed = parseCoordinates(text)
  return parsed && isOnEarth(parsed) ? { at: roundPoint(parsed), isSwapped: parsed.kind === 'swapped' } : null
}

/** The service accepts a latitude beyond the poles and reports it as out of bounds. The map cannot show it. */
function isOnEarth({ lat, lng }: ParsedCoordinates): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 360
}
