import { andThen } from '../async/maybe-promise.ts'
import { noneWithinRadius } from '../model/outcome.ts'
import { cleanValue, cleaningArgs } from './value/clean-value.ts'
import { defineOperator, t } from './operator.ts'
import { requireAttribute } from '../geo/attribute.ts'
import { orderByRules, pickSchema } from './value/pick.ts'
import { reduceValues, reducerSchema } from './value/reduce-values.ts'

/** Reduces an attribute of the features within the radius, in the order of `pick` or nearest first. */
export const aggregateOperator = defineOperator({
  shape: 'features',
  args: t.Object({
    attribute: t.String(),
    reducer: reducerSchema,
    radius_m: t.Number({ exclusiveMinimum: 0 }),
    where: t.Optional(t.String()),
    pick: t.Optional(pickSchema),
    scale: t.Optional(t.Number()),
    sentinels: cleaningArgs.sentinels,
  }),
  run({ attribute, reducer, radius_m, where, pick = [], scale = 1, sentinels = [] }, features, { at }, budget) {
    return andThen(features({ at, radius_m, ...(where !== undefined && { where }) }, budget), (nearby) => {
      if (nearby.length === 0) return noneWithinRadius
      const values = orderByRules(nearby, pick, ({ properties }) => properties).map(({ properties }) =>
        cleanValue(requireAttribute(properties, attribute), { sentinels }),
      )
      const value = reduceValues(values, reducer)
      return typeof value === 'number' ? value * scale : value
    })
  },
})
