import { isIP } from 'node:net'
import { isLoopback } from '../../config.ts'
import type { AddressRanges } from '../../net/address-ranges.ts'

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
