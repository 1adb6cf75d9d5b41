import { Type, type Static } from '@sinclair/typebox'
import { literals, nullable } from '../model/schema.ts'

const Text = Type.String()
const NullableText = nullable('string')

/** A field as clients see it. */
export const CatalogField = Type.Object({
  name: Text,
  description: Text,
  interpretation_hints: Text,
  layer: Text,
  lifecycle: literals(['experimental', 'beta', 'stable', 'deprecated']),
  replaced_by: Type.Optional(Text),
  type: literals(['float', 'integer', 'string', 'boolean', 'list']),
  unit: NullableText,
  nullable: Type.Boolean(),
  null_meaning: NullableText,
  derivation: NullableText,
  presets: Type.Array(Text),
  source: Text,
  source_url: Text,
  ttl_seconds: Type.Integer(),
  valid_range: Type.Union([
    Type.Null(),
    Type.Unsafe<[min: number | null, max: number | null]>(Type.Array(nullable('number'), { minItems: 2, maxItems: 2 })),
  ]),
  enum: Type.Union([Type.Null(), Type.Array(Type.Unsafe<string | number>({ type: ['string', 'number'] }))]),
  vintage: NullableText,
  coverage: Type.Object({ regions: Type.Array(Text), note: NullableText }),
  providers: Type.Array(Text, { description: 'The drivers that can answer this field on this server now.' }),
})
export type CatalogField = Static<typeof CatalogField>

/** The response of GET /v1/meta/fields. */
export const CatalogDocument = Type.Object({
  version: Text,
  generated_at: Text,
  count: Type.Integer(),
  fields: Type.Array(CatalogField),
  presets: Type.Record(Text, Type.Array(Text)),
})
export type CatalogDocument = Static<typeof CatalogDocument>
