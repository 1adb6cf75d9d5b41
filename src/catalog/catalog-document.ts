import { Type, type Static } from '@sinclair/typebox'
import { literals, nullable } from '../model/schema.ts'

const Text = Type.String()
const NullableText = nullable('string')

/** How a field answers for an area or a line. */
export const AreaKind = literals(
  [
    'polygon_classes',
    'polygon_share',
    'raster_statistics',
    'raster_classes',
    'raster_share',
    'nearest',
    'count',
    'units',
    'representative_point',
    'not_for_areas',
  ],
  { description: 'How the field answers POST /v1/areas. The guide page about areas describes the kinds.' },
)
export type AreaKind = Static<typeof AreaKind>

/** The kinds of evidence, strongest first, and what each means. */
export const evidenceKindMeanings = {
  checked_live: 'Compared with an answer of the live service.',
  recorded: 'The tests replay a recorded answer of the publisher, or read its embedded data.',
  reported: 'Dated public reports about the service agree with how the field is read.',
  names_only: 'The names and types of the attributes were seen in the metadata of the service, but none of its values.',
  documented: 'Public documentation or code describes the service. None of its answers was seen.',
  unconfirmed: 'A detail of the source could not be confirmed. The field is beta.',
} as const
export type EvidenceKind = keyof typeof evidenceKindMeanings

/** The kinds, strongest first. */
export const evidenceKinds = Object.keys(evidenceKindMeanings) as EvidenceKind[]

/** What shows that a field is read correctly. */
export const FieldEvidence = Type.Object({
  kind: literals(evidenceKinds, {
    description: evidenceKinds.map((kind) => `\`${kind}\`: ${evidenceKindMeanings[kind]}`).join(' '),
  }),
  source: Type.String({
    description: 'Where the evidence can be found. For `unconfirmed`: what could not be confirmed.',
  }),
  date: nullable('string', { description: 'Year, month or day of the recording or report, if it is known.' }),
})
export type FieldEvidence = Static<typeof FieldEvidence>

/** A field as clients see it. */
export const CatalogField = Type.Object({
  name: Text,
  label: Type.Optional(
    Type.String({
      description: 'A title for display. Set only where the name of the field, written as words, would be misleading.',
    }),
  ),
  description: Text,
  interpretation_hints: Text,
  layer: Text,
  lifecycle: literals(['experimental', 'beta', 'stable', 'deprecated']),
  replaced_by: Type.Optional(Text),
  type: literals(['float', 'integer', 'string', 'boolean', 'list']),
  area_kind: AreaKind,
  unit: NullableText,
  decimals: Type.Optional(
    Type.Integer({
      description: 'The number of decimal places of a float. It matches the precision of the source.',
    }),
  ),
  margin_of_error: Type.Optional(
    Type.Literal(true, { description: 'The value is an estimate, and has `moe_90` and `reliability`.' }),
  ),
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
  class_labels: Type.Optional(
    Type.Record(Text, Text, { description: 'What the classes of the field mean, in a few words each.' }),
  ),
  vintage: NullableText,
  vintage_note: Type.Optional(Type.String({ description: 'How current the data are, if `vintage` is null.' })),
  evidence: FieldEvidence,
  coverage: Type.Object({ regions: Type.Array(Text), note: NullableText }),
  providers: Type.Array(Text, { description: 'The drivers that can answer this field on this server now.' }),
})
export type CatalogField = Static<typeof CatalogField>

const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** What a preset is for, and how many of its members can be answered. */
export const PresetDetails = Type.Object({
  reason: Text,
  fields: Count('Members of the preset.'),
  answered_now: Count('Members that this server has a source for, local or of a publisher.'),
  answered_online_without_keys: Count(
    'Members that a server with network access and without keys or packs can answer.',
  ),
  answered_offline: Count('Members that this server can answer without network access.'),
})
export type PresetDetails = Static<typeof PresetDetails>

/** The response of GET /v1/meta/fields. */
export const CatalogDocument = Type.Object({
  version: Text,
  generated_at: Text,
  count: Type.Integer(),
  fields: Type.Array(CatalogField),
  presets: Type.Record(Text, Type.Array(Text)),
  preset_details: Type.Record(Text, PresetDetails, { description: 'What each preset is for, and what answers it.' }),
  answered_now: Count('Fields that this server has a source for; /v1/meta/sources says which sources answer.'),
  answered_offline: Count('Fields that this server can answer without network access.'),
  us_envelope: Type.Object(
    { lat_min: Type.Number(), lat_max: Type.Number(), lng_min: Type.Number(), lng_max: Type.Number() },
    { description: 'The box around all places that are served.' },
  ),
})
export type CatalogDocument = Static<typeof CatalogDocument>
