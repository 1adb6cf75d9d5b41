import { distanceBetween_m } from '../geo/ecef.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Feature } from '../model/source.ts'
import type { Parameters } from './arcgis-ask.ts'

/** What asks a layer for the number of features that a circle touches. */
export function countOver(at: Point, radius_m: number): Parameters {
  return {
    geometry: JSON.stringify({ rings: [circleOf(at, radius_m)], spatialReference: { wkid: 4326 } }),
    geometryType: 'esriGeometryPolygon',
    returnCountOnly: 'true',
  }
}

/** The number that a layer answered. `name`: who answered. */
export function countOf({ count }: Record<string, unknown>, name: string): number {
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) throw new UpstreamError('bad_response', `${name} answered without a count, or with one that is no number of things.`)
  if (count > mostCounted) throw new UpstreamError('bad_value', `${name} counts ${count} features, and more than ${mostCounted} in one circle are not believed.`)
  return count
}

/** So many features, of which only their number is known. */
export function countedAs(count: number): Feature[] {
  return Array<Feature>(count).fill(unknown)
}

const mostCounted = 10_000_000
const vertices = 64
const unknown: Feature = Object.freeze({ properties: Object.freeze({}), distance_m: 0 })

/** A ring, clockwise and closed, that covers as much as the circle: its corners lie a little outside. */
function circleOf(at: Point, radius_m: number): [number, number][] {
  const turn = (2 * Math.PI) / vertices
  const reach_m = radius_m * Math.sqrt(turn / Math.sin(turn))
  const ring = Array.from({ length: vertices }, (_, i) => away(at, i * turn, reach_m))
  return [...ring, ring[0]!].map(({ lng, lat }) => [rounded(lng), rounded(lat)])
}

/** The place so far away in that direction: on a sphere, then nearer or farther until the ellipsoid agrees. */
function away(from: Point, azimuth: number, wanted_m: number): Point {
  let reach_m = wanted_m
  for (let round = 0; round < 4; round++) reach_m *= wanted_m / distanceBetween_m(from, onSphere(from, azimuth, reach_m))
  return onSphere(from, azimuth, reach_m)
}

function onSphere({ lat, lng }: Point, azimuth: number, reach_m: number): Point {
  const [angle, from] = [reach_m / 6_371_008.8, (lat * Math.PI) / 180]
  const to = Math.asin(Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(azimuth))
  const east = Math.atan2(Math.sin(azimuth) * Math.sin(angle) * Math.cos(from), Math.cos(angle) - Math.sin(from) * Math.sin(to))
  return { lat: (to * 180) / Math.PI, lng: lng + (east * 180) / Math.PI }
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(7))
}
