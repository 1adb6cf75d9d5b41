import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { marketFields, contextFields } from '../lookup/place-context.ts'
import { lookUpLocation } from '../lookup/lookup.ts'
import { parcelUnavailableReasons } from '../lookup/parcel.ts'
import { createBodyReader } from './body.ts'
import { requireScope } from './guard.ts'
import { addressViolations, addressMax_characters } from './location.ts'
import { defineOperation, type Operations } from './operation.ts'

const literals = (values: readonly string[]) => Type.Union(values.map((it) => Type.Literal(it)))
const nullable = (...types: ('string' | 'number' | 'boolean')[]) => Type.Unsafe<unknown>({ type: [...types, 'null'] })
const NullableValue = nullable('string', 'number', 'boolean')
const Text = Type.String()

const LookupRequest = Type.Object({
  input: Type.String({
    description: `A US address, a coordinate as text (latitude first; or a grid reference or a plus code) or a parcel number; at most ${addressMax_characters} characters.`,
  }),
  include_parcel: Type.Optional(
    Type.Boolean({
      description:
        'Whether a parcel should be attached. It is billed by its provider, and needs the scope parcel. Default false.',
    }),
  ),
})

const Parcel = Type.Object({
  apn: nullable('string'),
  address: nullable('string'),
  county_fips: nullable('string'),
  acres: nullable('number'),
  land_use_code: nullable('string'),
  land_use_description: nullable('string'),
  zoning: nullable('string'),
  year_built: nullable('number'),
  provider: Text,
})
const Candidate = Type.Object({
  resolved_address: Text,
  lat: Type.Number(),
  lng: Type.Number(),
  confidence: Type.Number(),
  match_method: Text,
  accuracy_type: Text,
})

const Resolved = Type.Object({
  disposition: Type.Literal('resolved'),
  lat: Type.Number(),
  lng: Type.Number(),
  resolved_address: nullable('string'),
  match_method: Type.String({ description: '`coordinate`, or `geocode_` and the accuracy type.' }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  warnings: Type.Array(Text, { description: 'Where the match differs from what was asked.' }),
  parcel_unavailable: Type.Boolean(),
  parcel_unavailable_reason: Type.Union([Type.Null(), literals(parcelUnavailableReasons)]),
  parcel: Type.Union([Type.Null(), Parcel]),
  ...Object.fromEntries(Object.keys(contextFields).map((name) => [name, NullableValue])),
  county_market: Type.Object({
    as_of: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The edition of the population estimates.',
    }),
    ...Object.fromEntries(Object.keys(marketFields).map((name) => [name, NullableValue])),
  }),
  context_failures: Type.Array(Text, { description: 'The members that are null because their source failed.' }),
})
const Clarify = Type.Object({
  disposition: Type.Literal('clarify'),
  hint: Text,
  candidates: Type.Array(Candidate, { minItems: 2, maxItems: 5 }),
})
const NoMatch = Type.Object({
  disposition: Type.Literal('no_match'),
  reason: literals([
    'apn_not_supported_in_v1',
    'address_not_found',
    'wrong_locality',
    'address_too_vague',
    'address_too_coarse',
    'address_outside_us',
    'address_type_unsupported',
  ]),
  hint: Text,
})

export const lookupOperations: Operations = {
  'POST /v1/lookup': defineOperation({
    tag: 'Addresses',
    scope: 'lookup',
    summary: 'The join keys and the context of one place',
    description:
      'Resolves an address or a coordinate, and says which jurisdictions, hazards and market it lies in. What may be several places is clarify, what is none is no_match. A context member whose source failed is null and named in context_failures.',
    body: LookupRequest,
    examples: {
      coordinate: { input: '39.7392, -104.9903' },
      parcel: { input: '39.7392, -104.9903', include_parcel: true },
    },
    responses: { 200: Type.Union([Resolved, Clarify, NoMatch]) },
    errorCodes: ['coord_out_of_bounds', 'coordinates_swapped', 'geocode_unavailable', 'fetch_busy'],
  }),
}

const readLookupBody = createBodyReader(LookupRequest, ({ input }) => addressViolations(input, ['body', 'input']))

export const lookupRoutes = (app: App) =>
  new Elysia().post(
    '/v1/lookup',
    async ({ request }) => {
      const account = requireScope(request, 'lookup', app.accounts)
      const { input, include_parcel = false } = await readLookupBody(request)
      if (include_parcel) requireScope(request, 'parcel', app.accounts)
      return lookUpLocation({ input, include_parcel }, request, app.lookupContext(account))
    },
    { parse: 'none' },
  )
