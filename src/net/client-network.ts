import { isIP } from 'node:net'

/**
 * Returns the networks that an address counts for: its own, and the larger one of its site. A provider gives each
 * customer at least a /64 of IPv6 addresses and often a /48, so single addresses say nothing about who sends. The site
 * is null for IPv4. Returns null for a text that is not an IP address.
 */
export function clientNetworksOf(text: string): { own: string; site: string | null } | null {
  const address = text.split('%', 1)[0]!
  if (isIP(address) === 0) return null
  const groups = isIP(address) === 6 ? groupsOf(address) : []
  const mapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' ? ipv4Of(groups.slice(6)) : null
  if (groups.length === 0 || mapped !== null) return { own: mapped ?? address, site: null }
  return { own: `${groups.slice(0, 4).join(':')}::/64`, site: `${groups.slice(0, 3).join(':')}::/48` }
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser writes every form of an address in one way.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  return tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}

/** Returns an IPv4 address from the last two groups of an IPv4-mapped IPv6 address. */
function ipv4Of(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.')
}
