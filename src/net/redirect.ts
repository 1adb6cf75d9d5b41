import { UpstreamError } from '../model/error.ts'

/** One request in a chain of redirects. `url` is the publisher's URL. */
export type Hop = { url: URL; method: 'GET' | 'POST'; body: string | null; headers: Record<string, string> }

const hopsMax = 3
const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Headers that may be sent to another host. Any other header may contain a key. */
const crossHostHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'range',
])

/** Whether a status is a redirect. */
export function isRedirect(status: number): boolean {
  return statuses.has(status)
}

/** Returns the request that follows a redirect. Throws `bad_redirect` after too many redirects, or without a target. */
export function nextHop(hop: Hop, hops: number, status: number, target: URL | null): Hop {
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
