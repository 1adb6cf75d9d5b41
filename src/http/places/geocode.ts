import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { ApiCode } from '../../model/error.ts'
import { GeocodeAnswer } from '../../place/geocode-outcome.ts'
import { answerGeocode } from '../../place/locate.ts'
import { createBodyReader } from '../request/json-body.ts'
import { accountOf } from '../request/guard.ts'
import { addressMax_characters } from '../../model/text.ts'
import { addressViolations } from './location.ts'
import { defineOperations } from '../request/operation.ts'

/** The error codes of an address, at every interface. */
export const geocodeErrorCodes: ApiCode[] = [
  'address_too_coarse',
  'address_outside_us',
  'address_form_unsupported',
  'address_ambiguous',
  'address_not_found',
  'geocode_unavailable',
  'geocode_timeout',
  'geocoder_not_configured',
]

const GeocodeRequest = Type.Object({
  address: Type.String({
    description: `One US street address, or two crossing streets and a town, at most ${addressMax_characters} characters.`,
  }),
})

export const geocodeOperations = defineOperations('Addresses', {
  'POST /v1/geocode': {
    scope: 'geocode',
    summary: 'Geocode one US street address',
    description:
      'Rejects an address that is vague, ambiguous or known only approximately; it never guesses. Results are cached for 30 days, and cached results are free.',
    body: GeocodeRequest,
    examples: { address: { address: '1600 Pennsylvania Avenue NW, Washington, DC 20500' } },
    responses: { 200: GeocodeAnswer },
    errorCodes: [...geocodeErrorCodes, 'fetch_busy'],
  },
})

const readGeocodeBody = createBodyReader(GeocodeRequest, ({ address }) =>
  addressViolations(address, ['body', 'address']),
)

export const geocodeRoutes = (app: App) =>
  new Elysia().post('/v1/geocode', async ({ request }) => {
    const account = accountOf(request)
    const { address } = await readGeocodeBody(request)
    return app.admission
      .forAccount(account.id)
      .run(
        () =>
          answerGeocode(
            { geocode: app.geocodeFor('/v1/geocode'), now: app.now },
            { address, account: account.id },
            request,
          ),
        request,
      )
  })
