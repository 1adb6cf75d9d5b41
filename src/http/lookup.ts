import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { marketFields, contextFields } from '../lookup/place-context.ts'
import { lookUpLocation } from '../lookup/lookup.ts'
import { parcelUnavailableReasons } from '../lookup/parcel.ts'
import { createBodyReader } from './body.ts'
import { accountOf, requireScope } from './guard.ts'
import { addressViolations, addressMax_characters } from './location.ts'
import { defineOperation, type Operations } from './operation.ts'

const literals = (values: readonly string[]) => Type.Union(values.map((it) => Type.Literal(it)))
const nullable = (...types: ('string' | 'number' | 'boolean')[]) => Type.Unsafe<unknown>({ type: [...types, 'null'] })
const NullableValue = nullable('string', 'number', 'boolean')
const Text = Type.String()

const LookupRequest = Type.Object({
  input: Type.String({
    description: `A US address, a coordinate (latitude first, a grid reference or a plus code) or a parcel number, at most ${addressMax_characters} characters.`,
  }),
  include_parcel: Type.Optional(
    Type.Boolean({
      description:
        'Whether to include the parcel. The provider bills it, and the token needs the parcel scope. Default false.',
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
  match_method: Type.String({ description: '`coordinate`, or `geocode_` followed by the accuracy type.' }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  warnings: Type.Array(Text, { description: 'Differences between the match and the request.' }),
  parcel_unavailable: Type.Boolean(),
  parcel_unavailable_reason: Type.Union([Type.Null(), literals(parcelUnavailableReasons)]),
  parcel: Type.Union([Type.Null(), Parcel]),
  ...Object.fromEntries(Object.keys(contextFields).map((name) => [name, NullableValue])),
  county_market: Type.Object({
    as_of: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Edition of the population estimates.',
    }),
    ...Object.fromEntries(Object.keys(marketFields).map((name) => [name, NullableValue])),
  }),
  context_failures: Type.Array(Text, { description: 'Members that are null because their source failed.' }),
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
    summary: 'Look up one place with its context',
    description:
      'Resolves an address or a coordinate and returns its jurisdictions, hazards and market. The disposition is clarify for several candidates and no_match for none. A context member whose source failed is null and listed in context_failures.',
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
      const account = accountOf(request)
      const { input, include_parcel = false } = await readLookupBody(request)
      if (include_parcel) requireScope(request, 'parcel')
      return lookUpLocation({ input, include_parcel }, request, app.fetchContext(account, '/v1/lookup'))
    },
    { parse: 'none' },
  )
