import { isIP } from 'node:net'
import { UpstreamError } from '../model/error.ts'
import type { AddressGuard } from './address-guard.ts'
import { cancelBody, acceptEncodingFor } from './body.ts'
import type { Call } from './call.ts'
import { toUpstreamError } from './upstream-errors.ts'
import { hostAbortError, abortableForHost } from './host-abort.ts'
import type { Mirror } from './mirror.ts'

/**
 * `isAllowedHost`: hosts of the catalog, the only ones that redirects may lead to. `isOperatorHost`: hosts that may
 * have private addresses and use plain HTTP. `guard` is null behind a mirror. /
 */
export type TransportOptions = {
  mirror: Mirror
  userAgent: string
  /** The mail address of the operator; null: none. */
  contact?: string | null
  isAllowedHost: (host: string) => boolean
  isOperatorHost: (host: string) => boolean
  guard: AddressGuard | null
}

/**
 * Sends a call and follows its redirects, checking every address first. The body of the response is unread and still
 * compressed.
 */
export type Transport = (call: Call, signal: AbortSignal) => Promise<Response>

/** Creates a transport that checks the address of every request. */
export function createTransport(options: TransportOptions): Transport {
  const { mirror, userAgent, isAllowedHost, isOperatorHost, guard } = options
  return async (call, signal) => {
    const firstUrl = new URL(call.url)
    let hop: Hop = {
      url: firstUrl,
      method: call.method ?? 'GET',
      body: call.body ?? null,
      headers: headersOf(call, options.contact),
    }
    for (let hops = 0; ; hops++) {
      const response = await fetchHop(hop, await resolveConnectAddress(hop.url, firstUrl, signal), signal)
      if (!redirectStatuses.has(response.status) || call.acceptedStatuses?.includes(response.status)) return response
      cancelBody(response.body)
      hop = nextHop(hop, hops, response.status, redirectTargetOf(response, hop.url))
    }
  }

  /**
   * The checked address to connect to; null to resolve the name again. A host outside the catalog is pinned to the
   * checked address, because its owner could change the DNS record after the check. /
   */
  async function resolveConnectAddress(url: URL, firstUrl: URL, signal: AbortSignal): Promise<string | null> {
    const allowsHttp = guard === null || isOperatorHost(url.host)
    if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:')) {
      throw new UpstreamError(
        'bad_redirect',
        `The request to ${firstUrl.host} uses the URL ${url.protocol}//${url.host}. Only https: is allowed.`,
      )
    }
    if (url.host !== firstUrl.host && !isAllowedHost(url.host))
      throw new UpstreamError(
        'bad_redirect',
        `${firstUrl.host} redirects to ${url.host}, which is not a host of the catalog.`,
      )
    if (!guard || isOperatorHost(url.host)) return null
    const address = await guard(url.hostname, signal)
    return isAllowedHost(url.host) ? null : address
  }

  async function fetchHop(
    { url, method, body, headers }: Hop,
    address: string | null,
    signal: AbortSignal,
  ): Promise<Response> {
    if (signal.aborted) throw hostAbortError(signal, url.host)
    try {
      // Bun decompresses without a limit, so body.ts decompresses within the cap.
      const init = {
        method,
        body,
        headers: { 'user-agent': userAgent, 'accept-encoding': acceptEncodingFor(headers), ...headers },
        redirect: 'manual',
        decompress: false,
        signal,
      } as const
      const needsServerName = address !== null && isIP(url.hostname.replace(/[[\]]/g, '')) === 0
      const pending = needsServerName
        ? fetch(urlAtAddress(url, address), {
            ...init,
            headers: { ...init.headers, host: url.host },
            tls: { serverName: url.hostname },
          })
        : fetch(mirror.rewrite(url), init)
      return await abortableForHost(pending, signal, url.host)
    } catch (error) {
      throw toUpstreamError(error, url.host, signal)
    }
  }

  function redirectTargetOf({ headers }: Response, requested: URL): URL | null {
    const location = headers.get('location')
    return location !== null && URL.canParse(location, requested.href)
      ? mirror.resolveLocation(location, requested)
      : null
  }
}

function headersOf({ headers = {}, withContact = false }: Call, contact: string | null = null): Record<string, string> {
  return withContact && contact !== null ? { ...headers, from: contact } : headers
}

/** The URL with its host name replaced by an IP address. The name goes into the Host header and the TLS handshake. */
function urlAtAddress(url: URL, address: string): URL {
  const result = new URL(url)
  result.hostname = address.includes(':') ? `[${address}]` : address
  return result
}

/** One request in a chain of redirects. `url` is the publisher's URL. */
type Hop = { url: URL; method: 'GET' | 'POST'; body: string | null; headers: Record<string, string> }

const hopsMax = 3
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Headers that may be sent to another host. Any other header may contain a key. */
const crossHostHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'range',
])

/** Returns the request that follows a redirect. Throws `bad_redirect` after too many redirects, or without a target. */
function nextHop(hop: Hop, hops: number, status: number, target: URL | null): Hop {
  if (target === null)
    throw new UpstreamError(
      'bad_redirect',
      `${hop.url.host} returned redirect status ${status} without a valid Location header.`,
    )
  if (hops >= hopsMax) throw new UpstreamError('bad_redirect', `${hop.url.host} redirects more than ${hopsMax} times.`)
  const isSameHost = target.host === hop.url.host
  const headers = isSameHost
    ? hop.headers
    : Object.fromEntries(Object.entries(hop.headers).filter(([name]) => crossHostHeaders.has(name.toLowerCase())))
  const staysPost = hop.method === 'POST' && status >= 307
  return { url: target, method: staysPost ? 'POST' : 'GET', body: staysPost ? hop.body : null, headers }
}
