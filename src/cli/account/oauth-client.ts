import { isRecord } from '../../model/record.ts'
import { fetchBounded } from '../../net/bounded-fetch.ts'
import type { Login } from './credentials.ts'
import { describeConnectionFailure } from '../connection-failure.ts'

/** The function that sends a request to another Fieldstone server. */
export type HttpFetch = (address: string, init?: RequestInit) => Promise<Response>

const answerMax_bytes = 16 * 1024 * 1024

/** Sends a request over the network. A response is limited to 16 MiB. */
export const fetchAnswer: HttpFetch = (address, init = {}) => fetchBounded(address, init, answerMax_bytes)

/** The OAuth metadata of a server: its MCP endpoint, its API, and its OAuth endpoints. */
export type ServerMetadata = {
  resource: string
  api: string
  token_endpoint: string
  device_authorization_endpoint: string
}

/**
 * A failed login: the server is unreachable, returned something unexpected, or an OAuth error. `code` tells them apart.
 */
export class LoginError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export const clientId = 'fieldstone-cli'
const timeout_ms = 30_000

/** Discovers the OAuth metadata of a server (RFC 9728, then RFC 8414). @throws {LoginError} */
export async function discoverServer(server: string, httpFetch: HttpFetch): Promise<ServerMetadata> {
  const { origin, pathname } = new URL(server)
  const path = pathname.replace(/\/$/, '')
  const { resource, authorization_servers: [issuer] = [] } = (await getJson(
    `${origin}/.well-known/oauth-protected-resource${path}/mcp`,
    httpFetch,
  )) as { resource?: unknown; authorization_servers?: unknown[] }
  if (typeof resource !== 'string' || typeof issuer !== 'string' || !URL.canParse(issuer))
    throw unexpectedResponseError(server)
  // RFC 9728, section 3.3: do not use metadata whose resource is another address.
  if (resource !== `${origin}${path}/mcp`)
    throw new LoginError(
      'resource_mismatch',
      `${server} identifies itself as ${resource.replace(/\/mcp$/, '')}. Log in to that address, or ask the operator to set FIELDSTONE_BASE_URL to ${server}.`,
    )
  const issuerUrl = new URL(issuer)
  const document = await getJson(
    `${issuerUrl.origin}/.well-known/oauth-authorization-server${issuerUrl.pathname.replace(/\/$/, '')}`,
    httpFetch,
  )
  const { token_endpoint, device_authorization_endpoint } = document
  if (
    document.issuer !== issuer ||
    typeof token_endpoint !== 'string' ||
    typeof device_authorization_endpoint !== 'string'
  )
    throw unexpectedResponseError(server)
  return { resource, api: `${origin}${path}/v1`, token_endpoint, device_authorization_endpoint }
}

/** Posts a form to an OAuth endpoint. @throws {LoginError} with the code of the OAuth error. */
export async function postForm(
  address: string,
  form: Record<string, string> | [name: string, value: string][],
  httpFetch: HttpFetch,
): Promise<Record<string, unknown>> {
  const response = await request(address, httpFetch, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  })
  const body: unknown = await response.json().catch(() => null)
  if (!isRecord(body)) throw unexpectedResponseError(address)
  if (!response.ok) throw new LoginError(String(body.error), String(body.error_description ?? body.error))
  return body
}

/** Returns the login in a response of the token endpoint. */
export function loginFromResponse(
  response: Record<string, unknown>,
  { resource, token_endpoint }: Pick<Login, 'resource' | 'token_endpoint'>,
  now: Date,
): Login {
  const { access_token, refresh_token, expires_in } = response
  if (typeof access_token !== 'string' || typeof refresh_token !== 'string' || typeof expires_in !== 'number')
    throw unexpectedResponseError(token_endpoint)
  return {
    resource,
    token_endpoint,
    client_id: clientId,
    access_token,
    refresh_token,
    expires_at: now.getTime() + expires_in * 1000,
  }
}

async function getJson(address: string, httpFetch: HttpFetch): Promise<Record<string, unknown>> {
  const response = await request(address, httpFetch, { headers: { accept: 'application/json' } })
  const body: unknown = response.ok ? await response.json().catch(() => null) : null
  if (!isRecord(body)) throw unexpectedResponseError(address)
  return body
}

async function request(address: string, httpFetch: HttpFetch, init: RequestInit): Promise<Response> {
  try {
    return await httpFetch(address, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeout_ms) })
  } catch (cause) {
    throw Object.assign(
      new LoginError(
        'unreachable',
        `Cannot reach ${new URL(address).host}: ${describeConnectionFailure(cause)}. Check its URL, and that it is running.`,
      ),
      { cause },
    )
  }
}

function unexpectedResponseError(address: string): LoginError {
  return new LoginError(
    'unexpected_response',
    `${new URL(address).host} is not a Fieldstone server, or it returned an unexpected response. Check the address.`,
  )
}
