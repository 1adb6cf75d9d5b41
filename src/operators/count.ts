import type { FeatureQuery } from '../model/source.ts'
import { defineOperator, t } from './operator.ts'
import { requireAttribute } from './require-attribute.ts'

/** How many features have an edge within the radius. Never absent: none is 0. */
export const countOperator = defineOperator({
  shape: 'features',
  args: t.Object({
    radius_m: t.Number({ exclusiveMinimum: 0 }),
    where: t.Optional(t.String()),
    /** The attribute that makes features one. */
    distinct: t.Optional(t.String()),
    /** A source that can count need not give attributes: only the number of features is read. */
    count_only: t.Optional(t.Literal(true)),
  }),
  async run({ radius_m, where, distinct, count_only }, features, { at }, budget) {
    const query: FeatureQuery = { at, radius_m, ...(where !== undefined && { where }) }
    if (distinct === undefined) return (await features({ ...query, ...(count_only && { count_only }) }, budget)).length
    const nearby = await features(query, budget)
    return new Set(nearby.map(({ properties }) => requireAttribute(properties, distinct))).size
  },
})
