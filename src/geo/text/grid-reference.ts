import { forward, toPoint } from 'mgrs'
import { roundDegrees } from './geojson.ts'
import type { Point } from '../../model/place.ts'
import { centerOfPlusCode } from './plus-code.ts'

/**
 * The center of the cell that a text in capitals names, or null. Accepts MGRS and US National Grid references to 100 m
 * or finer, and plus codes of eight digits or more.
 */
export function parseGridReference(text: string): Point | null {
  const at = parseMgrs(text) ?? centerOfPlusCode(text)
  return at && { lat: roundDegrees(at.lat, decimals), lng: roundDegrees(at.lng, decimals) }
}

/** Six decimals are 0.1 m; a cell is at least a meter wide. */
const decimals = 6

/**
 * Zone and band, square, then easting and northing with the same number of digits. Coarser references are areas, not
 * places.
 */
const spacedPattern = /^(\d{1,2}[C-HJ-NP-X]) ?([A-HJ-NP-Z][A-HJ-NP-V]) ?(\d{3,5}) ?(\d{3,5})$/
/** The same with easting and northing joined. */
const joinedPattern = /^(\d{1,2}[C-HJ-NP-X]) ?([A-HJ-NP-Z][A-HJ-NP-V]) ?(\d{6}|\d{8}|\d{10})$/

function parseMgrs(text: string): Point | null {
  const [zone, square, digits] = splitMgrs(text)
  if (zone === undefined || square === undefined || digits === undefined) return null
  const canonical = `${Number.parseInt(zone, 10)}${zone.at(-1)!}${square}${digits}`
  const center = mgrsCenterOf(canonical)
  // Not every square exists in every zone. An invalid one converts back to a different name.
  return center && forward([center.lng, center.lat], digits.length / 2) === canonical ? center : null
}

function splitMgrs(text: string): string[] {
  const match = joinedPattern.exec(text)
  if (match) return match.slice(1)
  const [, zone, square, easting, northing] = spacedPattern.exec(text) ?? []
  return zone !== undefined && square !== undefined && easting?.length === northing?.length
    ? [zone, square, `${easting}${northing}`]
    : []
}

function mgrsCenterOf(canonical: string): Point | null {
  try {
    const [lng, lat] = toPoint(canonical)
    return Number.isFinite(lat + lng) && Math.abs(lat) <= 84 && Math.abs(lng) <= 180 ? { lat, lng } : null
  } catch {
    return null // no such zone or band
  }
}
