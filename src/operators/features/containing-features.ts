import type { MaybePromise } from '../../async/maybe-promise.ts'
import type { Point } from '../../model/place.ts'
import type { Budget, Feature, FeatureQuery, Sources } from '../../model/source.ts'

/** Restricts the features: a condition, and the level of a dataset that has one layer per level. */
type FeatureFilter = { where?: string; level?: number }

/**
 * Queries the features that contain the point. All fields of a layer use the same query, so they share one response.
 */
export function queryContainingFeatures(
  features: Sources['features'],
  at: Point,
  filter: FeatureFilter,
  budget: Budget,
): MaybePromise<Feature[]> {
  return features({ at, ...containingQueryOf(filter) }, budget)
}

/** Returns this query without its point. */
export function containingQueryOf({ where, level }: FeatureFilter): Omit<FeatureQuery, 'at'> {
  return { radius_m: 0, ...(where !== undefined && { where }), ...(level !== undefined && { level }) }
}
