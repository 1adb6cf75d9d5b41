import { Type, type Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { allScopes } from '../../auth/scope.ts'
import { OAuthError } from '../../auth/oauth-error.ts'
import { ApiError } from '../../model/error.ts'
import { isRecord, parseJson } from '../../model/record.ts'
import { literals, nullable } from '../../model/schema.ts'
import { clientAddress } from '../request/client-address.ts'
import { defineOperations } from '../request/operation.ts'
import { createViolationError } from '../request/violations.ts'
import { readBodyText } from '../request/body.ts'

/** The client of the logins that local agent adapters start. */
const client_id = 'fieldstone-cli'

const StartedLogin = Type.Object({
  verification_uri: Type.String({ description: 'The page where the user enters the code.' }),
  verification_uri_complete: Type.String({ description: 'The same page with the code filled in.' }),
  user_code: Type.String(),
  device_code: Type.String({ description: 'The secret of this login, for polling.' }),
  interval: Type.Integer({ description: 'Seconds between two polls.' }),
  expires_in: Type.Integer({ description: 'Seconds until the code expires.' }),
})
const PolledLogin = Type.Object({
  status: literals(['pending', 'approved', 'denied', 'expired']),
  token: nullable('string', { description: 'Only with approved: the access token. It is shown once.' }),
  token_id: nullable('string', { description: 'Only with approved: the last four characters of the token.' }),
  refresh_token: nullable('string', { description: 'Only with approved: gets the next token at /oauth/token.' }),
  expires_in: nullable('integer', { description: 'Only with approved: seconds until the token expires.' }),
})
const PollRequest = Type.Object({ device_code: Type.String({ maxLength: 200 }) })

export const deviceLoginOperations = defineOperations('Account', {
  'POST /v1/mcp/device/start': {
    scope: null,
    writes: true,
    summary: 'Start a login on a device without a browser',
    description: 'For local agent adapters: the device flow of OAuth (RFC 8628) with JSON instead of forms.',
    body: Type.Object({}),
    examples: { start: {} },
    responses: { 200: StartedLogin },
    errorCodes: ['rate_limited'],
  },
  'POST /v1/mcp/device/poll': {
    scope: null,
    writes: true,
    summary: 'Ask for the token of such a login',
    description: 'Poll at the interval of the start until the status is not pending.',
    body: PollRequest,
    examples: { poll: { device_code: 'the device_code of the start' } },
    responses: { 200: PolledLogin },
  },
})

export const deviceLoginRoutes = (app: App) =>
  new Elysia()
    .post('/v1/mcp/device/start', ({ request, server }) =>
      startLogin(app, clientAddress(request, server, app.config.isTrustedProxy)),
    )
    .post('/v1/mcp/device/poll', async ({ request }) => pollLogin(app, await readDeviceCode(request)))

async function startLogin({ access: { clients, deviceFlow }, config }: App, address: string) {
  const form = new URLSearchParams({ client_id, scope: scopesOfLogin.join(' ') })
  // The token of an agent is for the API and for /mcp.
  for (const path of ['v1', 'mcp']) form.append('resource', `${config.base_url}/${path}`)
  try {
    const client = await clients.find(client_id, address)
    return await deviceFlow.start(form, client, address)
  } catch (error) {
    if (error instanceof OAuthError) throw new ApiError('rate_limited', error.message, { retry_after_s: 60 })
    throw error
  }
}

const bodyMax_bytes = 1_000

/** Reads the code from a body. These paths are public, so there is no account whose bodies wait in a queue. */
async function readDeviceCode(request: Request): Promise<string> {
  const text = await readBodyText(request, bodyMax_bytes)
  const body = parseJson(text, () => createViolationError('json_invalid', ['body'], 'JSON decode error', text))
  if (isRecord(body) && typeof body.device_code === 'string') return body.device_code
  throw createViolationError('missing', ['body', 'device_code'], 'Field required', body)
}

/** All scopes but the administration of the server. */
const scopesOfLogin = allScopes.filter((scope) => scope !== 'admin')

async function pollLogin({ access: { deviceFlow } }: App, device_code: string): Promise<Static<typeof PolledLogin>> {
  try {
    const { access_token, refresh_token, expires_in } = await deviceFlow.poll(
      new URLSearchParams({ device_code }),
      client_id,
    )
    return {
      status: 'approved',
      token: access_token,
      token_id: access_token.slice(-4),
      refresh_token,
      expires_in,
    }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return { status: statusOf(error), token: null, token_id: null, refresh_token: null, expires_in: null }
  }
}

function statusOf({ code }: OAuthError): Static<typeof PolledLogin>['status'] {
  if (code === 'authorization_pending' || code === 'slow_down') return 'pending'
  return code === 'access_denied' ? 'denied' : 'expired'
}
