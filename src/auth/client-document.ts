import { isRecord } from '../model/record.ts'
import type { HttpClient } from '../net/http-client.ts'
import { createThrottle } from './throttle.ts'
import { cleanClientName, type OAuthClient } from './client.ts'
import { OAuthError } from './oauth-error.ts'
import { isRedirectUri } from './redirect-uri.ts'

const documentMax_bytes = 5 * 1024
const deadline_ms = 2000
const cacheTtl_ms = 5 * 60_000
const cachedMax = 100
const redirectStatuses = [301, 302, 303, 307, 308] as const
/** Whoever names a client chooses what this server asks for: so often for each who does, and so many at once for all. */
const fetchesMax = 20
const fetchWindow_ms = 10 * 60_000
const concurrentMax = 4

/** Clients that describe themselves at an address of their own, which is their name; `by`: who wants to know. Without a network there are none. */
export function createClientDocumentReader(
  net: HttpClient | null,
  now: () => Date,
): (id: string, requester: string) => Promise<OAuthClient> {
  const cache = new Map<string, { client: OAuthClient; until: number }>()
  const throttle = createThrottle({ limit: fetchesMax, window_ms: fetchWindow_ms, now })
  let inFlight = 0
  return async (id, requester) => {
    if (!net)
      throw new OAuthError(
        'invalid_client',
        'This server is without a network: it reads no document of a client. Register the client instead.',
      )
    const cached = cache.get(id)
    if (cached && cached.until > now().getTime()) return cached.client
    if (inFlight >= concurrentMax || !throttle.allows(requester))
      throw new OAuthError(
        'temporarily_unavailable',
        'Too many documents of clients are being read: try again in a few minutes.',
      )
    throttle.record(requester)
    const client = parseClientDocument(await read(id, net), id)
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

/** Whether a client's name is an address of a document: https, with a path, and nothing that could be read in two ways. */
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

/** Asked once, at a public address, and not further when it says that it lies elsewhere. */
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
    if (status !== 200) throw new Error(`It answered ${status}.`)
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new OAuthError(
      'invalid_client',
      'The document of this client could not be read: it must be JSON of at most 5 kB at this very address.',
    )
  }
}

function parseClientDocument(document: unknown, id: string): OAuthClient {
  if (!isRecord(document) || document.client_id !== id)
    throw new OAuthError('invalid_client', 'The document of this client does not carry its own address as client_id.')
  const { redirect_uris, client_name, token_endpoint_auth_method: method = 'none' } = document
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || !redirect_uris.every(isRedirectUri))
    throw new OAuthError('invalid_client', 'The document of this client has no redirect_uris that can be used.')
  if (method !== 'none')
    throw new OAuthError(
      'invalid_client',
      'Clients here are public: the document must have token_endpoint_auth_method none.',
    )
  return { id, name: cleanClientName(client_name, new URL(id).host), redirect_uris, verifiedHost: new URL(id).host }
}
