import { isRecord } from '../model/record.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { OAuthStore } from '../store/oauth.ts'
import { createThrottle } from './throttle.ts'
import { cleanClientName, type OAuthClient } from './client.ts'
import { isDocumentUrl, createClientDocumentReader } from './client-document.ts'
import { OAuthError } from './oauth-error.ts'
import { isRedirectUri } from './redirect-uri.ts'

/** The programs that can ask to be let in. */
export type ClientRegistry = {
  /** Throws `invalid_client` when there is no such client. `by`: who wants to know, since a client may have to be asked for at an address of its own. */
  find(id: string, requester: string): Promise<OAuthClient>
  /** The same where the tokens themselves say which client they belong to: nobody is asked. */
  requireKnown(id: string): void
  /** Dynamic registration: RFC 7591. `address`: where the request came from. */
  register(metadata: unknown, address: string): Record<string, unknown>
  /** A person let it in: it is not swept any more. */
  markUsed(id: string): void
}

type Deps = { store: OAuthStore; net: HttpClient | null; now: () => Date; randomBytes: (size: number) => Uint8Array }

const registrationsPerHourMax = 10
const hour_ms = 3_600_000
/** A client that nobody has let in is forgotten after this. */
export const unusedClientTtl_ms = 24 * hour_ms
const clientsMax = 1000
const redirectsMax = 10
const grantTypes = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']

/** The command line of this house. */
const cliClient: OAuthClient = {
  id: 'fieldstone-cli',
  name: 'Fieldstone command line',
  redirect_uris: [],
  verifiedHost: null,
}

/** Knows the command line of this house, those that registered, and those that describe themselves. */
export function createClientRegistry({ store, net, now, randomBytes }: Deps): ClientRegistry {
  const registrationThrottle = createThrottle({ limit: registrationsPerHourMax, window_ms: hour_ms, now })
  const readClientDocument = createClientDocumentReader(net, now)
  return {
    async find(id, requester) {
      if (id === cliClient.id) return cliClient
      if (isDocumentUrl(id)) return readClientDocument(id, requester)
      const stored = store.findClient(id)
      if (!stored) throw unknownClient()
      return { id, name: stored.name, redirect_uris: JSON.parse(stored.redirect_uris) as string[], verifiedHost: null }
    },
    requireKnown(id) {
      if (id !== cliClient.id && !isDocumentUrl(id) && !store.findClient(id)) throw unknownClient()
    },
    register(metadata, address) {
      const client = { id: `client_${randomBytes(16).toHex()}`, ...parseMetadata(metadata) }
      if (!registrationThrottle.allows(address))
        throw new OAuthError(
          'temporarily_unavailable',
          `At most ${registrationsPerHourMax} clients an hour are registered from one address.`,
        )
      registrationThrottle.record(address)
      const created_at = now().getTime()
      if (store.countClients() >= clientsMax) store.sweep(created_at, created_at - unusedClientTtl_ms)
      if (store.countClients() >= clientsMax)
        throw new OAuthError('temporarily_unavailable', `This server keeps at most ${clientsMax} registered clients.`)
      const { id, name, redirect_uris } = client
      store.addClient({ id, name, redirect_uris: JSON.stringify(redirect_uris), created_at })
      return {
        client_id: id,
        client_id_issued_at: Math.floor(created_at / 1000),
        client_name: name,
        redirect_uris,
        grant_types: grantTypes,
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }
    },
    markUsed: (id) => store.recordClientUse(id, now().getTime()),
  }
}

function unknownClient(): OAuthError {
  return new OAuthError('invalid_client', 'There is no such client: register it first.')
}

function parseMetadata(metadata: unknown): { name: string; redirect_uris: string[] } {
  if (!isRecord(metadata)) throw new OAuthError('invalid_client_metadata', 'The body is no object of client metadata.')
  const { redirect_uris = [], client_name, grant_types = ['authorization_code'], response_types = ['code'] } = metadata
  if (!Array.isArray(grant_types) || !grant_types.some((it) => grantTypes.includes(it as string)))
    throw new OAuthError('invalid_client_metadata', `grant_types may be ${grantTypes.join(', ')}.`)
  if (!Array.isArray(response_types) || (response_types.length > 0 && !response_types.includes('code')))
    throw new OAuthError('invalid_client_metadata', 'response_types may be code.')
  if (!Array.isArray(redirect_uris) || redirect_uris.length > redirectsMax || !redirect_uris.every(isRedirectUri)) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris are at most ${redirectsMax} addresses of https, or of http on 127.0.0.1, [::1] or localhost, without a fragment.`,
    )
  }
  if (redirect_uris.length === 0 && grant_types.includes('authorization_code'))
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris are missing.')
  return { name: cleanClientName(client_name, 'A client without a name'), redirect_uris }
}
