import type { Static, TObject } from '@sinclair/typebox'
import { UpstreamError } from '../model/error.ts'
import { noneWithinRadius } from '../model/outcome.ts'
import type { Point } from '../model/place.ts'
import type { Budget, Feature, Sources } from '../model/source.ts'
import { cleanValue, cleaningArgs } from './clean-value.ts'
import { defineOperator, t } from './operator.ts'
import { requireAttribute } from './require-attribute.ts'

const searchArgs = {
  /** Growing rings; `null` is without bound, for a layer that is at hand locally. */
  search_radii_m: t.Union([t.Array(t.Number({ exclusiveMinimum: 0 }), { minItems: 1 }), t.Null()]),
  where: t.Optional(t.String()),
}

/** Metres to the edge of the nearest feature; 0 inside one. */
export const nearestDistanceOperator = defineOperator({
  shape: 'features',
  args: t.Object(searchArgs),
  async run(args, features, { at }, budget) {
    const hit = await findNearest(features, at, args, budget)
    return hit ? hit.distance_m : noneWithinRadius
  },
})

/** An attribute of the nearest feature. */
export const nearestAttributeOperator = defineOperator({
  shape: 'features',
  args: t.Object({ attribute: t.String(), ...searchArgs, ...cleaningArgs }),
  async run(args, features, { at }, budget) {
    const hit = await findNearest(features, at, args, budget)
    return hit ? cleanValue(requireAttribute(hit.properties, args.attribute), args) : noneWithinRadius
  },
})

/** Where along the nearest line its closest place lies: 0 at its start, 1 at its end. */
export const nearestFractionOperator = defineOperator({
  shape: 'features',
  args: t.Object(searchArgs),
  async run(args, features, { at }, budget) {
    const hit = await findNearest(features, at, args, budget)
    if (!hit) return noneWithinRadius
    if (hit.fraction !== undefined) return hit.fraction
    throw new UpstreamError(
      'unsupported_request',
      'The source does not say where along the line the nearest place lies.',
    )
  },
})

/**
 * The nearest feature, or `null` when there is none in the last ring. A hit is final when it is not farther than its ring.
 * Always asked in one form, so that its distance, its attributes and its fraction share one answer.
 */
async function findNearest(
  features: Sources['features'],
  at: Point,
  { search_radii_m, where }: Static<TObject<typeof searchArgs>>,
  budget: Budget,
): Promise<Feature | null> {
  for (const radius_m of search_radii_m ?? [Infinity]) {
    const [hit] = await features({ at, radius_m, ...(where !== undefined && { where }), limit: 1 }, budget)
    if (hit && hit.distance_m <= radius_m) return hit
  }
  return null
}
