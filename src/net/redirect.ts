import { UpstreamError } from '../model/error.ts'

/** One step of a call: an address in the publisher's terms, and what is sent there. */
export type Hop = { url: URL; method: 'GET' | 'POST'; body: string | null; headers: Record<string, string> }

const hopsMax = 3
const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** What another host may be told of the headers of a call: all others may hold a key. */
const crossHostHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'range',
])

/** Whether a status sends the caller elsewhere. */
export function isRedirect(status: number): boolean {
  return statuses.has(status)
}

/** The step after one that was redirected. Throws `bad_redirect` when it was one too many, or there is no address. */
export function nextHop(hop: Hop, hops: number, status: number, target: URL | null): Hop {
  if (target === null)
    throw new UpstreamError('bad_redirect', `${hop.url.host} answered ${status} without an address to go to.`)
  if (hops >= hopsMax) throw new UpstreamError('bad_redirect', `${hop.url.host} redirects more than ${hopsMax} times.`)
  const isSameHost = target.host === hop.url.host
  const headers = isSameHost
    ? hop.headers
    : Object.fromEntries(Object.entries(hop.headers).filter(([name]) => crossHostHeaders.has(name.toLowerCase())))
  const staysPost = hop.method === 'POST' && status >= 307
  return { url: target, method: staysPost ? 'POST' : 'GET', body: staysPost ? hop.body : null, headers }
}
