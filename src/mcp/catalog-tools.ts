import { Type } from '@sinclair/typebox'
import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/entry.ts'
import { select } from '../fetch/select.ts'
import { tool } from './tool.ts'

const foundMax = 50
const foundDefault = 20
const describedMax = 20
const sentenceMax_characters = 240

const Nullable = Type.Union([Type.String(), Type.Null()])
const Names = Type.Array(Type.String())

/** What a list tells of a field. */
export function briefOf({ name, description, layer, type, unit }: Field) {
  return { name, description: description.slice(0, sentenceMax_characters), layer, type, unit }
}

/** All that the catalog says of a field. */
export function entryOf(field: Field, catalog: Catalog) {
  const { name, description, interpretation_hints, layer, lifecycle, type, unit, null_meaning, derivation, ttl_seconds, valid_range = null, enum: values = null, read, source_url: own } = field
  const { service: source, source_url, coverage } = catalog.datasets.get(read.dataset)!
  return {
    name, description, interpretation_hints, layer, lifecycle, type, unit, nullable: null_meaning !== null, null_meaning, derivation, presets: catalog.presetsOf(name), source,
    source_url: own ?? source_url, ttl_seconds, valid_range, enum: values, coverage: { regions: coverage.regions === 'everywhere' ? ['everywhere'] : coverage.regions, note: coverage.note },
  }
}

/** Finds fields by words. */
export const findFields = tool({
  name: 'find_fields', title: 'Find fields', scope: null, isOpenWorld: false,
  description: 'Finds the fields that answer a question about a place, by words such as "flood", "slope" or "distance to a river". Without a query it lists layers and presets. Call this before fetch_fields: field names must be exact.',
  input: Type.Object({
    query: Type.Optional(Type.String({ maxLength: 300, description: 'A few words.' })),
    layer: Type.Optional(Type.String({ maxLength: 100, description: 'Only the fields of this layer.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: foundMax, description: `Default ${foundDefault}.` })),
  }),
  output: Type.Object({
    catalog_version: Type.String(), total: Type.Integer({ description: 'Fields in the catalog.' }),
    fields: Type.Array(Type.Object({ name: Type.String(), description: Type.String(), layer: Type.String(), type: Type.String(), unit: Nullable })),
    layers: Names, presets: Names, shortened: Type.Boolean(),
  }),
  run({ query = '', layer, limit = foundDefault }, { app: { catalog, find } }) {
    const isWanted = (field: Field) => layer === undefined || field.layer === layer
    const named = query.trim() === '' ? [...catalog.fields.keys()] : find(catalog, query, layer === undefined ? limit : catalog.fields.size)
    const fields = query.trim() === '' && layer === undefined ? [] : named.map((name) => catalog.fields.get(name)!).filter(isWanted).slice(0, limit).map(briefOf)
    return { catalog_version: catalog.version, total: catalog.fields.size, fields, layers: [...new Set([...catalog.fields.values()].map((field) => field.layer))], presets: [...catalog.presets.keys()] }
  },
})

/** Tells what fields mean. */
export const describeFields = tool({
  name: 'describe_fields', title: 'Describe fields', scope: null, isOpenWorld: false,
  description: 'What fields mean: unit, source, what null means, how a value is to be read. Give names of fields, or a preset.',
  input: Type.Object({
    fields: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: describedMax, description: `At most ${describedMax} names.` })),
    preset: Type.Optional(Type.String({ maxLength: 100, description: 'The name of a preset.' })),
  }),
  output: Type.Object({ fields: Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })), more: Names, shortened: Type.Boolean() }),
  run({ fields, preset }, { app: { catalog } }) {
    const selected = select({ fields, preset }, 'none', catalog)
    return { fields: selected.slice(0, describedMax).map((field) => entryOf(field, catalog)), more: selected.slice(describedMax).map(({ name }) => name) }
  },
})
