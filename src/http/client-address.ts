import { isIP } from 'node:net'
import type { AddressRanges } from '../net/address-ranges.ts'

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

/** Removes a port, and the ::ffff: prefix of an IPv4 address on an IPv6 socket. */
function normalizeAddress(address: string): string {
  const unwrapped = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  return unwrapped.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase()
}
