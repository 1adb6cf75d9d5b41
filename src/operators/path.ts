import type { Static } from '@sinclair/typebox'
import { attributeOf, compared } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { plainPropertiesOf } from '../model/record.ts'
import type { Value } from '../model/source.ts'
import { cleaned, cleaning } from './cleaned.ts'
import { expressionOf } from './expression.ts'
import { operator, t } from './operator.ts'
import { pick, picked } from './picked.ts'
import { reduced, reducer } from './reduced.ts'

const args = t.Object({
  /** Where the value stands, or the records that have it; the forms are those of `finderOf`. */
  json_path: t.String({ pattern: '^\\$' }),
  /** Values by member: other records do not count. */
  filter: t.Optional(t.Record(t.String(), t.Array(t.Union([t.String(), t.Number(), t.Boolean()])))),
  pick: t.Optional(pick),
  /** The member of a record that is the value. */
  attribute: t.Optional(t.String()),
  reducer: t.Optional(reducer),
  separator: t.Optional(t.String()),
  /** Whether there is a record, in place of its value. */
  test: t.Optional(t.Literal('exists')),
  /** The value where the document has none. */
  none: t.Optional(t.Union([t.String(), t.Number(), t.Boolean()])),
  /** A formula over the inputs and the `value` that was found. */
  expression: t.Optional(t.String()),
  ...cleaning,
})
type Args = Static<typeof args>

/** A value from the document about the point, or about the key. */
export const path = operator({
  over: 'document',
  args,
  async run(args, document, { at, key, inputs }, budget) {
    const content = await document({ at, ...(key !== null && { key }) }, budget)
    if (typeof content !== 'object' || content === null)
      throw new UpstreamError('bad_value', `A document was expected, and the source gave ${typeof content}.`)
    const found = compileJsonPath(args.json_path)(content)?.filter((it) => it !== null)
    const value = found ? valueOf(found, args) : null
    if (value === null) return args.none ?? null
    if (args.expression === undefined) return value
    return expressionOf(args.expression, [...Object.keys(inputs), 'value'])({ ...inputs, value })
  },
})

function valueOf(found: unknown[], { filter, pick = [], attribute, reducer, separator, test, ...cleaning }: Args): Value {
  const records = picked(found.filter(meeting(filter)), pick, plainPropertiesOf)
  if (test === 'exists') return records.length > 0 || null
  if (reducer === 'count') return records.length
  const values = (reducer === undefined ? records.slice(0, 1) : records).map((record) => cleaned(plain(record, attribute), cleaning))
  return reducer === undefined ? (values[0] ?? null) : reduced(values, reducer, separator)
}

function meeting(filter: Args['filter'] = {}): (found: unknown) => boolean {
  return (found) =>
    Object.entries(filter).every(([name, allowed]) => {
      const value = attributeOf(plainPropertiesOf(found), name) ?? null
      return allowed.some((it) => compared(it, value) === 0)
    })
}

function plain(found: unknown, attribute: string | undefined): Value {
  if (attribute !== undefined) return attributeOf(plainPropertiesOf(found), attribute) ?? null
  if (typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean') return found
  throw new UpstreamError('bad_value', `One value was expected, and the source gave ${JSON.stringify(found)?.slice(0, 200)}.`)
}
