import type { FeatureQuery } from '../model/source.ts'
import { operator, t } from './operator.ts'
import { foundAttribute } from './record.ts'

/** How many features have an edge within the radius. Never absent: none is 0. */
export const count = operator({
  over: 'features',
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
    const found = await features(query, budget)
    return new Set(found.map(({ properties }) => foundAttribute(properties, distinct))).size
  },
})
