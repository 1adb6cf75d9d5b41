import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { parcelDatasetId } from '../../fetch/parcel/parcel.ts'
import { LookupAnswer, lookUpLocation } from '../../lookup/lookup.ts'
import { createBodyReader } from '../request/json-body.ts'
import { accountOf, requireScope } from '../request/guard.ts'
import { addressMax_characters } from '../../model/text.ts'
import { addressViolations } from './location.ts'
import { defineOperations } from '../request/operation.ts'

const LookupRequest = Type.Object({
  input: Type.String({
    description: `A US address, a coordinate, a grid reference, a plus code or a parcel number, at most ${addressMax_characters} characters. Coordinates are latitude first.`,
  }),
  include_parcel: Type.Optional(
    Type.Boolean({
      description:
        'Whether to include the parcel. The provider bills it, and the token needs the parcel scope. Default false; with FIELDSTONE_PARCEL_DEFAULT=on true, if the server has a provider and the token has the scope.',
    }),
  ),
})

export const lookupOperations = defineOperations('Addresses', {
  'POST /v1/lookup': {
    scope: 'lookup',
    summary: 'Look up the jurisdictions, hazards and market data of one place',
    description:
      'Resolves an address or a coordinate and returns its jurisdictions, hazards and market data. `disposition` is `clarify` if there are several candidates, and `no_match` if there are none. A context member whose source failed is null and listed in context_failures.',
    body: LookupRequest,
    examples: {
      coordinate: { input: '39.7392, -104.9903' },
      parcel: { input: '39.7392, -104.9903', include_parcel: true },
    },
    responses: { 200: LookupAnswer },
    errorCodes: [
      'coord_out_of_bounds',
      'resolve_coord_bounds',
      'resolve_invalid_input',
      'resolve_timeout',
      'geocode_unavailable',
      'geocoder_not_configured',
      'fetch_busy',
    ],
  },
})

const readLookupBody = createBodyReader(LookupRequest, ({ input }) => addressViolations(input, ['body', 'input']))

export const lookupRoutes = (app: App) =>
  new Elysia().post('/v1/lookup', async ({ request }) => {
    const account = accountOf(request)
    const { input, include_parcel = includesParcelByDefault(account, app) } = await readLookupBody(request)
    if (include_parcel) requireScope(request, 'parcel')
    return lookUpLocation({ input, include_parcel }, request, app.fetchContext(account, '/v1/lookup'))
  })

/** Billed calls are never a surprise: the operator must have asked for parcels, and have a provider. */
function includesParcelByDefault({ scopes }: Account, { config, registry }: App): boolean {
  return config.parcel_default === 'on' && scopes.has('parcel') && registry.dataset(parcelDatasetId).options.length > 0
}
