import { andThen } from '../../async/maybe-promise.ts'
import { placeholderError } from '../../model/placeholder.ts'
import type { FeatureQuery, Properties, Value } from '../../model/source.ts'
import { defineOperator, t } from '../operator.ts'
import { requireAttribute } from '../../geo/attribute.ts'
import { cleanValue } from '../value/clean-value.ts'

/** Counts the features within the radius. Returns 0, never absent, if there are none. */
export const countOperator = defineOperator({
  shape: 'features',
  args: t.Object({
    radius_m: t.Number({ exclusiveMinimum: 0 }),
    where: t.Optional(t.String()),
    /** Counts features with the same value of this attribute once. */
    distinct: t.Optional(t.String()),
    /** Only the number of features is read, so a source may omit their attributes. */
    count_only: t.Optional(t.Literal(true)),
  }),
  run({ radius_m, where, distinct, count_only }, features, { at }, budget) {
    const query: FeatureQuery = { at, radius_m, ...(where !== undefined && { where }) }
    return distinct === undefined
      ? andThen(features({ ...query, ...(count_only && { count_only }) }, budget), (nearby) => nearby.length)
      : andThen(
          features(query, budget),
          (nearby) => new Set(nearby.map(({ properties }) => distinctKeyOf(properties, distinct))).size,
        )
  },
})

/**
 * The attribute by which features are distinguished.
 * @throws {UpstreamError} `bad_value` without a value: nothing says whether the feature is another one.
 */
export function distinctKeyOf(properties: Properties, name: string): Value {
  const raw = requireAttribute(properties, name)
  const key = typeof raw === 'boolean' ? null : cleanValue(raw, {})
  if (key === null) throw placeholderError(raw)
  return key
}
