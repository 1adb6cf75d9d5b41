import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import type { ApiCode } from '../model/error.ts'
import { geocodeOrThrow } from '../place/locate.ts'
import { createBodyReader } from './body.ts'
import { requireScope } from './guard.ts'
import { addressViolations, addressMax_characters } from './location.ts'
import { defineOperation, type Operations } from './operation.ts'
import { geocodeProperties } from './fetch-response.ts'

/** Every way an address can be refused, by whichever door it comes in. */
export const geocodeErrorCodes: ApiCode[] = [
  'address_too_vague',
  'address_too_coarse',
  'address_outside_us',
  'address_type_unsupported',
  'address_ambiguous',
  'address_not_found',
  'geocode_unavailable',
]

const GeocodeRequest = Type.Object({
  address: Type.String({
    description: `One US street address, or two crossing streets with their town; at most ${addressMax_characters} characters.`,
  }),
})

export const geocodeOperations: Operations = {
  'POST /v1/geocode': defineOperation({
    tag: 'Addresses',
    scope: 'geocode',
    summary: 'The place of one US street address',
    description:
      'An address that is vague, ambiguous or known only roughly is refused, never guessed. A repeat within 30 days is answered from memory and is free.',
    body: GeocodeRequest,
    examples: { address: { address: '1600 Pennsylvania Avenue NW, Washington, DC 20500' } },
    responses: { 200: Type.Object({ lat: Type.Number(), lng: Type.Number(), ...geocodeProperties }) },
    errorCodes: [...geocodeErrorCodes, 'fetch_busy'],
  }),
}

const readGeocodeBody = createBodyReader(GeocodeRequest, ({ address }) =>
  addressViolations(address, ['body', 'address']),
)

export const geocodeRoutes = (app: App) =>
  new Elysia().post(
    '/v1/geocode',
    async ({ request }) => {
      const account = requireScope(request, 'geocode', app.accounts)
      const { address } = await readGeocodeBody(request)
      return app.admission
        .forAccount(account.id)
        .run(() => geocodeOrThrow(app.geocodeFor('/v1/geocode'), address, account.id, request), request)
    },
    { parse: 'none' },
  )
