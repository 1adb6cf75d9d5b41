import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { UpstreamError } from '../model/error.ts'
import { toUpstreamError } from './upstream-errors.ts'
import { abortableForHost } from './host-abort.ts'
import { createHostMap } from './host-map.ts'

const resolutionTtl_ms = 60_000

/**
 * Returns the address to connect to. Throws `bad_redirect` if the host is, or resolves to, an address outside the
 * public Internet.
 */
export type AddressGuard = (hostname: string, signal: AbortSignal) => Promise<string>

/** Returns all addresses of a host name. */
export type ResolveHostname = (hostname: string) => Promise<string[]>

/** Resolves a host name with the resolver of the operating system. */
export const resolveByDns: ResolveHostname = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

/** Creates a guard that caches each resolution for one minute. */
export function createAddressGuard(resolveHostname: ResolveHostname, monotonic_ms: () => number): AddressGuard {
  const resolutions = createHostMap((hostname) => ({
    expiresAt_ms: monotonic_ms() + resolutionTtl_ms,
    addresses: resolveUncached(hostname),
  }))
  return async (hostname, signal) => {
    const resolution = resolutions.find(hostname)
    if (resolution && resolution.expiresAt_ms <= monotonic_ms()) resolutions.forget(hostname)
    const addresses = await resolveCached(hostname, signal)
    // IPv4 is preferred because every network supports it.
    const preferred = addresses.find((address) => isIP(address) === 4) ?? addresses[0]
    if (preferred === undefined || !addresses.every(isPublicAddress))
      throw new UpstreamError(
        'bad_redirect',
        `${hostname} resolves to an address outside the public Internet. The request was not sent.`,
      )
    return preferred
  }

  async function resolveCached(hostname: string, signal: AbortSignal): Promise<string[]> {
    try {
      return await abortableForHost(resolutions.getOrCreate(hostname).addresses, signal, hostname)
    } catch (error) {
      resolutions.forget(hostname)
      throw toUpstreamError(error, hostname, signal)
    }
  }

  async function resolveUncached(hostname: string): Promise<string[]> {
    const literal = hostname.replace(/^\[(.*)\]$/, '$1')
    return isIP(literal) ? [literal] : resolveHostname(hostname)
  }
}

/** Whether an IPv4 or IPv6 address is on the public Internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  return family === 4 ? !blockList4.check(address, 'ipv4') : family === 6 && !blockList6.check(address, 'ipv6')
}

/**
 * From the IANA special-purpose registry: this host, private, carrier-grade NAT, loopback, link-local, documentation,
 * benchmarking, multicast, reserved. /
 */
const nonPublicRanges4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
/**
 * Unspecified, loopback and deprecated IPv4-compatible, IPv4-mapped, local NAT64, discard-only, Teredo and the rest of
 * 2001::/23, documentation, 6to4, unique local, link-local, site-local, multicast. /
 */
const nonPublicRanges6 = [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

/** Two lists: in a single list, the rule for IPv4-mapped addresses would match every IPv4 address. */
const blockList4 = new BlockList()
const blockList6 = new BlockList()
for (const [network, prefixLength] of nonPublicRanges6) blockList6.addSubnet(network, prefixLength, 'ipv6')
for (const [network, prefixLength] of nonPublicRanges4) {
  blockList4.addSubnet(network, prefixLength, 'ipv4')
  // NAT64 gateways map IPv4 addresses to this prefix for IPv6-only networks.
  blockList6.addSubnet(`64:ff9b::${network}`, 96 + prefixLength, 'ipv6')
}
