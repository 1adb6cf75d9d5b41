import { isRecord } from '../model/record.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { GrantStore } from '../store/accounts/grants.ts'
import { createThrottle } from './throttle.ts'
import { cleanClientName, isRedirectUri, type OAuthClient } from './client.ts'
import { OAuthError } from './oauth-error.ts'

/** The known OAuth clients. */
export type ClientRegistry = {
  /**
   * Returns a client, and fetches its document when its id is a URL. `requester` is the key of the fetch limit.
   * @throws OAuthError invalid_client when the client is unknown.
   */
  find(id: string, requester: string): Promise<OAuthClient>
  /** Whether a client id can be the URL of a document. */
  readonly readsDocuments: boolean
  /** Throws `invalid_client` for an unknown client, without fetching a document. */
  requireKnown(id: string): Promise<void>
  /** Registers a client (RFC 7591). `address` is the client address of the request. */
  register(metadata: unknown, address: string): Promise<Record<string, unknown>>
}

/** `documentClient` fetches client documents; null if the server reads none. */
type Deps = {
  store: GrantStore
  documentClient: HttpClient | null
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const registrationsPerHourMax = 10
const hour_ms = 3_600_000
/** A registered client that no user has approved is deleted after this time. */
export const unusedClientTtl_ms = 24 * hour_ms
const clientsMax = 1000
const redirectsMax = 10
const grantTypes = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']

/** The built-in client of the command line. */
const cliClient: OAuthClient = {
  id: 'fieldstone-cli',
  name: 'Fieldstone command line',
  redirect_uris: [],
  verifiedHost: null,
}

/** Creates the registry of built-in, registered and self-described clients. */
export function createClientRegistry({ store, documentClient, now, randomBytes }: Deps): ClientRegistry {
  const registrationThrottle = createThrottle({ limit: registrationsPerHourMax, window_ms: hour_ms, now })
  const readClientDocument = createClientDocumentReader(documentClient, now)
  return {
    readsDocuments: documentClient !== null,
    async find(id, requester) {
      if (id === cliClient.id) return cliClient
      if (isDocumentUrl(id)) return readClientDocument(id, requester)
      const stored = await store.findClient(id)
      if (!stored) throw unknownClient()
      return { id, name: stored.name, redirect_uris: JSON.parse(stored.redirect_uris) as string[], verifiedHost: null }
    },
    async requireKnown(id) {
      if (id !== cliClient.id && !isDocumentUrl(id) && !(await store.findClient(id))) throw unknownClient()
    },
    async register(metadata, address) {
      const client = { id: `client_${randomBytes(16).toHex()}`, ...parseMetadata(metadata) }
      if (!registrationThrottle.allows(address))
        throw new OAuthError(
          'temporarily_unavailable',
          `Too many registrations. At most ${registrationsPerHourMax} clients per hour can register from one address.`,
        )
      registrationThrottle.record(address)
      const created_at = now().getTime()
      const { id, name, redirect_uris } = client
      const isAdded = await store.addClient(
        { id, name, redirect_uris: JSON.stringify(redirect_uris), created_at },
        { max: clientsMax, unusedBefore: created_at - unusedClientTtl_ms },
      )
      if (!isAdded)
        throw new OAuthError(
          'temporarily_unavailable',
          `Too many registered clients. This server keeps at most ${clientsMax}. Try again later.`,
        )
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
  }
}

function unknownClient(): OAuthError {
  return new OAuthError('invalid_client', 'Unknown client. Register it first.')
}

function parseMetadata(metadata: unknown): { name: string; redirect_uris: string[] } {
  if (!isRecord(metadata))
    throw new OAuthError('invalid_client_metadata', 'The body is not a JSON object with client metadata.')
  const given = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
  const { redirect_uris = [], client_name, grant_types = ['authorization_code'], response_types = ['code'] } = given
  if (!Array.isArray(grant_types) || !grant_types.some((it) => grantTypes.includes(it as string)))
    throw new OAuthError('invalid_client_metadata', `Unsupported grant_types. Use ${grantTypes.join(', ')}.`)
  if (!Array.isArray(response_types) || (response_types.length > 0 && !response_types.includes('code')))
    throw new OAuthError('invalid_client_metadata', 'Unsupported response_types. Use code.')
  if (!Array.isArray(redirect_uris) || redirect_uris.length > redirectsMax || !redirect_uris.every(isRedirectUri)) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `Invalid redirect_uris. Send at most ${redirectsMax} URLs without a fragment: https, or http on 127.0.0.1, [::1] or localhost.`,
    )
  }
  if (redirect_uris.length === 0 && grant_types.includes('authorization_code'))
    throw new OAuthError(
      'invalid_redirect_uri',
      'Missing redirect_uris. The authorization_code grant needs at least one.',
    )
  return { name: cleanClientName(client_name, 'Unnamed client'), redirect_uris }
}

const documentMax_bytes = 5 * 1024
const deadline_ms = 2000
const cacheTtl_ms = 5 * 60_000
const cachedMax = 100
const redirectStatuses = [301, 302, 303, 307, 308] as const
/** The requester chooses the URL that this server fetches. These limits bound fetches per requester and in total. */
const fetchesMax = 20
const fetchWindow_ms = 10 * 60_000
const concurrentMax = 4

/**
 * Creates a reader of client ID metadata documents: the client id is the URL of its document. `requester` is the key
 * of the rate limit. `documentClient` is null on a server that reads none.
 */
function createClientDocumentReader(
  documentClient: HttpClient | null,
  now: () => Date,
): (id: string, requester: string) => Promise<OAuthClient> {
  const cache = new Map<string, { client: OAuthClient; until: number }>()
  const throttle = createThrottle({ limit: fetchesMax, window_ms: fetchWindow_ms, now })
  let inFlight = 0
  return async (id, requester) => {
    if (!documentClient)
      throw new OAuthError('invalid_client', 'This server does not read client documents. Register the client instead.')
    const cached = cache.get(id)
    if (cached && cached.until > now().getTime()) return cached.client
    if (inFlight >= concurrentMax || !throttle.allows(requester))
      throw new OAuthError(
        'temporarily_unavailable',
        'Too many client documents are being read. Try again in a few minutes.',
      )
    throttle.record(requester)
    const client = parseClientDocument(await read(id, documentClient), id)
    if (cache.size >= cachedMax) cache.clear()
    cache.set(id, { client, until: now().getTime() + cacheTtl_ms })
    return client
  }

  async function read(id: string, from: HttpClient): Promise<unknown> {
    inFlight++
    try {
      return await fetchDocument(id, from)
    } finally {
      inFlight--
    }
  }
}

/** Reports whether a client id is the URL of a document: https, with a path, in its normalized form. */
function isDocumentUrl(id: string): boolean {
  const url = URL.parse(id)
  return (
    url !== null &&
    id.length <= 2000 &&
    url.protocol === 'https:' &&
    url.pathname !== '/' &&
    url.hash === '' &&
    !id.includes('#') &&
    url.username === '' &&
    url.password === '' &&
    url.href === id
  )
}

/** Fetches the document once, from a public address, without following redirects. */
async function fetchDocument(id: string, net: HttpClient): Promise<unknown> {
  try {
    const { status, bytes } = await net.send(
      {
        url: id,
        cap_bytes: documentMax_bytes,
        metered: true,
        acceptedStatuses: redirectStatuses,
        headers: { accept: 'application/json' },
      },
      { signal: AbortSignal.timeout(deadline_ms) },
    )
    if (status !== 200) throw new Error(`The server answered with status ${status}.`)
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new OAuthError(
      'invalid_client',
      'Cannot read the document of this client. The URL must answer with JSON of at most 5 kB, without a redirect.',
    )
  }
}

function parseClientDocument(document: unknown, id: string): OAuthClient {
  if (!isRecord(document) || document.client_id !== id)
    throw new OAuthError(
      'invalid_client',
      'The client_id in the document of this client must be the URL of the document.',
    )
  const { redirect_uris, client_name, token_endpoint_auth_method: method = 'none' } = document
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || !redirect_uris.every(isRedirectUri))
    throw new OAuthError('invalid_client', 'The document of this client has no valid redirect_uris.')
  if (method !== 'none')
    throw new OAuthError(
      'invalid_client',
      'Unsupported token_endpoint_auth_method. All clients are public: the document must omit it or set it to none.',
    )
  return { id, name: cleanClientName(client_name, new URL(id).host), redirect_uris, verifiedHost: new URL(id).host }
}
