import { BlockList, isIP } from 'node:net'

/** Whether an IP address lies in any of the ranges. */
export type AddressRanges = (address: string) => boolean

/**
 * Parses comma-separated ranges such as `10.0.0.0/8, ::1`. Returns null if a range is invalid or matches every address.
 */
export function parseAddressRanges(text: string): AddressRanges | null {
  const list = new BlockList()
  for (const range of text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')) {
    const [, network = '', bits] = /^([\d.]+|[\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(range) ?? []
    const family = isIP(network)
    const length = bits === undefined ? bitsOf(family) : Number(bits)
    if (family === 0 || length < 1 || length > bitsOf(family)) return null
    list.addSubnet(network, length, familyName(family))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyName(isIP(address)))
}

function bitsOf(family: number): number {
  return family === 4 ? 32 : 128
}

function familyName(family: number): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6'
}
