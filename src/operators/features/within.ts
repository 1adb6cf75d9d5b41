import type { Static } from '@sinclair/typebox'
import { andThen } from '../../async/maybe-promise.ts'
import { compareValues, requireAttribute } from '../../geo/attribute.ts'
import { noData, notMapped, type Absent } from '../../model/outcome.ts'
import { isPlaceholder, placeholderError } from '../../model/placeholder.ts'
import type { Feature } from '../../model/source.ts'
import { containingQueryOf, queryContainingFeatures } from './containing-features.ts'
import { compileFlag, flagArgs } from '../value/flag.ts'
import { defineOperator, t } from '../operator.ts'

const args = t.Object({
  where: t.Optional(t.String()),
  /** The flags of a feature. It is true if one of them is. Without attributes every feature is true. */
  attribute: t.Optional(t.Union([t.String(), t.Array(t.String(), { minItems: 1 })])),
  ...flagArgs,
  /** Attribute values of features that mean "not mapped". */
  null_when: t.Optional(t.Record(t.String(), t.Array(t.Union([t.String(), t.Number()])))),
  level: t.Optional(t.Integer()),
  none: t.Optional(t.Union([t.Boolean(), t.Null()])),
})
type Args = Static<typeof args>

/**
 * Returns whether a feature that contains the point is true. Without a containing feature returns `none` (default:
 * false).
 */
export const withinOperator = defineOperator({
  shape: 'features',
  args,
  localRead: (args) => ({
    query: containingQueryOf(args),
    reads: 'attributes',
    valueOf: compileWithin(args),
  }),
  run: (args, features, { at }, budget) =>
    andThen(queryContainingFeatures(features, at, args, budget), (containing) => compileWithin(args)(containing)),
})

function compileWithin(args: Args): (containing: readonly Feature[]) => boolean | null | Absent {
  const { attribute, null_when = {}, none = false } = args
  const names = attribute === undefined ? null : [attribute].flat()
  const flagOf = compileFlag(args)
  const isMapped = isMappedUnless(null_when)
  return (containing) => {
    if (containing.length === 0) return none
    const mapped = containing.filter(isMapped)
    const flags = mapped.flatMap(({ properties }) => names?.map((name) => requireAttribute(properties, name)) ?? [])
    const value = names === null ? mapped.length > 0 : flagOf(flags)
    if (value === true) return true
    return mapped.length < containing.length ? notMapped : (value ?? noData)
  }
}

/** @throws {UpstreamError} `bad_value` if an attribute that says whether a feature is mapped has no value. */
function isMappedUnless(nullWhen: Record<string, (string | number)[]>): (feature: Feature) => boolean {
  const conditions = Object.entries(nullWhen)
  return ({ properties }) =>
    !conditions.some(([name, values]) => {
      const value = requireAttribute(properties, name)
      if (value === null || isPlaceholder(value)) throw placeholderError(value)
      return values.some((it) => compareValues(value, it) === 0)
    })
}
