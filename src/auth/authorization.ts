import type { OAuthStore } from '../store/oauth.ts'
import type { Account, Resource, Scope } from './accounts.ts'
import type { Client } from './client.ts'
import type { Clients } from './clients.ts'
import { OAuthError, type Back } from './oauth-error.ts'
import { only, required, resourceOf, scopesOf } from './parameters.ts'
import { isRegistered } from './redirect-uri.ts'
import { tokenHash } from './token.ts'

/** What a client asks a person for, checked. */
export type Asked = Back & { client: Client; challenge: string; scopes: Scope[]; resource: Resource }

/** The front of the authorization code flow: OAuth 2.1, with PKCE by S256 and nothing else. */
export type Authorization = {
  /** Throws what must be shown to the person, or (`back`) told to the client. `by`: who is at the page. */
  asked(parameters: URLSearchParams, by: string): Promise<Asked>
  /** Where the person goes with their yes. */
  granted(asked: Asked, account: Account): string
  /** Where the person goes with an error. */
  refused(error: OAuthError & { back: Back }): string
}

type Means = { store: OAuthStore; clients: Clients; base_url: string; now: () => Date; randomBytes: (size: number) => Uint8Array }

const code_ms = 60_000
const code_bytes = 32
const stateMax_characters = 2000

/** Gives out codes that are good for a minute, once. */
export function openAuthorization({ store, clients, base_url, now, randomBytes }: Means): Authorization {
  return {
    async asked(parameters, by) {
      const client = await clients.find(required(parameters, 'client_id'), by)
      const redirect_uri = redirectOf(only(parameters, 'redirect_uri'), client)
      const states = parameters.getAll('state')
      const isState = states.length === 1 && states[0]!.length <= stateMax_characters
      const back: Back = { redirect_uri, state: isState ? states[0]! : null }
      try {
        if (states.length > 0 && !isState) throw new OAuthError('invalid_request', `The parameter state stands more than once, or has more than ${stateMax_characters} characters.`)
        return { ...back, client, ...wanted(parameters, base_url) }
      } catch (error) {
        throw error instanceof OAuthError ? new OAuthError(error.code, error.message, back) : error
      }
    },
    granted(asked, account) {
      const allowed = allowedTo(account, asked.scopes)
      if (allowed.length === 0) return sent(asked, { error: 'access_denied', error_description: 'This account may do nothing of what was asked.' })
      const code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      const { client, redirect_uri, challenge, resource } = asked
      store.whole(() => {
        store.addCode(tokenHash(code), { account_id: account.id, client_id: client.id, client_name: client.name, redirect_uri, challenge, scopes: allowed.join(' '), resource, expires_at: now().getTime() + code_ms })
        clients.used(client.id)
      })
      return sent(asked, { code })
    },
    refused: ({ back, code, message }) => sent(back, { error: code, error_description: message }),
  }

  /** With `iss`, so that a client of several servers knows which of them answers: RFC 9207. */
  function sent({ redirect_uri, state }: Back, answer: Record<string, string>): string {
    const url = new URL(redirect_uri)
    for (const [name, value] of Object.entries({ ...answer, ...(state !== null && { state }), iss: base_url })) url.searchParams.set(name, value)
    return url.href
  }
}

/** Of what is asked, what the account may do itself. */
export function allowedTo(account: Account, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => account.scopes.has(scope))
}

function redirectOf(sent: string | null, { redirect_uris }: Client): string {
  if (sent === null && redirect_uris.length === 1) return redirect_uris[0]!
  if (sent !== null && isRegistered(sent, redirect_uris)) return sent
  throw new OAuthError('invalid_request', 'The redirect_uri is not one that this client has registered.')
}

function wanted(parameters: URLSearchParams, base_url: string): Pick<Asked, 'challenge' | 'scopes' | 'resource'> {
  if (only(parameters, 'request') !== null) throw new OAuthError('request_not_supported', 'Request objects are not read.')
  if (only(parameters, 'request_uri') !== null) throw new OAuthError('request_uri_not_supported', 'Request objects are not read.')
  if (required(parameters, 'response_type') !== 'code') throw new OAuthError('unsupported_response_type', 'The response_type is code.')
  if ((only(parameters, 'response_mode') ?? 'query') !== 'query') throw new OAuthError('invalid_request', 'The response_mode is query.')
  const challenge = required(parameters, 'code_challenge')
  // A method that is left out would be plain.
  if (only(parameters, 'code_challenge_method') !== 'S256') throw new OAuthError('invalid_request', 'The code_challenge_method is S256, and must be said.')
  if (!/^[\w-]{43}$/.test(challenge)) throw new OAuthError('invalid_request', 'The code_challenge is no SHA-256 in base64url.')
  return { challenge, scopes: scopesOf(only(parameters, 'scope')), resource: resourceOf(parameters, base_url, 'mcp') }
}
