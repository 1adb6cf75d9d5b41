import type { OAuthStore } from '../store/oauth.ts'
import type { Account, OAuthResource, Scope } from './accounts.ts'
import type { OAuthClient } from './client.ts'
import type { ClientRegistry } from './clients.ts'
import { OAuthError, type RedirectTarget } from './oauth-error.ts'
import { optionalParameter, requiredParameter, parseResource, parseScopes } from './oauth-parameters.ts'
import { isRegisteredRedirectUri } from './redirect-uri.ts'
import { tokenHash } from './token.ts'

/** What a client asks a person for, checked. */
export type AuthorizationRequest = RedirectTarget & {
  client: OAuthClient
  challenge: string
  scopes: Scope[]
  resource: OAuthResource
}

/** The front of the authorization code flow: OAuth 2.1, with PKCE by S256 and nothing else. */
export type AuthorizationEndpoint = {
  /** Throws what must be shown to the person, or (`back`) told to the client. `by`: who is at the page. */
  parse(parameters: URLSearchParams, requester: string): Promise<AuthorizationRequest>
  /** Where the person goes with their yes. */
  approve(request: AuthorizationRequest, account: Account): string
  /** Where the person goes with an error. */
  errorRedirect(error: OAuthError & { redirectTarget: RedirectTarget }): string
}

type Deps = {
  store: OAuthStore
  clients: ClientRegistry
  base_url: string
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const codeLifetime_ms = 60_000
const code_bytes = 32
const stateMax_characters = 2000

/** Gives out codes that are good for a minute, once. */
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
            `The parameter state stands more than once, or has more than ${stateMax_characters} characters.`,
          )
        return { ...redirectTarget, client, ...parseCodeRequest(parameters, base_url) }
      } catch (error) {
        throw error instanceof OAuthError ? new OAuthError(error.code, error.message, redirectTarget) : error
      }
    },
    approve(request, account) {
      const grantable = grantableScopes(account, request.scopes)
      if (grantable.length === 0)
        return redirectUrl(request, {
          error: 'access_denied',
          error_description: 'This account may do nothing of what was asked.',
        })
      const code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      const { client, redirect_uri, challenge, resource } = request
      store.inTransaction(() => {
        store.addCode(tokenHash(code), {
          account_id: account.id,
          client_id: client.id,
          client_name: client.name,
          redirect_uri,
          challenge,
          scopes: grantable.join(' '),
          resource,
          expires_at: now().getTime() + codeLifetime_ms,
        })
        clients.markUsed(client.id)
      })
      return redirectUrl(request, { code })
    },
    errorRedirect: ({ redirectTarget, code, message }) =>
      redirectUrl(redirectTarget, { error: code, error_description: message }),
  }

  /** With `iss`, so that a client of several servers knows which of them answers: RFC 9207. */
  function redirectUrl({ redirect_uri, state }: RedirectTarget, parameters: Record<string, string>): string {
    const url = new URL(redirect_uri)
    for (const [name, value] of Object.entries({ ...parameters, ...(state !== null && { state }), iss: base_url }))
      url.searchParams.set(name, value)
    return url.href
  }
}

/** Of what is asked, what the account may do itself. */
export function grantableScopes(account: Account, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => account.scopes.has(scope))
}

function resolveRedirectUri(requestedUri: string | null, { redirect_uris }: OAuthClient): string {
  if (requestedUri === null && redirect_uris.length === 1) return redirect_uris[0]!
  if (requestedUri !== null && isRegisteredRedirectUri(requestedUri, redirect_uris)) return requestedUri
  throw new OAuthError('invalid_request', 'The redirect_uri is not one that this client has registered.')
}

function parseCodeRequest(
  parameters: URLSearchParams,
  base_url: string,
): Pick<AuthorizationRequest, 'challenge' | 'scopes' | 'resource'> {
  if (optionalParameter(parameters, 'request') !== null)
    throw new OAuthError('request_not_supported', 'Request objects are not read.')
  if (optionalParameter(parameters, 'request_uri') !== null)
    throw new OAuthError('request_uri_not_supported', 'Request objects are not read.')
  if (requiredParameter(parameters, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'The response_type is code.')
  if ((optionalParameter(parameters, 'response_mode') ?? 'query') !== 'query')
    throw new OAuthError('invalid_request', 'The response_mode is query.')
  const challenge = requiredParameter(parameters, 'code_challenge')
  // A method that is left out would be plain.
  if (optionalParameter(parameters, 'code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'The code_challenge_method is S256, and must be said.')
  if (!/^[\w-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'The code_challenge is no SHA-256 in base64url.')
  return {
    challenge,
    scopes: parseScopes(optionalParameter(parameters, 'scope')),
    resource: parseResource(parameters, base_url, 'mcp'),
  }
}
