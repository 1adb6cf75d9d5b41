import type { Static } from '@sinclair/typebox'
import { attributeOf, compareValues, requireAttribute } from '../../geo/attribute.ts'
import { recordsWhere } from '../../geo/text/sql-condition.ts'
import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import { compileJsonPath, compilePathMatcher } from '../../model/json-path.ts'
import { isNothingHere } from '../../model/document-markers.ts'
import { isRecord, plainPropertiesOf } from '../../model/record.ts'
import type { Point } from '../../model/place.ts'
import type { Value } from '../../model/source.ts'
import { cleanValue, cleaningArgs } from '../value/clean-value.ts'
import { compileExpression } from '../expression.ts'
import { defineOperator, t } from '../operator.ts'
import { outlineText } from './outline-text.ts'
import { pickSchema, orderByRules } from '../value/pick.ts'
import { reduceValues, reducerSchema } from '../value/reduce-values.ts'

const args = t.Object({
  /** The path of the value or of its records. See `compilePathMatcher` for the syntax. */
  json_path: t.String({ pattern: '^\\$' }),
  /**
   * What the document may lack where there is nothing: `empty`, a list without such an element; `null`, a value that is
   * null; `missing`, a record without the member. Everything else that it lacks is an error of the source.
   */
  absent_when: t.Optional(t.Array(t.Union([t.Literal('empty'), t.Literal('null'), t.Literal('missing')]))),
  /** Allowed values by member. Other records are ignored. */
  filter: t.Optional(t.Record(t.String(), t.Array(t.Union([t.String(), t.Number(), t.Boolean()])))),
  /** A condition of the records, over their members. */
  where: t.Optional(t.String()),
  pick: t.Optional(pickSchema),
  /** The member with the value. */
  attribute: t.Optional(t.String()),
  reducer: t.Optional(reducerSchema),
  separator: t.Optional(t.String()),
  /** The record is an outline in GeoJSON, which is returned as a text of this form. */
  outline: t.Optional(t.Union([t.Literal('geojson'), t.Literal('wkt')])),
  /** Returns whether there is a record, instead of its value. */
  test: t.Optional(t.Literal('exists')),
  /** The value if the document has none. */
  none: t.Optional(t.Union([t.String(), t.Number(), t.Boolean()])),
  /** A formula over the inputs and the found `value`. */
  expression: t.Optional(t.String()),
  /** The edition of the value is in the first member name of the object at `of` that matches `key`: its first group. */
  edition_from: t.Optional(t.Object({ of: t.String({ pattern: '^\\$' }), key: t.String(), text: t.String() })),
  ...cleaningArgs,
})
type Args = Static<typeof args>

/** Returns a value from the document of the point or of the key. */
export const pathOperator = defineOperator({
  shape: 'document',
  args,
  async run(args, document, { at, key, inputs, onRecordsUsed }, budget) {
    const withGeometry = args.outline !== undefined && { with_geometry: true as const }
    const content = await document({ at, ...(key !== null && { key }), ...withGeometry }, budget)
    if (typeof content !== 'object' || content === null)
      throw new UpstreamError('bad_value', `The source returned ${typeof content}. Expected a document.`)
    onRecordsUsed?.([args.edition_from ? { edition: editionOf(content, args.edition_from) } : content])
    const value = isNothingHere(content) ? null : valueOf(matchesIn(content, args), args, at)
    if (value === null) return args.none ?? null
    if (args.expression === undefined) return value
    return compileExpression(args.expression, [...Object.keys(inputs), 'value'])({ ...inputs, value })
  },
})

/** Returns the text of an edition, with the group in place of `{1}`; null if no member has it. */
function editionOf(content: object, { of, key, text }: NonNullable<Args['edition_from']>): string | null {
  const pattern = new RegExp(key)
  const names = compileJsonPath(of)(content).flatMap((it) => (isRecord(it) ? Object.keys(it) : []))
  const group = names.flatMap((name) => pattern.exec(name)?.[1] ?? [])[0]
  return group === undefined ? null : text.replace('{1}', group)
}

/** The values at the path. Throws if the document lacks something that `absent_when` does not list. */
function matchesIn(content: object, { json_path, absent_when = [] }: Args): unknown[] {
  const { values, gap } = compilePathMatcher(json_path)(content)
  if (gap === null || absent_when.some((it) => it === gap)) return values.filter((value) => value !== null)
  if (gap === 'missing' || gap === 'malformed') throw schemaChangedError([json_path], Object.keys(content))
  throw new UpstreamError(
    'bad_value',
    `The source returned ${gap === 'null' ? 'null' : 'an empty list'} at ${json_path}, where it must have a value.`,
  )
}

function valueOf(
  matches: unknown[],
  { filter = {}, where, pick = [], attribute, reducer, separator, outline, test, ...cleaning }: Args,
  at: Point,
): Value {
  requireMembers(matches, [...Object.keys(filter), ...(attribute === undefined ? [] : [attribute])])
  const filtered = matches.filter(matchesFilter(filter))
  const selected = where === undefined ? filtered : recordsWhere(filtered, where, plainPropertiesOf)
  const records = orderByRules(selected, pick, plainPropertiesOf)
  if (test === 'exists') return records.length > 0 || null
  if (reducer === 'count') return records.length
  if (outline !== undefined) return records.length === 0 ? null : outlineText(records[0], outline, at)
  const values = (reducer === undefined ? records.slice(0, 1) : records).map((record) =>
    cleanValue(plainValueOf(record, attribute), cleaning),
  )
  return reducer === undefined ? (values[0] ?? null) : reduceValues(values, reducer, separator)
}

/** Every record must have the members, so that a renamed member is not taken for a record that does not match. */
function requireMembers(records: unknown[], names: string[]): void {
  for (const record of records) names.forEach((name) => requireAttribute(plainPropertiesOf(record), name))
}

function matchesFilter(filter: NonNullable<Args['filter']>): (record: unknown) => boolean {
  return (record) =>
    Object.entries(filter).every(([name, allowed]) => {
      const value = attributeOf(plainPropertiesOf(record), name) ?? null
      return allowed.some((allowedValue) => compareValues(allowedValue, value) === 0)
    })
}

function plainValueOf(value: unknown, attribute: string | undefined): Value {
  if (attribute !== undefined) return attributeOf(plainPropertiesOf(value), attribute) ?? null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw new UpstreamError(
    'bad_value',
    `The source returned ${JSON.stringify(value)?.slice(0, 200)}. Expected a single value.`,
  )
}
