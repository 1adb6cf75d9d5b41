import type { Point } from '../model/place.ts'
import type { Budget, Feature, FeatureQuery, Sources } from '../model/source.ts'

/** What narrows the features that are asked for: a condition, and the level of a dataset that has one layer per level. */
type FeatureFilter = { where?: string; level?: number }

/** The features that hold the point. Always asked in one form, so that all fields over one layer share one answer. */
export function queryContainingFeatures(
  features: Sources['features'],
  at: Point,
  { where, level }: FeatureFilter,
  budget: Budget,
): Promise<Feature[]> {
  const query: FeatureQuery = {
    at,
    radius_m: 0,
    ...(where !== undefined && { where }),
    ...(level !== undefined && { level }),
  }
  return features(query, budget)
}
