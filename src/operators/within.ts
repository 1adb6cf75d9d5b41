import type { Static } from '@sinclair/typebox'
import { andThen } from '../async/maybe-promise.ts'
import { attributeOf, compareValues, requireAttribute } from '../geo/attribute.ts'
import { notMapped, type Absent } from '../model/outcome.ts'
import type { Feature } from '../model/source.ts'
import { containingQueryOf, queryContainingFeatures } from './containing-features.ts'
import { defineOperator, t } from './operator.ts'
import { compileValueTest, valueTestSchema } from './value-test.ts'

const args = t.Object({
  where: t.Optional(t.String()),
  attribute: t.Optional(t.String()),
  test: t.Optional(valueTestSchema),
  /** Attribute values of features that mean "not mapped". */
  null_when: t.Optional(t.Record(t.String(), t.Array(t.Union([t.String(), t.Number()])))),
  level: t.Optional(t.Integer()),
  none: t.Optional(t.Union([t.Boolean(), t.Null()])),
})
type Args = Static<typeof args>

/**
 * Returns whether a feature contains the point and passes the test. Without a containing feature returns `none`
 * (default: false).
 */
export const withinOperator = defineOperator({
  shape: 'features',
  args,
  localRead: (args) => ({
    query: containingQueryOf(args),
    reads: 'attributes',
    valueOf: (containing) => isWithin(containing, args),
  }),
  run: (args, features, { at }, budget) =>
    andThen(queryContainingFeatures(features, at, args, budget), (containing) => isWithin(containing, args)),
})

function isWithin(
  containing: readonly Feature[],
  { attribute, test, null_when = {}, none = false }: Args,
): boolean | null | Absent {
  if (containing.length === 0) return none
  if (attribute === undefined || test === undefined) return containing.some(isMappedUnless(null_when)) || notMapped
  const holds = compileValueTest(test)
  if (containing.some(({ properties }) => holds(requireAttribute(properties, attribute)))) return true
  return containing.every(isMappedUnless(null_when)) ? false : notMapped
}

function isMappedUnless(nullWhen: Record<string, (string | number)[]>): (feature: Feature) => boolean {
  const names = Object.keys(nullWhen)
  return ({ properties }) =>
    !names.some((name) =>
      nullWhen[name]!.some((value) => compareValues(attributeOf(properties, name) ?? null, value) === 0),
    )
}
