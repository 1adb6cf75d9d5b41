import type { Static, TObject } from '@sinclair/typebox'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { UpstreamError } from '../../model/error.ts'
import { noneWithinRadius, type Absent } from '../../model/outcome.ts'
import type { Budget, Feature, Sources, Value } from '../../model/source.ts'
import { cleanValue, cleaningArgs } from '../value/clean-value.ts'
import { cowardinDecodeSchema, decodeCowardin } from '../value/cowardin.ts'
import { defineOperator, t, type FieldQuery, type LocalRead } from '../operator.ts'
import { rawValueOf } from '../value/raw-value.ts'

const searchArgs = {
  /** Search radii in ascending order. `null` searches without a limit, for local layers. */
  search_radii_m: t.Union([t.Array(t.Number({ exclusiveMinimum: 0 }), { minItems: 1 }), t.Null()]),
  where: t.Optional(t.String()),
}

type SearchArgs = Static<TObject<typeof searchArgs>>

/** Returns the distance to the nearest feature in meters. 0 inside a feature. */
export const nearestDistanceOperator = defineOperator({
  shape: 'features',
  args: t.Object(searchArgs),
  localRead: (args) => nearestLocalRead(args, 'distance', distanceOf),
  run: (args, features, query, budget) => andThen(findNearest(features, query, args, budget), distanceOf),
})

/** Returns an attribute of the nearest feature, or a formula over its attributes. */
export const nearestAttributeOperator = defineOperator({
  shape: 'features',
  args: t.Object({
    attribute: t.Optional(t.String()),
    /** A formula over attributes, instead of `attribute`. */
    expression: t.Optional(t.String()),
    decode: t.Optional(cowardinDecodeSchema),
    ...searchArgs,
    ...cleaningArgs,
  }),
  localRead: (args) => nearestLocalRead(args, 'attributes', (hit) => attributeOfHit(hit, args)),
  run: (args, features, query, budget) =>
    andThen(findNearest(features, query, args, budget), (hit) => attributeOfHit(hit, args)),
})

/** Returns the position of the nearest point on the nearest line: 0 at its start, 1 at its end. */
export const nearestFractionOperator = defineOperator({
  shape: 'features',
  args: t.Object(searchArgs),
  run: (args, features, query, budget) => andThen(findNearest(features, query, args, budget), fractionOf),
})

function distanceOf(hit: Feature | null): number | Absent {
  return hit ? hit.distance_m : noneWithinRadius
}

type AttributeArgs = {
  attribute?: string
  expression?: string
  decode?: Static<typeof cowardinDecodeSchema>
} & Static<TObject<typeof cleaningArgs>>

function attributeOfHit(hit: Feature | null, args: AttributeArgs): Value | Absent {
  if (!hit) return noneWithinRadius
  const raw = rawValueOf(hit.properties, args)
  return args.decode === undefined ? cleanValue(raw, args) : decodeCowardin(raw, args.decode, args.classes)
}

function fractionOf(hit: Feature | null): number | Absent {
  if (!hit) return noneWithinRadius
  if (hit.fraction !== undefined) return hit.fraction
  throw new UpstreamError(
    'unsupported_request',
    'The field needs a position along a line, but the source does not report one.',
  )
}

const unlimited_m = [Infinity]

/** The index of features in memory finds the nearest one at once, so smaller radii would only repeat the search. */
function nearestLocalRead(
  { search_radii_m, where }: SearchArgs,
  reads: LocalRead['reads'],
  valueOf: (hit: Feature | null) => Value | Absent,
): LocalRead {
  const radius_m = (search_radii_m ?? unlimited_m).at(-1)!
  return {
    query: { radius_m, ...(where !== undefined && { where }), limit: 1 },
    reads,
    valueOf([hit], { onRecordsUsed }) {
      if (!hit || hit.distance_m > radius_m) return valueOf(null)
      onRecordsUsed?.([hit.properties])
      return valueOf(hit)
    },
  }
}

/**
 * Returns the nearest feature, or `null` if there is none within the last radius. Ignores a feature beyond the current
 * radius. Distance, attribute and fraction use the same query, so they share one response.
 */
function findNearest(
  features: Sources['features'],
  { at, onRecordsUsed }: FieldQuery,
  { search_radii_m, where }: SearchArgs,
  budget: Budget,
): MaybePromise<Feature | null> {
  const radii_m = search_radii_m ?? unlimited_m
  return searchFrom(0)

  function searchFrom(i: number): MaybePromise<Feature | null> {
    const radius_m = radii_m[i]
    if (radius_m === undefined) return null
    const query = { at, radius_m, ...(where !== undefined && { where }), limit: 1 }
    return andThen(features(query, budget), ([hit]) => {
      if (!hit || hit.distance_m > radius_m) return searchFrom(i + 1)
      onRecordsUsed?.([hit.properties])
      return hit
    })
  }
}
