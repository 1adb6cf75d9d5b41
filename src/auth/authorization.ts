import type { GrantStore } from '../store/accounts/grants.ts'
import type { Account, OAuthResource } from './accounts.ts'
import type { Scope } from './scope.ts'
import { isRegisteredRedirectUri, type OAuthClient } from './client.ts'
import type { ClientRegistry } from './clients.ts'
import { OAuthError, type RedirectTarget } from './oauth-error.ts'
import { optionalParameter, requiredParameter, parseResource, parseScopes } from './oauth-parameters.ts'
import { tokenHash } from './token.ts'

/** A validated authorization request. */
export type AuthorizationRequest = RedirectTarget & {
  client: OAuthClient
  challenge: string
  scopes: Scope[]
  resource: OAuthResource
}

/** The authorization endpoint of the code flow: OAuth 2.1, PKCE with S256 only. */
export type AuthorizationEndpoint = {
  /**
   * Validates a request. `requester` identifies who opened the page, for rate limits.
   * @throws OAuthError. With a `redirectTarget` it goes back to the client, else the page shows it.
   */
  parse(parameters: URLSearchParams, requester: string): Promise<AuthorizationRequest>
  /** Returns the redirect URL after the user allows the request. */
  approve(request: AuthorizationRequest, account: Account): Promise<string>
  /** Returns the redirect URL that reports an error to the client. */
  errorRedirect(error: OAuthError & { redirectTarget: RedirectTarget }): string
}

type Deps = {
  store: GrantStore
  clients: ClientRegistry
  base_url: string
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const codeLifetime_ms = 60_000
const code_bytes = 32
const stateMax_characters = 2000

/** Creates the endpoint. Its codes are valid for one minute and for one use. */
export function createAuthorizationEndpoint({
  store,
  clients,
  base_url,
  now,
  randomBytes,
}: Deps): AuthorizationEndpoint {
  return {
    async parse(parameters, requester) {
      const client = await clients.find(requiredParameter(parameters, 'client_id'), requester)
      const redirect_uri = resolveRedirectUri(optionalParameter(parameters, 'redirect_uri'), client)
      const states = parameters.getAll('state')
      const isStateValid = states.length === 1 && states[0]!.length <= stateMax_characters
      const redirectTarget: RedirectTarget = { redirect_uri, state: isStateValid ? states[0]! : null }
      try {
        if (states.length > 0 && !isStateValid)
          throw new OAuthError(
            'invalid_request',
            `Invalid parameter \`state\`. Send it once, with at most ${stateMax_characters} characters.`,
          )
        return { ...redirectTarget, client, ...parseCodeRequest(parameters, base_url) }
      } catch (error) {
        throw error instanceof OAuthError ? new OAuthError(error.code, error.message, redirectTarget) : error
      }
    },
    async approve(request, account) {
      const grantable = grantableScopes(account, request.scopes)
      if (grantable.length === 0)
        return redirectUrl(request, {
          error: 'access_denied',
          error_description: 'This account has none of the requested scopes.',
        })
      const code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      const { client, redirect_uri, challenge, resource } = request
      const time = now().getTime()
      const newCode = {
        account_id: account.id,
        client_id: client.id,
        client_name: client.name,
        redirect_uri,
        challenge,
        scopes: grantable.join(' '),
        resource,
        expires_at: time + codeLifetime_ms,
        token_id: account.token?.id ?? null,
      }
      await store.addCode(tokenHash(code), newCode, time)
      return redirectUrl(request, { code })
    },
    errorRedirect: ({ redirectTarget, code, message }) =>
      redirectUrl(redirectTarget, { error: code, error_description: message }),
  }

  /** Adds `iss`, which tells a client of several servers which one answered (RFC 9207). */
  function redirectUrl({ redirect_uri, state }: RedirectTarget, parameters: Record<string, string>): string {
    const url = new URL(redirect_uri)
    for (const [name, value] of Object.entries({ ...parameters, ...(state !== null && { state }), iss: base_url }))
      url.searchParams.set(name, value)
    return url.href
  }
}

/** Returns the requested scopes that the account has itself. */
export function grantableScopes(account: Account, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => account.scopes.has(scope))
}

function resolveRedirectUri(requestedUri: string | null, { redirect_uris }: OAuthClient): string {
  if (requestedUri === null && redirect_uris.length === 1) return redirect_uris[0]!
  if (requestedUri !== null && isRegisteredRedirectUri(requestedUri, redirect_uris)) return requestedUri
  throw new OAuthError('invalid_request', 'Unknown redirect_uri. Use one that this client has registered.')
}

function parseCodeRequest(
  parameters: URLSearchParams,
  base_url: string,
): Pick<AuthorizationRequest, 'challenge' | 'scopes' | 'resource'> {
  if (optionalParameter(parameters, 'request') !== null)
    throw new OAuthError(
      'request_not_supported',
      'The parameter `request` is not supported. Send the parameters in the query.',
    )
  if (optionalParameter(parameters, 'request_uri') !== null)
    throw new OAuthError(
      'request_uri_not_supported',
      'The parameter `request_uri` is not supported. Send the parameters in the query.',
    )
  if (requiredParameter(parameters, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'Unsupported response_type. Use code.')
  if ((optionalParameter(parameters, 'response_mode') ?? 'query') !== 'query')
    throw new OAuthError('invalid_request', 'Unsupported response_mode. Use query.')
  const challenge = requiredParameter(parameters, 'code_challenge')
  // RFC 7636: a missing method means plain.
  if (optionalParameter(parameters, 'code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'Missing or unsupported code_challenge_method. Use S256.')
  if (!/^[\w-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'Invalid code_challenge. Send a SHA-256 hash in base64url.')
  return {
    challenge,
    scopes: parseScopes(optionalParameter(parameters, 'scope')),
    resource: parseResource(parameters, base_url, 'mcp'),
  }
}
