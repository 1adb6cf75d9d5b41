import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { OAuthError } from '../auth/oauth-error.ts'
import { only, required } from '../auth/parameters.ts'
import { bytesOf, mediaTypeOf } from './body.ts'
import { clientAddress } from './client-address.ts'
import { formOf } from './form.ts'
import { oauthAnswer } from './oauth-answer.ts'

const metadataMax_bytes = 16_384
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The endpoints of OAuth that programs ask: tokens, their end, registration, the begin of a device's login. */
export const oauthRoutes = (app: App) =>
  new Elysia()
    .post('/oauth/token', ({ request }) => oauthAnswer(app, async () => {
      const form = await publicForm(request)
      const grant = required(form, 'grant_type')
      const client_id = knownClient(form, app)
      const { grants, devices } = app.access
      if (grant === 'authorization_code') return { body: await app.writeQueue(() => grants.ofCode(form, client_id)) }
      if (grant === 'refresh_token') return { body: await app.writeQueue(() => grants.ofRefreshToken(form, client_id)) }
      if (grant === deviceGrant) return { body: await app.writeQueue(() => devices.poll(form, client_id)) }
      throw new OAuthError('unsupported_grant_type', `The grants are authorization_code, refresh_token and ${deviceGrant}.`)
    }), { parse: 'none' })
    .post('/oauth/revoke', ({ request }) => oauthAnswer(app, async () => {
      const form = await publicForm(request)
      const token = required(form, 'token')
      const client_id = knownClient(form, app)
      await app.writeQueue(() => app.access.grants.revoke(token, client_id))
      return { body: null }
    }), { parse: 'none' })
    .post('/oauth/register', ({ request, server }) => oauthAnswer(app, async () => {
      const metadata = await metadataOf(request)
      return { status: 201, body: await app.writeQueue(() => app.access.clients.register(metadata, clientAddress(request, server, app.config.isTrustedProxy))) }
    }), { parse: 'none' })
    .post('/oauth/device_authorization', ({ request, server }) => oauthAnswer(app, async () => {
      const form = await publicForm(request)
      const address = clientAddress(request, server, app.config.isTrustedProxy)
      const client = await app.access.clients.find(knownClient(form, app), `from ${address}`)
      return { body: await app.writeQueue(() => app.access.devices.start(form, client, address)) }
    }), { parse: 'none' })

/** Clients are public: one that shows a secret has taken this server for another. */
async function publicForm(request: Request): Promise<URLSearchParams> {
  const form = await formOf(request)
  if (request.headers.has('authorization') || only(form, 'client_secret') !== null || only(form, 'client_assertion') !== null) throw new OAuthError('invalid_client', 'Clients here are public: send client_id in the body, and no secret.')
  return form
}

function knownClient(form: URLSearchParams, { access: { clients } }: App): string {
  const client_id = required(form, 'client_id')
  clients.mustBeKnown(client_id)
  return client_id
}

async function metadataOf(request: Request): Promise<unknown> {
  if (mediaTypeOf(request) !== 'application/json') throw new OAuthError('invalid_client_metadata', 'The metadata is sent as application/json.')
  const bytes = Buffer.concat(await Array.fromAsync(bytesOf(request, metadataMax_bytes)))
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    throw new OAuthError('invalid_client_metadata', 'The body is not JSON.')
  }
}
