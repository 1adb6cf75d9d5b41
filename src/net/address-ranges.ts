import { BlockList, isIP } from 'node:net'

/** Whether an IP address lies in one of some ranges. */
export type AddressRanges = (address: string) => boolean

/** The ranges that a text names, such as `10.0.0.0/8, ::1`; null when one of them is none, or is everybody. */
export function parseAddressRanges(text: string): AddressRanges | null {
  const list = new BlockList()
  for (const range of text
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '')) {
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
