import { Type } from '@sinclair/typebox'
import { ErrorDetail } from '../model/error.ts'

const Nullable = <T extends 'string' | 'number'>(type: T, description: string) =>
  Type.Unsafe<string | number | null>({ type: [type, 'null'], description })

const FieldResult = Type.Object({
  value: Type.Unsafe<string | number | boolean | null>({
    type: ['string', 'number', 'boolean', 'null'],
    description: 'Null when the status is absent or failed.',
  }),
  status: Type.Union([Type.Literal('ok'), Type.Literal('absent'), Type.Literal('failed')], {
    description: 'absent: there is nothing at this place. failed: the source could not answer.',
  }),
  source: Type.String({ description: 'The source that answered.' }),
  unit: Nullable('string', 'The unit of the value.'),
  source_url: Type.String(),
  ttl_seconds: Type.Integer({ description: 'How long a client may cache the value.' }),
  vintage: Nullable('string', 'Date or edition of the data; null when unknown.'),
  driver: Nullable('string', 'The driver that answered; null when none could be asked.'),
  absent_reason: Type.Optional(
    Type.Union(
      ['outside_coverage', 'not_mapped', 'no_data', 'none_within_radius'].map((reason) => Type.Literal(reason)),
    ),
  ),
  cache: Type.Optional(
    Type.Union(
      ['hit', 'miss', 'stale'].map((it) => Type.Literal(it)),
      {
        description:
          'For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed.',
      },
    ),
  ),
  notes: Type.Optional(Type.String({ description: 'Notes, such as the age of a stale value.' })),
  error: Type.Optional(Type.String({ description: 'Only when failed: a code, a colon and a message.' })),
  retryable: Type.Optional(Type.Boolean({ description: 'Only when failed.' })),
})

const Time = Type.String({ format: 'date-time', description: 'UTC with an offset.' })

const AddressComponents = Type.Object(
  Object.fromEntries(
    [
      'number',
      'predirectional',
      'pretype',
      'street',
      'suffix',
      'postdirectional',
      'unit',
      'city',
      'county',
      'state',
      'zip',
    ].map((name) => [name, Type.Optional(Type.String())]),
  ),
  { description: 'The parts of the matched address. Parts without a value are omitted.' },
)

/** The members of a geocode result except lat and lng. */
export const geocodeProperties = {
  accuracy_type: Type.Union(
    ['rooftop', 'nearest_rooftop_match', 'point', 'range_interpolation', 'intersection'].map((it) => Type.Literal(it)),
    { description: 'rooftop and nearest_rooftop_match are precise enough for parcels. Confirm any other.' },
  ),
  accuracy_score: Type.Number({ minimum: 0, maximum: 1 }),
  normalized_address: Type.String({ description: 'The matched address.' }),
  components: AddressComponents,
  provider: Type.String({ description: 'The geocoder that found the address.' }),
  cached: Type.Boolean({ description: 'Whether the result came from the cache, at no cost.' }),
  warnings: Type.Array(Type.String(), {
    description: 'Differences between the match and the request, each a code, a colon and a message.',
  }),
}

const fetchProperties = {
  lat: Type.Number(),
  lng: Type.Number(),
  fetched_at: Time,
  fields: Type.Record(Type.String(), FieldResult),
  partial_failures: Type.Array(
    Type.Object({ field: Type.String(), source: Type.String(), error: Type.String(), retryable: Type.Boolean() }),
  ),
  resolved_location: Type.Object({
    lat: Type.Number(),
    lng: Type.Number(),
    source: Type.Union([Type.Literal('coordinate'), Type.Literal('address')]),
  }),
  geocode: Type.Optional(Type.Object(geocodeProperties, { description: 'Only for an address.' })),
}

export const FetchResponse = Type.Object(fetchProperties)

export const BatchResponse = Type.Object({
  fetched_at: Time,
  results: Type.Array(
    Type.Union([
      Type.Object({ index: Type.Integer(), ok: Type.Literal(true), ...fetchProperties }),
      Type.Object({ index: Type.Integer(), ok: Type.Literal(false), fetched_at: Time, error: ErrorDetail }),
    ]),
  ),
})
