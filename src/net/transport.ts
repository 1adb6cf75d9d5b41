import { isIP } from 'node:net'
import { UpstreamError } from '../model/error.ts'
import type { AddressGuard } from './address-guard.ts'
import { cancelBody } from './body.ts'
import type { Call } from './call.ts'
import { acceptEncodingFor } from './content-encoding.ts'
import { toUpstreamError } from './upstream-errors.ts'
import { hostAbortError, abortableForHost } from './host-abort.ts'
import type { Mirror } from './mirror.ts'
import { isRedirect, nextHop, type Hop } from './redirect.ts'

/** What the wire is laid with. `isAllowed`: the hosts a redirect may lead to; `isOwn`: hosts of the operator, which may be private and without TLS; `guard` is null behind a mirror. */
export type TransportOptions = {
  mirror: Mirror
  userAgent: string
  isAllowedHost: (host: string) => boolean
  isOperatorHost: (host: string) => boolean
  guard: AddressGuard | null
}

/** Sends one call and follows its redirects by hand: every address is judged before it is asked. The body is still to be read, and to be decompressed. */
export type Transport = (call: Call, signal: AbortSignal) => Promise<Response>

/** Every step of a call goes to an address that was judged. */
export function createTransport({
  mirror,
  userAgent,
  isAllowedHost,
  isOperatorHost,
  guard,
}: TransportOptions): Transport {
  return async (call, signal) => {
    const firstUrl = new URL(call.url)
    let hop: Hop = { url: firstUrl, method: call.method ?? 'GET', body: call.body ?? null, headers: call.headers ?? {} }
    for (let hops = 0; ; hops++) {
      const response = await fetchHop(hop, await resolveConnectAddress(hop.url, firstUrl, signal), signal)
      if (!isRedirect(response.status) || call.acceptedStatuses?.includes(response.status)) return response
      cancelBody(response.body)
      hop = nextHop(hop, hops, response.status, redirectTargetOf(response, hop.url))
    }
  }

  /** The address to connect to, where it is not for the name to say: whoever chose a host that is none of the catalog's may let its name stand for another address a moment later. */
  async function resolveConnectAddress(url: URL, firstUrl: URL, signal: AbortSignal): Promise<string | null> {
    const allowsHttp = guard === null || isOperatorHost(url.host)
    if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:')) {
      throw new UpstreamError(
        'bad_redirect',
        `${firstUrl.host} leads to an address of the kind ${url.protocol} where https: was expected.`,
      )
    }
    if (url.host !== firstUrl.host && !isAllowedHost(url.host))
      throw new UpstreamError(
        'bad_redirect',
        `${firstUrl.host} redirects to ${url.host}, which is no host of the catalog.`,
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
      // Bun decompresses without a limit: body.ts does it within the cap.
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

/** The same address with the name put in figures: the name itself goes into the header and the handshake. */
function urlAtAddress(url: URL, address: string): URL {
  const result = new URL(url)
  result.hostname = address.includes(':') ? `[${address}]` : address
  return result
}
