import { Type, type Static } from '@sinclair/typebox'
import type { GeoJsonGeometry } from '../geo/text/geojson.ts'
import { ErrorDetailSchema, literals, nullable, Time } from '../model/schema.ts'
import { confidenceLevels, outcomeMembers } from '../model/outcome.ts'
import { GeocodeSummary } from '../place/geocode-outcome.ts'

/** A shape that a field was read from. */
const DrawnFeature = Type.Object({
  type: Type.Literal('Feature'),
  properties: Type.Object({
    role: literals(['area', 'feature', 'line', 'radius', 'cell', 'part'], {
      description:
        'area: contains the point. Of a large feature that is stored in pieces, it is the piece. feature: the nearest feature, or a counted one. line: from the point to the nearest feature. radius: the search radius. cell: a raster cell. part: the part of an area in which the field has `value`.',
    }),
    dataset: Type.String({ description: 'The dataset of the shape.' }),
    value: Type.Optional(
      nullable(['string', 'number', 'boolean'], { description: 'The value of a raster cell, or of a part.' }),
    ),
    range: Type.Optional(
      Type.Unsafe<[least: number, greatest: number]>(
        Type.Array(Type.Number(), {
          minItems: 2,
          maxItems: 2,
          description: 'For a part with the numbers of a raster: the least and the greatest. `value` is their mean.',
        }),
      ),
    ),
    distance_m: Type.Optional(Type.Number({ description: 'The length of the line, or the radius.' })),
    simplified_m: Type.Optional(
      Type.Number({ description: 'The outline differs from that of the source by at most this many meters.' }),
    ),
  }),
  geometry: Type.Unsafe<GeoJsonGeometry>({ type: 'object', description: 'A GeoJSON geometry (RFC 7946).' }),
})
export type DrawnFeature = Static<typeof DrawnFeature>

/** What a field was read from, as a GeoJSON feature collection for a map. */
export const FieldGeometry = Type.Object(
  { type: Type.Literal('FeatureCollection'), features: Type.Array(DrawnFeature) },
  {
    description:
      'Only with `include=geometry`: what the value was read from, simplified for a map. Empty when there is nothing to draw, or when the terms of the source do not allow it.',
  },
)
export type FieldGeometry = Static<typeof FieldGeometry>

/** The members that say where a value comes from. */
export const provenanceMembers = {
  source: Type.String({ description: 'The source that answered.' }),
  unit: nullable('string', { description: 'The unit of the value.' }),
  source_url: Type.String(),
  confidence: literals([...confidenceLevels, 'unknown'], {
    description:
      "high: the publisher's own value at the place, from a current edition. medium: modeled, aggregated, coarse or dated. low: a stand-in for what the field names. unknown: the field failed.",
  }),
  fetched_at: nullable('string', {
    format: 'date-time',
    description:
      'When the source answered: for a value from another server, the time of its answer, which may come from the cache. For data of this server, the time of this answer. Null for a failed field.',
  }),
  ttl_seconds: Type.Integer({ description: 'How long a client may cache the value.' }),
  dataset_vintage: nullable('string', { description: 'Date or edition of the data; null when unknown.' }),
  vintage_note: Type.Optional(
    Type.String({ description: 'For a value without `vintage`: how current the data are, as far as it is known.' }),
  ),
  driver: nullable('string', { description: 'The driver that answered; null when none could answer.' }),
  cache: Type.Optional(
    literals(['hit', 'miss', 'stale'], {
      description:
        'For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed.',
    }),
  ),
  uncertainty_m: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'For a distance to generalized outlines: the true distance differs from the value by at most this many meters. `notes` says why.',
    }),
  ),
  notes: nullable('string', { description: 'Notes, such as the age of a stale value.' }),
  geometry: Type.Optional(FieldGeometry),
  geometry_error: Type.Optional(
    Type.String({ description: 'Only with `include=geometry`: why the source could not send the geometry.' }),
  ),
}

/** The outcome of one field, with its provenance. */
export const FieldResult = Type.Union([
  Type.Object({ ...outcomeMembers.ok, ...provenanceMembers }),
  Type.Object({ ...outcomeMembers.absent, ...provenanceMembers }),
  Type.Object({ ...outcomeMembers.failed, ...provenanceMembers }),
])
export type FieldResult = Static<typeof FieldResult>

const fetchMembers = {
  lat: Type.Number(),
  lng: Type.Number(),
  fetched_at: Time,
  fields: Type.Record(Type.String(), FieldResult),
  partial_failures: Type.Array(
    Type.Object({ field: Type.String(), source: Type.String(), error: Type.String(), retryable: Type.Boolean() }),
    { description: 'The failed fields. With `on_unknown: "skip"` also the names that are not in the catalog.' },
  ),
  resolved_location: Type.Object({
    lat: Type.Number(),
    lng: Type.Number(),
    source: literals(['coordinate', 'address']),
  }),
  geocode: Type.Optional(GeocodeSummary),
}

/** The answer at one place: every requested field in order, and a list of the failed ones. */
export const FetchAnswer = Type.Object(fetchMembers)
export type FetchAnswer = Static<typeof FetchAnswer>

/** One location of a batch: its answer, or the error object that a single fetch would have returned. */
export const BatchEntry = Type.Union([
  Type.Object({ index: Type.Integer(), ok: Type.Literal(true), ...fetchMembers }),
  Type.Object({ index: Type.Integer(), ok: Type.Literal(false), fetched_at: Time, error: ErrorDetailSchema }),
])
export type BatchEntry = Static<typeof BatchEntry>

/** The answer of a batch: one entry per location, in order. */
export const BatchAnswer = Type.Object({ fetched_at: Time, results: Type.Array(BatchEntry) })
export type BatchAnswer = Static<typeof BatchAnswer>
