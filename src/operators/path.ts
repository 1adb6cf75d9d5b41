import type { Static } from '@sinclair/typebox'
import { attributeOf, compareValues } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { plainPropertiesOf } from '../model/record.ts'
import type { Value } from '../model/source.ts'
import { cleanValue, cleaningArgs } from './clean-value.ts'
import { compileExpression } from './expression.ts'
import { defineOperator, t } from './operator.ts'
import { pickSchema, orderByRules } from './pick.ts'
import { reduceValues, reducerSchema } from './reduce-values.ts'

const args = t.Object({
  /** Where the value stands, or the records that have it; the forms are those of `finderOf`. */
  json_path: t.String({ pattern: '^\\$' }),
  /** Values by member: other records do not count. */
  filter: t.Optional(t.Record(t.String(), t.Array(t.Union([t.String(), t.Number(), t.Boolean()])))),
  pick: t.Optional(pickSchema),
  /** The member of a record that is the value. */
  attribute: t.Optional(t.String()),
  reducer: t.Optional(reducerSchema),
  separator: t.Optional(t.String()),
  /** Whether there is a record, in place of its value. */
  test: t.Optional(t.Literal('exists')),
  /** The value where the document has none. */
  none: t.Optional(t.Union([t.String(), t.Number(), t.Boolean()])),
  /** A formula over the inputs and the `value` that was found. */
  expression: t.Optional(t.String()),
  ...cleaningArgs,
})
type Args = Static<typeof args>

/** A value from the document about the point, or about the key. */
export const pathOperator = defineOperator({
  shape: 'document',
  args,
  async run(args, document, { at, key, inputs }, budget) {
    const content = await document({ at, ...(key !== null && { key }) }, budget)
    if (typeof content !== 'object' || content === null)
      throw new UpstreamError('bad_value', `A document was expected, and the source gave ${typeof content}.`)
    const matches = compileJsonPath(args.json_path)(content)?.filter((it) => it !== null)
    const value = matches ? valueOf(matches, args) : null
    if (value === null) return args.none ?? null
    if (args.expression === undefined) return value
    return compileExpression(args.expression, [...Object.keys(inputs), 'value'])({ ...inputs, value })
  },
})

function valueOf(
  matches: unknown[],
  { filter, pick = [], attribute, reducer, separator, test, ...cleaning }: Args,
): Value {
  const records = orderByRules(matches.filter(matchesFilter(filter)), pick, plainPropertiesOf)
  if (test === 'exists') return records.length > 0 || null
  if (reducer === 'count') return records.length
  const values = (reducer === undefined ? records.slice(0, 1) : records).map((record) =>
    cleanValue(plainValueOf(record, attribute), cleaning),
  )
  return reducer === undefined ? (values[0] ?? null) : reduceValues(values, reducer, separator)
}

function matchesFilter(filter: Args['filter'] = {}): (record: unknown) => boolean {
  return (record) =>
    Object.entries(filter).every(([name, allowed]) => {
      const value = attributeOf(plainPropertiesOf(record), name) ?? null
      return allowed.some((it) => compareValues(it, value) === 0)
    })
}

function plainValueOf(value: unknown, attribute: string | undefined): Value {
  if (attribute !== undefined) return attributeOf(plainPropertiesOf(value), attribute) ?? null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw new UpstreamError(
    'bad_value',
    `One value was expected, and the source gave ${JSON.stringify(value)?.slice(0, 200)}.`,
  )
}
