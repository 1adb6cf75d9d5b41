import type { Point } from '../../model/place.ts'
import { isRecord } from '../../model/record.ts'

/**
 * The point at an offset in meters east and north. Accurate to 0.1 m within a kilometer. The longitude may exceed 180.
 */
export function offsetPoint({ lat, lng }: Point, east_m: number, north_m: number): Point {
  const newLat = lat + (north_m / meridianRadius_m(lat)) * degreesPerRadian
  return {
    lat: newLat,
    lng: lng + (east_m / (normalRadius_m(newLat) * Math.cos(newLat / degreesPerRadian))) * degreesPerRadian,
  }
}

/** A point in Web Mercator (EPSG:3857). */
export function toWebMercator({ lat, lng }: Point): [x: number, y: number] {
  return [
    (equatorialRadius_m * lng) / degreesPerRadian,
    equatorialRadius_m * Math.log(Math.tan(Math.PI / 4 + lat / degreesPerRadian / 2)),
  ]
}

/** The point of an ArcGIS location; null if its coordinate system is neither WGS 84 nor Web Mercator. */
export function parseArcgisPoint({ x, y, spatialReference }: Record<string, unknown>): Point | null {
  if (typeof x !== 'number' || typeof y !== 'number') return null
  const { wkid, latestWkid = wkid } = isRecord(spatialReference) ? spatialReference : {}
  if (latestWkid === 4326) return { lat: y, lng: x }
  if (latestWkid !== 3857 && latestWkid !== 102_100) return null
  return {
    lat: (2 * Math.atan(Math.exp(y / equatorialRadius_m)) - Math.PI / 2) * degreesPerRadian,
    lng: (x / equatorialRadius_m) * degreesPerRadian,
  }
}

const degreesPerRadian = 180 / Math.PI
const equatorialRadius_m = 6_378_137
const eccentricity2 = 0.00669437999014

function normalRadius_m(lat: number): number {
  return equatorialRadius_m / Math.sqrt(1 - eccentricity2 * Math.sin(lat / degreesPerRadian) ** 2)
}

function meridianRadius_m(lat: number): number {
  return (equatorialRadius_m * (1 - eccentricity2)) / (1 - eccentricity2 * Math.sin(lat / degreesPerRadian) ** 2) ** 1.5
}
