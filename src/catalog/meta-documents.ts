import { Type, type Static } from '@sinclair/typebox'
import { confidenceLevels } from '../model/outcome.ts'
import { literals, nullable } from '../model/schema.ts'
import { PackStatus } from '../packs/check/pack-status.ts'

const Text = Type.String()
const NullableText = nullable('string')

/** What a dataset needs before this server can query it. */
export const MissingRequirements = Type.Object({
  setting: nullable('string', { description: 'The setting to change; null when no setting helps.' }),
  hosts: Type.Array(Text, { description: 'The hosts that the dataset is queried from.' }),
  packs: Type.Array(Text, { description: 'The packs that the dataset can be read from instead.' }),
  command: nullable('string', {
    description: 'The command that gets the pack; null if there is none, or if it needs an area (`fetchable`).',
  }),
})
export type MissingRequirements = Static<typeof MissingRequirements>

/** The states of a dataset and of each of its options, as in /readyz and on the page. */
export const sourceStates = ['ready', 'cold', 'degraded', 'off'] as const
export type SourceState = (typeof sourceStates)[number]

/** A dataset and how this server can query it. */
export const SourceStatus = Type.Object({
  dataset: Text,
  source: Text,
  title: Text,
  publisher: Text,
  license: Text,
  attribution: NullableText,
  source_url: Text,
  vintage: NullableText,
  vintage_note: NullableText,
  confidence: Type.Object(
    { level: literals(confidenceLevels), reason: Text },
    { description: 'How far values of the dataset can be trusted, and why. A stand-in for another value has `low`.' },
  ),
  shape: Text,
  fields: Type.Array(Text),
  drivers: Type.Array(
    Type.Object({
      driver: Text,
      available: Type.Boolean({
        description:
          'Whether this server has the file, the key or the network that it needs, and its last call worked.',
      }),
      state: literals(sourceStates, {
        description:
          'ready: local data, or its host has answered the last call; cold: its host was not called since the start; degraded: its last call failed; off: not available.',
      }),
      vintage: NullableText,
      metered: Type.Boolean({ description: 'The provider bills every call.' }),
    }),
    { description: 'In the order of use.' },
  ),
  unavailable_reason: nullable('string', {
    description: 'What this server lacks to read the dataset; null when the dataset is available.',
  }),
  missing: Type.Union([Type.Null(), MissingRequirements], { description: 'The same as parts.' }),
  fetchable: Type.Boolean({
    description: 'Whether `fieldstone pack fetch` makes a pack of the dataset for the area of any places.',
  }),
  schema_changed: Type.Array(Text, {
    description:
      'Attributes, columns, layers or paths that fields read, but that the publisher renamed or removed. Only those found missing in the last 24 hours.',
  }),
  last_success: NullableText,
  latency_ms: nullable('number'),
  circuit: NullableText,
  failing: Type.Union(
    [
      Type.Null(),
      Type.Object({
        error: Type.String({ description: 'The code and the message of the last error.' }),
        since: Type.String({ description: 'The time of the first error without a success since.' }),
        next_try: nullable('string', { description: 'When the source is tried again; null: at the next request.' }),
      }),
    ],
    { description: 'The last call failed; null when it succeeded, and before the first call.' },
  ),
})
export type SourceStatus = Static<typeof SourceStatus>

/** An embedded layer and where its data is from. */
export const EmbeddedLayerStatus = Type.Object({
  layer: Text,
  title: Text,
  publisher: Text,
  license: Text,
  attribution: NullableText,
  source_url: Text,
  vintage: Text,
  features: Type.Integer(),
  derivation: Text,
  packages: Type.Array(Type.Object({ name: Text, version: Text, file: Text, sha256: Text })),
})
export type EmbeddedLayerStatus = Static<typeof EmbeddedLayerStatus>

/** An area that packs name, and the presets whose fields can all be answered there from local data. */
export const AreaPresets = Type.Object({ area: Text, presets: Type.Array(Text) })
export type AreaPresets = Static<typeof AreaPresets>

/** The response of GET /v1/meta/sources. */
export const SourcesDocument = Type.Object({
  sources: Type.Array(SourceStatus),
  failing_fields: Type.Array(Text, { description: 'The fields that only failing sources can answer.' }),
  unchecked_fields: Type.Array(Text, {
    description: 'The fields that no local data answers, and whose hosts were not called since the start.',
  }),
  geocoders: Type.Array(Type.Object({ name: Text, metered: Type.Boolean() }), {
    description: 'The geocoders of this server, in the order of use.',
  }),
  embedded: Type.Array(EmbeddedLayerStatus),
  packs: Type.Array(PackStatus, { description: 'The files in the packs folder.' }),
  areas: Type.Array(AreaPresets, {
    description: 'The areas of the installed packs, and the presets that local data answers completely there.',
  }),
})
export type SourcesDocument = Static<typeof SourcesDocument>

/** Counties in which the same local data answers. */
export const CountyCoverage = Type.Object({
  fields: Type.Integer({ description: 'The number of fields that local data answers in these counties.' }),
  presets: Type.Array(Type.String(), {
    description:
      'The presets that local data answers completely there. Fields without data in that part of the United States are not counted.',
  }),
  counties: Type.Array(Type.String(), { description: 'The FIPS codes of the counties, sorted.' }),
})
export type CountyCoverage = Static<typeof CountyCoverage>

/** The response of GET /v1/meta/coverage. */
export const CoverageDocument = Type.Object({
  fields: Type.Integer({ description: 'The number of fields of the catalog.' }),
  groups: Type.Array(CountyCoverage, {
    description: 'All counties, grouped by what answers there. The group with the most fields comes first.',
  }),
})
export type CoverageDocument = Static<typeof CoverageDocument>

/** Every limit of the server by name, with its value, unit and scope. */
export const LimitsDocument = Type.Object({
  limits: Type.Record(Text, Type.Object({ value: Type.Number(), unit: Text, applies_to: Text })),
})
export type LimitsDocument = Static<typeof LimitsDocument>
