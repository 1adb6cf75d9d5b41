import { noneWithinRadius } from '../model/outcome.ts'
import { cleaned, cleaning } from './cleaned.ts'
import { operator, t } from './operator.ts'
import { foundAttribute } from './record.ts'
import { reduced, reducer } from './reduced.ts'

/** A reducer over an attribute of the features within the radius. */
export const aggregate = operator({
  over: 'features',
  args: t.Object({
    attribute: t.String(),
    reducer,
    radius_m: t.Number({ exclusiveMinimum: 0 }),
    where: t.Optional(t.String()),
    scale: t.Optional(t.Number()),
    sentinels: cleaning.sentinels,
  }),
  async run({ attribute, reducer, radius_m, where, scale = 1, sentinels = [] }, features, { at }, budget) {
    const found = await features({ at, radius_m, ...(where !== undefined && { where }) }, budget)
    if (found.length === 0) return noneWithinRadius
    const values = found.map(({ properties }) => cleaned(foundAttribute(properties, attribute), { sentinels }))
    const value = reduced(values, reducer)
    return typeof value === 'number' ? value * scale : value
  },
})
