import type { Geometry } from '../geo/geometry.ts'
import { geometryContains, measureDistance } from '../geo/measure.ts'
import { compileCondition } from '../geo/sql-condition.ts'
import type { Point } from '../model/place.ts'
import type { Feature, FeatureQuery, Properties } from '../model/source.ts'

/** A feature with its geometry, without a distance. */
export type GeoFeature = { geometry: Geometry; properties: Properties }

/** The features that match a query, nearest first. Features without a geometry are dropped. */
export function nearestFeatures(
  candidates: Iterable<GeoFeature>,
  { at, radius_m, where, limit = Infinity }: FeatureQuery,
): Feature[] {
  const passes = where === undefined ? () => true : compileCondition(where)
  const features: Feature[] = []
  for (const { geometry, properties } of candidates) {
    if (!passes(properties)) continue
    const measurement = radius_m === 0 ? measureInside(geometry, at) : measureDistance(geometry, at)
    if (measurement && measurement.distance_m <= radius_m) features.push({ properties, ...measurement })
  }
  return features.sort((a, b) => a.distance_m - b.distance_m).slice(0, limit)
}

/** Without a radius, a polygon need not be measured: either it contains the point, or it does not match. */
function measureInside(geometry: Geometry, at: Point): ReturnType<typeof measureDistance> {
  if (geometry.points.length + geometry.lines.length > 0) return measureDistance(geometry, at)
  return geometryContains(geometry, at) ? { distance_m: 0 } : null
}
