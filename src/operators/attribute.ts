import type { Static } from '@sinclair/typebox'
import { UpstreamError } from '../model/error.ts'
import type { Properties, Value } from '../model/source.ts'
import { cleaned, cleaning } from './cleaned.ts'
import { decode, decoded } from './cowardin.ts'
import { formulaOf } from './expression.ts'
import { holding } from './holding.ts'
import { numeric } from './numeric.ts'
import { operator, t } from './operator.ts'
import { pick, picked } from './picked.ts'
import { foundAttribute } from './record.ts'
import { reduced, reducer } from './reduced.ts'

const args = t.Object({
  attribute: t.Optional(t.String()),
  /** A formula over attributes, in place of one. */
  expression: t.Optional(t.String()),
  where: t.Optional(t.String()),
  pick: t.Optional(pick),
  reducer: t.Optional(reducer),
  separator: t.Optional(t.String()),
  decode: t.Optional(decode),
  /** The attribute that names the unit of the value: metres become feet. */
  unit_from: t.Optional(t.String()),
  /** A date from this year on means "no date". */
  null_if_year_ge: t.Optional(t.Integer()),
  /** The value where no feature is. */
  none: t.Optional(t.Union([t.String(), t.Number(), t.Boolean()])),
  ...cleaning,
})
type Args = Static<typeof args>

/** An attribute of the feature that holds the point. */
export const attribute = operator({
  over: 'features',
  args,
  async run(args, features, { at }, budget) {
    const here = await holding(features, at, args, budget)
    if (here.length === 0) return args.none ?? null
    const records = picked(here, args.pick ?? [], ({ properties }) => properties).map(({ properties }) => properties)
    if (args.reducer === undefined) return valueOf(records[0]!, args)
    const values = records.map((properties) => valueOf(properties, args))
    return reduced(values, args.reducer, args.separator)
  },
})

function valueOf(properties: Properties, args: Args): Value {
  const found = foundIn(properties, args)
  if (args.decode !== undefined) return decoded(found, args.decode, args.classes)
  const value = cleaned(found, args)
  if (args.null_if_year_ge !== undefined && Number(String(value).slice(0, 4)) >= args.null_if_year_ge) return null
  return args.unit_from === undefined ? value : inFeet(value, foundAttribute(properties, args.unit_from))
}

function foundIn(properties: Properties, { attribute, expression }: Args): Value {
  if (attribute !== undefined) return foundAttribute(properties, attribute)
  if (expression === undefined) throw new Error('An attribute is named, or worked out by an expression, and there is neither.')
  return formulaOf(expression)((name) => foundAttribute(properties, name))
}

const feet = /^(feet|foot|ft|)$/i
const metres = /^(met(er|re)s?|m)$/i

/** A length without a unit is in feet already, as the maps that give none are. */
function inFeet(length: Value, unit: Value): Value {
  const name = String(unit ?? '').trim()
  if (length === null || feet.test(name)) return length
  if (!metres.test(name)) throw new UpstreamError('bad_value', `The unit ${name} is neither feet nor metres.`)
  return numeric(length) / 0.3048
}
