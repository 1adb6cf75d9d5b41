import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { OAuthError } from '../../auth/oauth-error.ts'
import { optionalParameter, requiredParameter } from '../../auth/oauth-parameters.ts'
import { ApiError } from '../../model/error.ts'
import { mediaTypeOf, readBodyText } from '../request/body.ts'
import { clientAddress } from '../request/client-address.ts'
import { readFormBody } from '../request/form.ts'
import { parseJson } from '../../model/record.ts'

const metadataMax_bytes = 16_384
const headers = { 'cache-control': 'no-store', pragma: 'no-cache' }
const retryAfter_s = 60
const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code'

/** The OAuth endpoints of clients: token, revocation, registration and device authorization. */
export const oauthRoutes = (app: App) =>
  new Elysia()
    .post('/oauth/token', ({ request }) =>
      oauthResponse(app, async () => {
        const form = await readPublicClientForm(request)
        const grantType = requiredParameter(form, 'grant_type')
        const client_id = await requireKnownClient(form, app)
        const { grants, deviceFlow } = app.access
        if (grantType === 'authorization_code') return { body: await grants.exchangeCode(form, client_id) }
        if (grantType === 'refresh_token') return { body: await grants.exchangeRefreshToken(form, client_id) }
        if (grantType === deviceGrantType) return { body: await deviceFlow.poll(form, client_id) }
        throw new OAuthError(
          'unsupported_grant_type',
          `Unsupported grant_type. Use authorization_code, refresh_token or ${deviceGrantType}.`,
        )
      }),
    )
    .post('/oauth/revoke', ({ request }) =>
      oauthResponse(app, async () => {
        const form = await readPublicClientForm(request)
        const token = requiredParameter(form, 'token')
        const client_id = await requireKnownClient(form, app)
        await app.access.grants.revokeToken(token, client_id)
        return { body: null }
      }),
    )
    .post('/oauth/register', ({ request, server }) =>
      oauthResponse(app, async () => {
        const metadata = await readClientMetadata(request)
        return {
          status: 201,
          body: await app.access.clients.register(metadata, clientAddress(request, server, app.config.isTrustedProxy)),
        }
      }),
    )
    .post('/oauth/device_authorization', ({ request, server }) =>
      oauthResponse(app, async () => {
        const form = await readPublicClientForm(request)
        const address = clientAddress(request, server, app.config.isTrustedProxy)
        const client = await app.access.clients.find(await requireKnownClient(form, app), address)
        return { body: await app.access.deviceFlow.start(form, client, address) }
      }),
    )

/** Runs an OAuth endpoint and returns its response, or the error response of RFC 6749, 5.2. */
async function oauthResponse(app: App, handle: () => Promise<{ status?: number; body: unknown }>): Promise<Response> {
  try {
    const { status = 200, body } = await handle()
    return body === null ? new Response(null, { status, headers }) : Response.json(body, { status, headers })
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      return oauthErrorResponse(new OAuthError('invalid_request', error.message))
    if (!(error instanceof OAuthError)) throw error
    app.log.info('oauth_rejected', { code: error.code })
    return oauthErrorResponse(error)
  }
}

function oauthErrorResponse({ code, message, status }: OAuthError): Response {
  return Response.json(
    { error: code, error_description: message },
    { status, headers: { ...headers, ...(status === 429 && { 'retry-after': String(retryAfter_s) }) } },
  )
}

/** Returns the form, and rejects client authentication: all clients are public. */
async function readPublicClientForm(request: Request): Promise<URLSearchParams> {
  const form = await readFormBody(request)
  if (
    request.headers.has('authorization') ||
    optionalParameter(form, 'client_secret') !== null ||
    optionalParameter(form, 'client_assertion') !== null
  )
    throw new OAuthError(
      'invalid_client',
      'Unsupported client authentication. All clients are public: send client_id in the body and no secret.',
    )
  return form
}

async function requireKnownClient(form: URLSearchParams, { access: { clients } }: App): Promise<string> {
  const client_id = requiredParameter(form, 'client_id')
  await clients.requireKnown(client_id)
  return client_id
}

async function readClientMetadata(request: Request): Promise<unknown> {
  if (mediaTypeOf(request) !== 'application/json')
    throw new OAuthError('invalid_client_metadata', 'Unsupported Content-Type. Send the metadata as application/json.')
  const text = await readBodyText(request, metadataMax_bytes)
  return parseJson(text, () => new OAuthError('invalid_client_metadata', 'The body is not valid JSON.'))
}
