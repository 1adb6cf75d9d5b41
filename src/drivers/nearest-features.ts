import type { Geometry } from '../geo/geometry.ts'
import { measureDistance } from '../geo/measure.ts'
import { compileCondition } from '../geo/sql-condition.ts'
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
    const measurement = measureDistance(geometry, at)
    if (measurement && measurement.distance_m <= radius_m) features.push({ properties, ...measurement })
  }
  return features.sort((a, b) => a.distance_m - b.distance_m).slice(0, limit)
}
