import { isIP } from 'node:net'
import { isLoopback } from '../../config.ts'
import type { AddressRanges } from '../../net/address-ranges.ts'
import { ApiError } from '../../model/error.ts'

/**
 * Returns the client address, which is the key of rate limits. Behind trusted proxies it is the rightmost
 * X-Forwarded-For entry that is not a trusted proxy. Entries left of it are under the client's control.
 */
export function clientAddress(
  request: Request,
  server: { requestIP(request: Request): { address: string } | null } | null,
  isProxy: AddressRanges,
): string {
  let address = normalizeAddress(server?.requestIP(request)?.address ?? 'unknown')
  const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map((hop) => normalizeAddress(hop.trim()))
  for (const hop of hops.toReversed()) {
    if (!isProxy(address) || isIP(hop) === 0) return address
    address = hop
  }
  return address
}

/** The headers that proxies add to a request. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** Whether a program on this machine sent the request, and no proxy forwarded it. */
export function isFromThisMachine({ headers }: Request, peer: { address: string } | null): boolean {
  const [host = ''] = /^(?:\[[^\]]*\]|[^:]*)/.exec(headers.get('host') ?? '') ?? []
  return (
    isLoopback(normalizeAddress(peer?.address ?? '')) &&
    isLoopback(host.replace(/^\[(.*)\]$/, '$1').toLowerCase()) &&
    !proxyHeaders.some((name) => headers.has(name))
  )
}

/** Removes a port, and the ::ffff: prefix of an IPv4 address on an IPv6 socket. */
function normalizeAddress(address: string): string {
  const unwrapped = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  return unwrapped.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase()
}

/** The hosts of this server, and the origins of FIELDSTONE_CORS_ORIGINS. */
type AllowedPages = { hosts: ReadonlySet<string>; origins: readonly string[] }

/**
 * Rejects requests from pages of other hosts. This stops DNS rebinding, where a page points its own name at this
 * machine. Requests without an Origin do not come from a page.
 */
export function requireAllowedOrigin({ headers }: Request, { hosts, origins }: AllowedPages): void {
  const origin = headers.get('origin')
  if (origin === null || origins.includes('*') || origins.includes(origin)) return
  if (!hosts.has(URL.parse(origin)?.hostname ?? ''))
    throw new ApiError(
      'origin_not_allowed',
      `The origin ${JSON.stringify(origin.slice(0, 100))} is not allowed. To allow its pages, add it to FIELDSTONE_CORS_ORIGINS.`,
    )
}

/** Rejects requests that do not come from a page of this server, including its port. */
export function requireSameOrigin({ headers }: Request, base_url: string): void {
  const origin = URL.parse(headers.get('origin') ?? '')
  const isSame =
    origin !== null &&
    (origin.origin === new URL(base_url).origin || origin.host === headers.get('host')?.toLowerCase())
  if (!isSame)
    throw new ApiError(
      'origin_not_allowed',
      'The Origin header is missing or names another server. Send the request from a page of this server.',
    )
}
