import type { Static } from '@sinclair/typebox'
import { andThen } from '../../async/maybe-promise.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Feature, Properties, Value } from '../../model/source.ts'
import { cleanValue, cleaningArgs } from '../value/clean-value.ts'
import { cowardinDecodeSchema, decodeCowardin } from '../value/cowardin.ts'
import { containingQueryOf, queryContainingFeatures } from './containing-features.ts'
import { requireNumber, requireAttribute } from '../../geo/attribute.ts'
import { defineOperator, t, type FieldQuery } from '../operator.ts'
import { pickSchema, orderByRules } from '../value/pick.ts'
import { rawValueOf } from '../value/raw-value.ts'
import { reduceValues, reducerSchema } from '../value/reduce-values.ts'

const args = t.Object({
  attribute: t.Optional(t.String()),
  /** A formula over attributes, instead of `attribute`. */
  expression: t.Optional(t.String()),
  where: t.Optional(t.String()),
  pick: t.Optional(pickSchema),
  reducer: t.Optional(reducerSchema),
  separator: t.Optional(t.String()),
  decode: t.Optional(cowardinDecodeSchema),
  /** The attribute with the unit of the value. Meters are converted to feet. */
  unit_from: t.Optional(t.String()),
  /** Dates in or after this year mean "no date". */
  null_if_year_ge: t.Optional(t.Integer()),
  /** The value if no feature contains the point. */
  none: t.Optional(t.Union([t.String(), t.Number(), t.Boolean()])),
  ...cleaningArgs,
})
type Args = Static<typeof args>

/** Returns an attribute of the features that contain the point. */
export const attributeOperator = defineOperator({
  shape: 'features',
  args,
  localRead: (args) => ({
    query: containingQueryOf(args),
    reads: 'attributes',
    valueOf: (containing, query) => valueOfFeatures(containing, args, query),
  }),
  run: (args, features, query, budget) =>
    andThen(queryContainingFeatures(features, query.at, args, budget), (containing) =>
      valueOfFeatures(containing, args, query),
    ),
})

function valueOfFeatures(
  containing: readonly Feature[],
  args: Args,
  { onRecordsUsed }: Pick<FieldQuery, 'onRecordsUsed'>,
): Value {
  if (containing.length === 0) return args.none ?? null
  const ordered = args.pick === undefined ? containing : orderByRules(containing, args.pick, propertiesOf)
  if (args.reducer === undefined) {
    const { properties } = ordered[0]!
    onRecordsUsed?.([properties])
    return valueOf(properties, args)
  }
  const records = ordered.map(propertiesOf)
  onRecordsUsed?.(records)
  return reduceValues(
    records.map((properties) => valueOf(properties, args)),
    args.reducer,
    args.separator,
  )
}

function propertiesOf({ properties }: Feature): Properties {
  return properties
}

function valueOf(properties: Properties, args: Args): Value {
  const raw = rawValueOf(properties, args)
  if (args.decode !== undefined) return decodeCowardin(raw, args.decode, args.classes)
  const value = cleanValue(raw, args)
  if (args.null_if_year_ge !== undefined && Number(String(value).slice(0, 4)) >= args.null_if_year_ge) return null
  return args.unit_from === undefined
    ? value
    : inFeet(value, cleanValue(requireAttribute(properties, args.unit_from), sentinelsOf(args)))
}

/** The sentinels alone, for another attribute of the same feature. */
function sentinelsOf({ sentinels }: Args): Pick<Args, 'sentinels'> {
  return sentinels === undefined ? {} : { sentinels }
}

const feetPattern = /^(feet|foot|ft|)$/i
const metersPattern = /^(met(er|re)s?|m)$/i

/** A length without a unit is in feet, because maps that omit the unit use feet. */
function inFeet(length: Value, unit: Value): Value {
  const name = String(unit ?? '').trim()
  if (length === null || feetPattern.test(name)) return length
  if (!metersPattern.test(name))
    throw new UpstreamError('bad_value', `Unknown unit ${JSON.stringify(name)}. Expected feet or meters.`)
  return requireNumber(length) / 0.3048
}
