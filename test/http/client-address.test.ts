import { describe, expect, test } from 'bun:test'
import { clientAddress, isFromThisMachine } from '../../src/http/request/client-address.ts'
import { parseAddressRanges } from '../../src/net/address-ranges.ts'
import { waitForAddress, createProcessGroup } from '../cli/process-group.ts'

const isProxy = parseAddressRanges('127.0.0.1,10.0.0.0/8,fd00::/8')!

/** Returns the client address of a request from `peer` with an X-Forwarded-For header. */
function counted(from: string | null, forwarded?: string): string {
  const request = new Request(
    'http://localhost',
    forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } },
  )
  return clientAddress(request, { requestIP: () => (from === null ? null : { address: from }) }, isProxy)
}

const cases: [says: string, from: string | null, forwarded: string | undefined, address: string][] = [
  ['who comes directly is whom the socket says, whatever they say', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a proxy that says nothing is counted itself', '10.0.0.1', undefined, '10.0.0.1'],
  ['behind a proxy it is whom the proxy saw', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['what a stranger wrote before that is not believed', '10.0.0.1', '1.2.3.4, 10.0.0.7, 203.0.113.9', '203.0.113.9'],
  ['behind two proxies it is whom the first saw', '10.0.0.1', '1.2.3.4, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['where all are proxies it is the first of them', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['what is no address ends it with the proxy that wrote it', '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
  ['an empty entry too', '10.0.0.1', '203.0.113.9, ,', '10.0.0.1'],
  ['a port beside it is not counted', '10.0.0.1', '203.0.113.9:50123', '203.0.113.9'],
  ['nor beside an address of IPv6', 'fd00::1', '[2001:db8::9]:443', '2001:db8::9'],
  ['a socket of IPv6 says an address of IPv4 in its own way', '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['and so may a proxy', '10.0.0.1', '::FFFF:203.0.113.9', '203.0.113.9'],
  ['capitals make no other address', 'fd00::1', '2001:DB8::9', '2001:db8::9'],
  ['without a socket it is unknown', null, '203.0.113.9', 'unknown'],
]
test.each(cases)('%s', (_says, from, forwarded, address) => expect(counted(from, forwarded)).toBe(address))

describe('the limit of ten client registrations per hour', () => {
  const { newData, start } = createProcessGroup()
  const registering = async (env: Record<string, string>) => {
    const address = await waitForAddress(start(['serve', '--data', newData()], env))
    const body = JSON.stringify({ client_name: 'x', redirect_uris: ['http://127.0.0.1:1/callback'] })
    return async (forwarded: string) =>
      (
        await fetch(`${address}/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
          body,
        })
      ).status
  }

  test('applies to each address behind a trusted proxy', async () => {
    const register = await registering({ FIELDSTONE_TRUSTED_PROXIES: '127.0.0.1' })
    for (let i = 0; i < 10; i++) expect(await register('203.0.113.1')).toBe(201)
    expect([await register('203.0.113.1'), await register('203.0.113.2')]).toEqual([429, 201])
  })

  test('applies to an untrusted proxy as a whole', async () => {
    const register = await registering({})
    for (let i = 0; i < 10; i++) expect(await register(`203.0.113.${i}`)).toBe(201)
    expect(await register('203.0.113.99')).toBe(429)
  })
})

describe('a request comes from this machine', () => {
  const isLocal = (peer: string, host: string, headers: Record<string, string> = {}) =>
    isFromThisMachine(new Request('http://localhost', { headers: { host, ...headers } }), { address: peer })

  test.each([
    ['127.0.0.1', '127.0.0.1:8080'],
    ['127.0.0.1', 'LOCALHOST:8080'],
    ['::ffff:127.0.0.1', 'localhost'],
    ['::1', '[::1]:8080'],
  ])('when it is sent by %s to %s', (peer, host) => expect(isLocal(peer, host)).toBe(true))

  test.each([
    ['192.0.2.7', 'localhost:8080', {}],
    ['::ffff:192.0.2.7', 'localhost', {}],
    ['127.0.0.1', 'fieldstone.example', {}],
    ['127.0.0.1', 'localhost', { 'x-forwarded-for': '127.0.0.1' }],
    ['127.0.0.1', 'localhost', { forwarded: 'for=192.0.2.7' }],
    ['127.0.0.1', 'localhost', { via: '1.1 proxy' }],
    ['127.0.0.1', 'localhost', { 'x-real-ip': '192.0.2.7' }],
  ])('but not when it is sent by %s to %s with %j', (peer, host, headers) => {
    expect(isLocal(peer, host, headers as Record<string, string>)).toBe(false)
  })
})
