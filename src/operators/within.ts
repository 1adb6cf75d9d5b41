import { attributeOf, compareValues } from '../geo/attribute.ts'
import { notMapped } from '../model/outcome.ts'
import type { Feature } from '../model/source.ts'
import { queryContainingFeatures } from './containing-features.ts'
import { defineOperator, t } from './operator.ts'
import { requireAttribute } from './require-attribute.ts'
import { compileValueTest, valueTestSchema } from './value-test.ts'

/**
 * Returns whether a feature contains the point and passes the test. Without a containing feature returns `none`
 * (default: false).
 */
export const withinOperator = defineOperator({
  shape: 'features',
  args: t.Object({
    where: t.Optional(t.String()),
    attribute: t.Optional(t.String()),
    test: t.Optional(valueTestSchema),
    /** Attribute values of features that mean "not mapped". */
    null_when: t.Optional(t.Record(t.String(), t.Array(t.Union([t.String(), t.Number()])))),
    level: t.Optional(t.Integer()),
    none: t.Optional(t.Union([t.Boolean(), t.Null()])),
  }),
  async run({ attribute, test, null_when = {}, none = false, ...filter }, features, { at }, budget) {
    const containing = await queryContainingFeatures(features, at, filter, budget)
    if (containing.length === 0) return none
    if (attribute === undefined || test === undefined) return containing.some(isMappedUnless(null_when)) || notMapped
    const holds = compileValueTest(test)
    if (containing.some(({ properties }) => holds(requireAttribute(properties, attribute)))) return true
    return containing.every(isMappedUnless(null_when)) ? false : notMapped
  },
})

function isMappedUnless(nullWhen: Record<string, (string | number)[]>): (feature: Feature) => boolean {
  const names = Object.keys(nullWhen)
  return ({ properties }) =>
    !names.some((name) =>
      nullWhen[name]!.some((value) => compareValues(attributeOf(properties, name) ?? null, value) === 0),
    )
}
