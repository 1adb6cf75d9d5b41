import Flatbush from 'flatbush'
import type { Geometry, Position } from '../geo/geometry.ts'
import { UpstreamError } from '../model/error.ts'
import type { Feature, FeatureQuery } from '../model/source.ts'
import { boundingBoxAround } from './url-template.ts'
import { nearestFeatures, type GeoFeature } from './nearest-features.ts'

/**
 * Indexes features in memory by the bounding box of each part (point, line, polygon), so that a query measures only
 * nearby parts.
 * @throws {UpstreamError} `bad_response` if no feature has a position: a complete list is never empty.
 */
export function createFeatureIndex(features: readonly GeoFeature[]): (query: FeatureQuery) => Feature[] {
  const parts = features.flatMap((of) => partsOf(of.geometry).map((geometry) => ({ of, geometry })))
  if (parts.length === 0)
    throw new UpstreamError('bad_response', 'The downloaded list has no feature with a position. Try again later.')
  const index = new Flatbush(parts.length)
  for (const { geometry } of parts) index.add(...boxOf(geometry))
  index.finish()
  return (query) => {
    const { w, s, e, n } = boundingBoxAround(query.at, query.radius_m)
    const hits = [0, -360, 360].flatMap((shift_degrees) => index.search(w + shift_degrees, s, e + shift_degrees, n))
    return nearestFeatures(mergeParts(hits.map((i) => parts[i]!)), query)
  }
}

function partsOf({ points, lines, polygons }: Geometry): Geometry[] {
  return [
    ...points.map((point) => ({ points: [point], lines: [], polygons: [] })),
    ...lines.map((line) => ({ points: [], lines: [line], polygons: [] })),
    ...polygons.map((polygon) => ({ points: [], lines: [], polygons: [polygon] })),
  ]
}

function boxOf({ points, lines, polygons }: Geometry): [number, number, number, number] {
  let [w, s, e, n] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [lng, lat] of [...points, ...lines.flat(), ...polygons.flat(2)] as Position[]) {
    w = Math.min(w, lng)
    s = Math.min(s, lat)
    e = Math.max(e, lng)
    n = Math.max(n, lat)
  }
  return [w, s, e, n]
}

/** Joins the found parts of each feature. */
function mergeParts(hits: { of: GeoFeature; geometry: Geometry }[]): GeoFeature[] {
  return [...Map.groupBy(hits, ({ of }) => of)].map(([{ properties }, parts]) => ({
    properties,
    geometry: {
      points: parts.flatMap(({ geometry }) => geometry.points),
      lines: parts.flatMap(({ geometry }) => geometry.lines),
      polygons: parts.flatMap(({ geometry }) => geometry.polygons),
    },
  }))
}
