import { isIP } from 'node:net'
import { UpstreamError } from '../model/error.ts'
import type { AddressGuard } from './address-guard.ts'
import { letGo } from './body.ts'
import type { Call } from './call.ts'
import { acceptEncodingFor } from './content-encoding.ts'
import { faultOf } from './fault.ts'
import { hostAbortError, abortableForHost } from './host-abort.ts'
import type { Mirror } from './mirror.ts'
import { isRedirect, nextHop, type Hop } from './redirect.ts'

/** What the wire is laid with. `isAllowed`: the hosts a redirect may lead to; `isOwn`: hosts of the operator, which may be private and without TLS; `guard` is null behind a mirror. */
export type Laying = { mirror: Mirror; userAgent: string; isAllowed: (host: string) => boolean; isOwn: (host: string) => boolean; guard: AddressGuard | null }

/** Sends one call and follows its redirects by hand: every address is judged before it is asked. The body is still to be read, and to be decompressed. */
export type Wire = (call: Call, signal: AbortSignal) => Promise<Response>

/** Every step of a call goes to an address that was judged. */
export function layWire({ mirror, userAgent, isAllowed, isOwn, guard }: Laying): Wire {
  return async (call, signal) => {
    const first = new URL(call.url)
    let hop: Hop = { url: first, method: call.method ?? 'GET', body: call.body ?? null, headers: call.headers ?? {} }
    for (let hops = 0; ; hops++) {
      const response = await asked(hop, await judge(hop.url, first, signal), signal)
      if (!isRedirect(response.status) || call.reads?.includes(response.status)) return response
      letGo(response.body)
      hop = nextHop(hop, hops, response.status, targetOf(response, hop.url))
    }
  }

  /** The address to connect to, where it is not for the name to say: whoever chose a host that is none of the catalog's may let its name stand for another address a moment later. */
  async function judge(url: URL, first: URL, signal: AbortSignal): Promise<string | null> {
    const mayBePlain = guard === null || isOwn(url.host)
    if (url.protocol !== 'https:' && !(mayBePlain && url.protocol === 'http:')) {
      throw new UpstreamError('bad_redirect', `${first.host} leads to an address of the kind ${url.protocol} where https: was expected.`)
    }
    if (url.host !== first.host && !isAllowed(url.host)) throw new UpstreamError('bad_redirect', `${first.host} redirects to ${url.host}, which is no host of the catalog.`)
    if (!guard || isOwn(url.host)) return null
    const address = await guard(url.hostname, signal)
    return isAllowed(url.host) ? null : address
  }

  async function asked({ url, method, body, headers }: Hop, address: string | null, signal: AbortSignal): Promise<Response> {
    if (signal.aborted) throw hostAbortError(signal, url.host)
    try {
      // Bun decompresses without a limit: body.ts does it within the cap.
      const init = { method, body, headers: { 'user-agent': userAgent, 'accept-encoding': acceptEncodingFor(headers), ...headers }, redirect: 'manual', decompress: false, signal } as const
      const isNamed = address !== null && isIP(url.hostname.replace(/[[\]]/g, '')) === 0
      const sent = isNamed ? fetch(connectedTo(url, address), { ...init, headers: { ...init.headers, host: url.host }, tls: { serverName: url.hostname } }) : fetch(mirror.to(url), init)
      return await abortableForHost(sent, signal, url.host)
    } catch (error) {
      throw faultOf(error, url.host, signal)
    }
  }

  function targetOf({ headers }: Response, asked: URL): URL | null {
    const location = headers.get('location')
    return location !== null && URL.canParse(location, asked.href) ? mirror.from(location, asked) : null
  }
}

/** The same address with the name put in figures: the name itself goes into the header and the handshake. */
function connectedTo(url: URL, address: string): URL {
  const to = new URL(url)
  to.hostname = address.includes(':') ? `[${address}]` : address
  return to
}
