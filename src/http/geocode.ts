import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import type { ApiCode } from '../model/error.ts'
import { geocodeOrThrow } from '../place/locate.ts'
import { bodyOf } from './body.ts'
import { allowing } from './guard.ts'
import { addressFaults, addressMax_characters } from './location.ts'
import { operation, type Operations } from './operation.ts'
import { geocode } from './results.ts'

/** Every way an address can be refused, by whichever door it comes in. */
export const geocodeRefusals: ApiCode[] = [
  'address_too_vague', 'address_too_coarse', 'address_outside_us', 'address_type_unsupported', 'address_ambiguous', 'address_not_found', 'geocode_unavailable',
]

const GeocodeRequest = Type.Object({ address: Type.String({ description: `One US street address, or two crossing streets with their town; at most ${addressMax_characters} characters.` }) })

export const geocodeOperations: Operations = {
  'POST /v1/geocode': operation({
    tag: 'Addresses', scope: 'geocode',
    summary: 'The place of one US street address',
    description: 'An address that is vague, ambiguous or known only roughly is refused, never guessed. A repeat within 30 days is answered from memory and is free.',
    body: GeocodeRequest,
    examples: { address: { address: '1600 Pennsylvania Avenue NW, Washington, DC 20500' } },
    answers: { 200: Type.Object({ lat: Type.Number(), lng: Type.Number(), ...geocode }) },
    refusals: [...geocodeRefusals, 'fetch_busy'],
  }),
}

const geocodeBody = bodyOf(GeocodeRequest, ({ address }) => addressFaults(address, ['body', 'address']))

export const geocodeRoutes = (app: App) =>
  new Elysia()
    .post('/v1/geocode', async ({ request }) => {
      const account = allowing(request, 'geocode', app.accounts)
      const { address } = await geocodeBody(request)
      return app.admission.forAccount(account.id).run(() => geocodeOrThrow(app.geocodeFor('/v1/geocode'), address, account.id, request), request)
    }, { parse: 'none' })
