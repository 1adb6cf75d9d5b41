import { boxesTouch, type QueryBox } from './boxes.ts'
import type { Point, Region } from '../model/place.ts'

/** A box in degrees. */
type LatLngBox = readonly [south: number, west: number, north: number, east: number]

/** The land boxes of each region. Alaska has two because the Aleutians cross the antimeridian. */
const landBoxes: Record<Region, readonly LatLngBox[]> = {
  conus: [[24.4, -124.85, 49.39, -66.88]],
  ak: [
    [51.1, -180, 71.45, -129.9],
    [51.1, 172.3, 53.1, 180],
  ],
  hi: [[18.85, -178.45, 28.5, -154.75]],
  pr: [[17.85, -67.98, 18.55, -65.2]],
  vi: [[17.65, -65.1, 18.45, -64.5]],
  gu: [[13.2, 144.6, 13.7, 145]],
  as: [[-14.6, -171.15, -11, -168.1]],
  mp: [[14.05, 144.85, 20.6, 146.1]],
}
const regions = Object.keys(landBoxes) as Region[]
const seaMargin_degrees = 0.5

/** The served area: the land boxes of the states and territories, each with a margin of sea. */
export const usEnvelope: LatLngBox[] = Object.values(landBoxes).flatMap((boxes) => boxes.map(withMargin))

/** The served area, as query boxes. */
export const usBoxes: QueryBox[] = usEnvelope.map(queryBoxOf)

/** The box around the served area. It is as wide as the earth, because the Aleutians cross the antimeridian. */
export const usBox = {
  lat_min: Math.min(...usEnvelope.map(([south]) => south)),
  lat_max: Math.max(...usEnvelope.map(([, , north]) => north)),
  lng_min: Math.min(...usEnvelope.map(([, west]) => west)),
  lng_max: Math.max(...usEnvelope.map(([, , , east]) => east)),
}

/** Whether a point lies in the served area. */
export function insideUs(at: Point): boolean {
  for (let i = 0; i < usEnvelope.length; i++) if (boxContains(usEnvelope[i]!, at)) return true
  return false
}

/** The region whose land boxes (with margin) contain the point. Default: `conus`. */
export function regionNear(at: Point): Region {
  return regions.find((region) => landBoxes[region].some((box) => boxContains(withMargin(box), at))) ?? 'conus'
}

/** The regions whose land boxes (with margin) have a point in common with one of the boxes. */
export function regionsOfBoxes(boxes: readonly QueryBox[]): Region[] {
  const touches = (land: LatLngBox) => boxes.some((box) => boxesTouch(box, queryBoxOf(withMargin(land))))
  return regions.filter((region) => landBoxes[region].some(touches))
}

/** The region of a state or territory by its postal code. Default: `conus`. */
export function regionOf(state: string): Region {
  return regions.find((region) => region === state.toLowerCase()) ?? 'conus'
}

function boxContains(box: LatLngBox, { lat, lng }: Point): boolean {
  return lat >= box[0] && lat <= box[2] && lng >= box[1] && lng <= box[3]
}

function queryBoxOf([s, w, n, e]: LatLngBox): QueryBox {
  return { w, s, e, n }
}

function withMargin([south, west, north, east]: LatLngBox): LatLngBox {
  const clip = (lng: number) => Math.min(180, Math.max(-180, lng))
  return [
    south - seaMargin_degrees,
    clip(west - seaMargin_degrees),
    north + seaMargin_degrees,
    clip(east + seaMargin_degrees),
  ]
}
