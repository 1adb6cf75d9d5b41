import { forward, toPoint } from 'mgrs'
import type { Point } from '../model/place.ts'
import { centerOfPlusCode } from '../operators/functions/plus-code.ts'

/** The middle of the cell that a text in capitals names, or null when it names none: a Military Grid Reference or one of the US National Grid, to 100 m or finer, or a plus code of eight digits or more. */
export function parseGridReference(text: string): Point | null {
  const at = parseMgrs(text) ?? centerOfPlusCode(text)
  return at && { lat: roundDegrees(at.lat), lng: roundDegrees(at.lng) }
}

/** Zone and band, square, and easting and northing in as many digits each; a coarser one is an area and no place. */
const spacedPattern = /^(\d{1,2}[C-HJ-NP-X]) ?([A-HJ-NP-Z][A-HJ-NP-V]) ?(\d{3,5}) ?(\d{3,5})$/
/** Ten digits in one piece. */
const joinedPattern = /^(\d{1,2}[C-HJ-NP-X]) ?([A-HJ-NP-Z][A-HJ-NP-V]) ?(\d{6}|\d{8}|\d{10})$/

function parseMgrs(text: string): Point | null {
  const [zone, square, digits] = splitMgrs(text)
  if (zone === undefined || square === undefined || digits === undefined) return null
  const canonical = `${Number.parseInt(zone, 10)}${zone.at(-1)!}${square}${digits}`
  const center = mgrsCenterOf(canonical)
  // Not every square is in every zone: one that is not comes back under another name.
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
    return null // a zone or a band that there is not
  }
}

/** To a tenth of a metre: a cell is a metre wide at least. */
function roundDegrees(degrees: number): number {
  return Number(degrees.toFixed(6))
}
