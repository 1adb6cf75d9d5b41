import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'

/** The point that lies so many metres east and north. Within a decimetre for a kilometre. Its longitude may run beyond 180. */
export function moved({ lat, lng }: Point, east_m: number, north_m: number): Point {
  const there = lat + (north_m / meridianRadius_m(lat)) * degrees
  return { lat: there, lng: lng + (east_m / (normalRadius_m(there) * Math.cos(there / degrees))) * degrees }
}

/** A point in Web Mercator (EPSG:3857). */
export function mercatorOf({ lat, lng }: Point): [x: number, y: number] {
  return [(equatorialRadius_m * lng) / degrees, equatorialRadius_m * Math.log(Math.tan(Math.PI / 4 + lat / degrees / 2))]
}

/** The point that an ArcGIS location stands for; null when its system is neither WGS 84 nor Web Mercator. */
export function pointOf({ x, y, spatialReference }: Record<string, unknown>): Point | null {
  if (typeof x !== 'number' || typeof y !== 'number') return null
  const { wkid, latestWkid = wkid } = isRecord(spatialReference) ? spatialReference : {}
  if (latestWkid === 4326) return { lat: y, lng: x }
  if (latestWkid !== 3857 && latestWkid !== 102_100) return null
  return { lat: (2 * Math.atan(Math.exp(y / equatorialRadius_m)) - Math.PI / 2) * degrees, lng: (x / equatorialRadius_m) * degrees }
}

const degrees = 180 / Math.PI
const equatorialRadius_m = 6_378_137
const eccentricity2 = 0.00669437999014

function normalRadius_m(lat: number): number {
  return equatorialRadius_m / Math.sqrt(1 - eccentricity2 * Math.sin(lat / degrees) ** 2)
}

function meridianRadius_m(lat: number): number {
  return (equatorialRadius_m * (1 - eccentricity2)) / (1 - eccentricity2 * Math.sin(lat / degrees) ** 2) ** 1.5
}
