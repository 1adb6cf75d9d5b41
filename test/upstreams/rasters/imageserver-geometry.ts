import type { Point } from '../../../src/model/place.ts'
import { isRecord } from '../../../src/model/record.ts'

/** A position as the service works with it: metres of Web Mercator. */
export type RasterPosition = [x: number, y: number]

/**
 * The point of an Esri geometry. Without a system it is taken in that of the service, where degrees are metres off
 * Africa.
 */
export function pointOfGeometry(text: string | null): Point | null {
  const shape = shapeOf(text)
  return shape ? placed([shape.x, shape.y], shape) : null
}

/** The points of an Esri multipoint. */
export function pointsOf(text: string | null): Point[] | null {
  const shape = shapeOf(text)
  const points = Array.isArray(shape?.points) ? shape.points.map((one: unknown) => placed(one, shape)) : null
  return points?.every((one) => one !== null) ? points : null
}

/** The rings of an Esri polygon, in Web Mercator. */
export function ringsOf(text: string | null): RasterPosition[][] | null {
  const shape = shapeOf(text)
  if (!Array.isArray(shape?.rings) || shape.rings.length === 0) return null
  const rings = shape.rings.map((ring: unknown) =>
    Array.isArray(ring) ? ring.map((one: unknown) => placed(one, shape)) : [],
  )
  return rings.every((ring) => ring.length > 3 && ring.every((one) => one !== null))
    ? rings.map((ring) => ring.map((one) => mercatorOf(one!)))
    : null
}

/** Degrees in Web Mercator, and back. */
export function mercatorOf({ lat, lng }: Point): RasterPosition {
  return [(lng * Math.PI * radius) / 180, radius * Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360))]
}

export function degreesOf([x, y]: RasterPosition): Point {
  return { lat: (Math.atan(Math.exp(y / radius)) * 360) / Math.PI - 90, lng: (x * 180) / Math.PI / radius }
}

const radius = 6_378_137

function shapeOf(text: string | null): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text ?? '')
    return isRecord(read) ? read : null
  } catch {
    return null
  }
}

function placed(position: unknown, shape: Record<string, unknown>): Point | null {
  if (!Array.isArray(position)) return null
  const [x, y] = position as unknown[]
  if (typeof x !== 'number' || typeof y !== 'number') return null
  const wkid = isRecord(shape.spatialReference)
    ? (shape.spatialReference.latestWkid ?? shape.spatialReference.wkid)
    : 3857
  return wkid === 4326 || wkid === 4269
    ? { lat: y, lng: x }
    : wkid === 3857 || wkid === 102100
      ? degreesOf([x, y])
      : null
}
