import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { UpstreamError } from '../model/error.ts'
import { toUpstreamError } from './upstream-errors.ts'
import { abortableForHost } from './host-abort.ts'
import { createHostMap } from './host-map.ts'

const resolutionTtl_ms = 60_000

/** Refuses, with `bad_redirect`, a host that is or resolves to an address which is not of the public Internet; gives the one to connect to. */
export type AddressGuard = (hostname: string, signal: AbortSignal) => Promise<string>

/** All addresses of a name. */
export type ResolveHostname = (hostname: string) => Promise<string[]>

/** As the system looks names up. */
export const resolveByDns: ResolveHostname = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

/** Believes what a name stands for during a minute. */
export function createAddressGuard(resolveHostname: ResolveHostname, monotonic_ms: () => number): AddressGuard {
  const resolutions = createHostMap((hostname) => ({
    expiresAt_ms: monotonic_ms() + resolutionTtl_ms,
    addresses: resolveUncached(hostname),
  }))
  return async (hostname, signal) => {
    const resolution = resolutions.find(hostname)
    if (resolution && resolution.expiresAt_ms <= monotonic_ms()) resolutions.forget(hostname)
    const addresses = await resolveCached(hostname, signal)
    // Of both families the one that every network has.
    const preferred = addresses.find((address) => isIP(address) === 4) ?? addresses[0]
    if (preferred === undefined || !addresses.every(isPublicAddress))
      throw new UpstreamError(
        'bad_redirect',
        `${hostname} stands for an address that is not of the public Internet: it is not asked.`,
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

/** Whether an address, of IPv4 or IPv6, is of the public Internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  return family === 4 ? !blockList4.check(address, 'ipv4') : family === 6 && !blockList6.check(address, 'ipv6')
}

/** The special-purpose registries of IANA: this host, private, carrier-grade NAT, loopback, link-local, documentation, benchmarks, multicast, reserved. */
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
/** Unspecified, loopback and the outdated IPv4-compatible, mapped IPv4, local NAT64, discard, Teredo and its neighbours, documentation, 6to4, unique local, link-local, site-local, multicast. */
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

/** Two lists: in one, the rule for mapped addresses would hold for every address of IPv4. */
const blockList4 = new BlockList()
const blockList6 = new BlockList()
for (const [network, prefixLength] of nonPublicRanges6) blockList6.addSubnet(network, prefixLength, 'ipv6')
for (const [network, prefixLength] of nonPublicRanges4) {
  blockList4.addSubnet(network, prefixLength, 'ipv4')
  // A NAT64 gateway, the way out of networks that have IPv6 alone, reaches IPv4 through this prefix.
  blockList6.addSubnet(`64:ff9b::${network}`, 96 + prefixLength, 'ipv6')
}
