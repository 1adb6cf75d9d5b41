import { isRecord } from '../model/record.ts'
import type { HttpClient } from '../net/http-client.ts'
import { createThrottle } from './throttle.ts'
import { cleanClientName, isRedirectUri, type OAuthClient } from './client.ts'
import { OAuthError } from './oauth-error.ts'

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
export function createClientDocumentReader(
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
export function isDocumentUrl(id: string): boolean {
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
