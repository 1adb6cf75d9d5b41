import { isRecord } from '../model/record.ts'
import type { HttpClient } from '../net/http-client.ts'
import { openAttempts } from './attempts.ts'
import { nameOf, type Client } from './client.ts'
import { OAuthError } from './oauth-error.ts'
import { isRedirectUri } from './redirect-uri.ts'

const cap_bytes = 5 * 1024
const deadline_ms = 2000
const kept_ms = 5 * 60_000
const keptMax = 100
const redirects = [301, 302, 303, 307, 308] as const
/** Whoever names a client chooses what this server asks for: so often for each who does, and so many at once for all. */
const askedMax = 20
const askedWithin_ms = 10 * 60_000
const atOnceMax = 4

/** Clients that describe themselves at an address of their own, which is their name; `by`: who wants to know. Without a network there are none. */
export function openClientDocuments(net: HttpClient | null, now: () => Date): (id: string, by: string) => Promise<Client> {
  const kept = new Map<string, { client: Client; until: number }>()
  const asked = openAttempts({ most: askedMax, within_ms: askedWithin_ms, now })
  let under = 0
  return async (id, by) => {
    if (!net) throw new OAuthError('invalid_client', 'This server is without a network: it reads no document of a client. Register the client instead.')
    const known = kept.get(id)
    if (known && known.until > now().getTime()) return known.client
    if (under >= atOnceMax || !asked.has(by)) throw new OAuthError('temporarily_unavailable', 'Too many documents of clients are being read: try again in a few minutes.')
    asked.count(by)
    const client = clientIn(await read(id, net), id)
    if (kept.size >= keptMax) kept.clear()
    kept.set(id, { client, until: now().getTime() + kept_ms })
    return client
  }

  async function read(id: string, from: HttpClient): Promise<unknown> {
    under++
    try {
      return await documentAt(id, from)
    } finally {
      under--
    }
  }
}

/** Whether a client's name is an address of a document: https, with a path, and nothing that could be read in two ways. */
export function isDocumentUrl(id: string): boolean {
  const url = URL.parse(id)
  return url !== null && id.length <= 2000 && url.protocol === 'https:' && url.pathname !== '/' && url.hash === '' && !id.includes('#') && url.username === '' && url.password === '' && url.href === id
}

/** Asked once, at a public address, and not further when it says that it lies elsewhere. */
async function documentAt(id: string, net: HttpClient): Promise<unknown> {
  try {
    const { status, bytes } = await net.send({ url: id, cap_bytes, metered: true, acceptedStatuses: redirects, headers: { accept: 'application/json' } }, { signal: AbortSignal.timeout(deadline_ms) })
    if (status !== 200) throw new Error(`It answered ${status}.`)
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new OAuthError('invalid_client', 'The document of this client could not be read: it must be JSON of at most 5 kB at this very address.')
  }
}

function clientIn(document: unknown, id: string): Client {
  if (!isRecord(document) || document.client_id !== id) throw new OAuthError('invalid_client', 'The document of this client does not carry its own address as client_id.')
  const { redirect_uris, client_name, token_endpoint_auth_method: method = 'none' } = document
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || !redirect_uris.every(isRedirectUri)) throw new OAuthError('invalid_client', 'The document of this client has no redirect_uris that can be used.')
  if (method !== 'none') throw new OAuthError('invalid_client', 'Clients here are public: the document must have token_endpoint_auth_method none.')
  return { id, name: nameOf(client_name, new URL(id).host), redirect_uris, shownAs: new URL(id).host }
}
