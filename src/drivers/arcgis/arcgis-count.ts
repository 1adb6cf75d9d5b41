import { distanceBetween_m } from '../../geo/ecef.ts'
import { roundDegrees } from '../../geo/text/geojson.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Feature } from '../../model/source.ts'
import type { ArcgisParameters } from './arcgis-request.ts'
import { destination } from '../../geo/circle.ts'

/** The parameters of a query for the number of features that touch a circle. */
export function countParameters(at: Point, radius_m: number): ArcgisParameters {
  return {
    geometry: JSON.stringify({ rings: [circleRing(at, radius_m)], spatialReference: { wkid: 4326 } }),
    geometryType: 'esriGeometryPolygon',
    returnCountOnly: 'true',
  }
}

/** The count in a response. `name`: the layer, for errors. */
export function parseCount({ count }: Record<string, unknown>, name: string): number {
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw unexpectedResponse(name, 'a count', count)
  if (count > maxCount)
    throw new UpstreamError(
      'bad_value',
      `${name} counts ${count} features in one circle; more than ${maxCount} is not plausible. Report this to the publisher.`,
    )
  return count
}

/** Features of which only the number is known. */
export function placeholderFeatures(count: number): Feature[] {
  return Array<Feature>(count).fill(unknownFeature)
}

const maxCount = 10_000_000
const vertices = 64
const unknownFeature: Feature = Object.freeze({ properties: Object.freeze({}), distance_m: 0 })

/** A closed clockwise ring with the same area as the circle; its corners lie slightly outside. */
function circleRing(at: Point, radius_m: number): [number, number][] {
  const turn = (2 * Math.PI) / vertices
  const reach_m = radius_m * Math.sqrt(turn / Math.sin(turn))
  const ring = Array.from({ length: vertices }, (_, i) => pointAtDistance(at, i * turn, reach_m))
  return [...ring, ring[0]!].map(({ lng, lat }) => [roundDegrees(lng), roundDegrees(lat)])
}

/**
 * The point at a distance and azimuth. It starts on a sphere and adjusts until the distance on the ellipsoid agrees.
 */
function pointAtDistance(from: Point, azimuth: number, target_m: number): Point {
  let reach_m = target_m
  for (let iteration = 0; iteration < 4; iteration++)
    reach_m *= target_m / distanceBetween_m(from, destination(from, azimuth, reach_m))
  return destination(from, azimuth, reach_m)
}
