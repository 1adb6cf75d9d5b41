import { expect, test } from 'bun:test'
import { parseAddressRanges } from '../../src/net/address-ranges.ts'

test('an address matches the given ranges and no others', () => {
  const ranges = parseAddressRanges('10.0.0.0/8, 192.168.1.1,fd00::/8 ,::1')!
  const within = ['10.0.0.0', '10.255.255.255', '192.168.1.1', 'fd12::1', '::1']
  const without = ['11.0.0.0', '192.168.1.2', 'fc00::1', '::2', '', 'unknown', '10.0.0', '10.0.0.1:80', '[::1]']
  expect(within.filter((address) => !ranges(address))).toEqual([])
  expect(without.filter(ranges)).toEqual([])
})

test('an empty list matches no address', () => expect(['127.0.0.1', '::1'].filter(parseAddressRanges('')!)).toEqual([]))

test.each([
  'x',
  '10.0.0.0/0',
  '::/0',
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '1.2.3',
  'localhost',
  '10.0.0.0 10.0.0.1',
  '10.0.0.0/8,x',
])('%s is not a valid range', (text) => expect(parseAddressRanges(text)).toBeNull())
