import { Type } from '@sinclair/typebox'
import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import { answeredHere, fieldDoubtsOf } from '../fetch/catalog/answered-here.ts'
import { catalogFieldOf } from '../fetch/catalog/describe-catalog.ts'
import { selectFields } from '../fetch/catalog/select.ts'
import { defineTool } from './tool.ts'

const maxResults = 50
const defaultResults = 20
const maxDescribed = 20
const descriptionMax_characters = 240

const Nullable = Type.Union([Type.String(), Type.Null()])
const Names = Type.Array(Type.String())

/** The members of a field in a list. */
export function fieldSummaryOf({ name, description, layer, type, unit }: Field) {
  return { name, description: description.slice(0, descriptionMax_characters), layer, type, unit }
}

/** The full description of a field: its entry in the catalog, without what is for pages or differs between servers. */
export function fieldDetailOf(field: Field, catalog: Catalog): Record<string, unknown> {
  const entry = catalogFieldOf(field, catalog, { providers: [], vintage: null })
  return Object.fromEntries(Object.entries(entry).filter(([member]) => !omittedMembers.has(member)))
}

const omittedMembers: ReadonlySet<string> = new Set([
  'label',
  'class_labels',
  'decimals',
  'area_kind',
  'replaced_by',
  'vintage',
  'vintage_note',
  'providers',
])

/** Searches the catalog's fields. */
export const findFieldsTool = defineTool({
  name: 'find_fields',
  title: 'Find fields',
  scope: null,
  isOpenWorld: false,
  description:
    'Searches for the fields that answer a question about a place, by words such as "flood", "slope" or "distance to a river". fits is false if no field fits; answered_here says whether this server has a source for a field, and unchecked that the source was not called yet. Without a query, lists layers and presets. Call this before fetch_fields, because field names must be exact.',
  input: Type.Object({
    query: Type.Optional(Type.String({ maxLength: 300, description: 'A few search words.' })),
    layer: Type.Optional(Type.String({ maxLength: 100, description: 'Return only the fields of this layer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxResults, description: `Default ${defaultResults}.` })),
  }),
  output: Type.Object({
    catalog_version: Type.String(),
    total: Type.Integer({ description: 'Fields in the catalog.' }),
    answered_here: Type.Integer({ description: 'Fields that this server has a source for that does not fail.' }),
    unchecked: Type.Integer({ description: 'How many of them need a publisher that was not called yet.' }),
    fits: Type.Boolean({
      description: 'false: no field fits the main words of the query. The fields are only near it.',
    }),
    unknown_words: Type.Array(Type.String(), { description: 'Main words of the query that no field covers.' }),
    fields: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        layer: Type.String(),
        type: Type.String(),
        unit: Nullable,
        answered_here: Type.Boolean({
          description: 'false: this server needs a network or a pack for it, or its source fails.',
        }),
        unchecked: Type.Optional(
          Type.Boolean({ description: 'true: its publisher was not called yet, so nobody knows whether it answers.' }),
        ),
      }),
    ),
    layers: Names,
    presets: Names,
    answered_offline: Type.Integer({ description: 'How many of them need no network.' }),
    complete_presets: Type.Array(Type.String(), {
      description: 'The presets whose fields are all answered here.',
    }),
    shortened: Type.Boolean(),
  }),
  run({ query = '', layer, limit = defaultResults }, { app, account }) {
    const { catalog, searchFields } = app
    const context = app.fetchContext(account, '/mcp')
    const { now: available, offline } = answeredHere(context)
    const { failing, unchecked } = fieldDoubtsOf({ ...context, net: app.net })
    const answerable = available.difference(failing)
    const summaryOf = (field: Field) => ({
      ...fieldSummaryOf(field),
      answered_here: answerable.has(field.name),
      ...(unchecked.has(field.name) && { unchecked: true }),
    })
    const plan = query.trim() === '' ? null : app.ask.plan(query, context)
    const isInLayer = (field: Field) => layer === undefined || field.layer === layer
    const names =
      query.trim() === ''
        ? [...catalog.fields.keys()]
        : searchFields(catalog, query, layer === undefined ? limit : catalog.fields.size)
    const fields =
      query.trim() === '' && layer === undefined
        ? []
        : names
            .map((name) => catalog.fields.get(name)!)
            .filter(isInLayer)
            .slice(0, limit)
            .map(summaryOf)
    const isComplete = ([, { fields: members }]: [string, { fields: string[] }]) =>
      members.every((it) => answerable.has(it))
    return {
      catalog_version: catalog.version,
      total: catalog.fields.size,
      answered_here: answerable.size,
      unchecked: unchecked.size,
      fits: plan === null || plan.fields.length > 0,
      unknown_words: plan?.unknownWords ?? [],
      fields,
      layers: [...new Set([...catalog.fields.values()].map((field) => field.layer))],
      presets: [...catalog.presets.keys()],
      answered_offline: offline.size,
      complete_presets: [...catalog.presets].filter(isComplete).map(([name]) => name),
    }
  },
})

/** Describes fields. */
export const describeFieldsTool = defineTool({
  name: 'describe_fields',
  title: 'Describe fields',
  scope: null,
  isOpenWorld: false,
  description:
    'Describes fields: unit, source, meaning of null, and how to interpret a value. Pass field names or a preset.',
  input: Type.Object({
    fields: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: maxDescribed,
        description: `At most ${maxDescribed} names.`,
      }),
    ),
    preset: Type.Optional(Type.String({ maxLength: 100, description: 'The name of a preset.' })),
  }),
  output: Type.Object({
    fields: Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })),
    more: Names,
    shortened: Type.Boolean(),
  }),
  run({ fields, preset }, { app: { catalog } }) {
    const selected = selectFields({ fields, preset }, 'none', catalog)
    return {
      fields: selected.slice(0, maxDescribed).map((field) => fieldDetailOf(field, catalog)),
      more: selected.slice(maxDescribed).map(({ name }) => name),
    }
  },
})
