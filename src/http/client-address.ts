import { isIP } from 'node:net'
import type { AddressRanges } from '../net/address-ranges.ts'

/**
 * Where a request comes from: what attempts are counted by. Behind proxies of the operator's own it is the address that the first of them saw: each writes
 * at the right of X-Forwarded-For whom it has the request from, and what stands left of a stranger is the stranger's word.
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

/** Some write the port too; and an address of IPv4 has a second form on a socket of IPv6. */
function normalizeAddress(address: string): string {
  const unwrapped = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  return unwrapped.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase()
}
