import { describe, expect, test } from 'bun:test'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { isPublicAddress, createAddressGuard } from '../../src/net/address-guard.ts'
import { noMirror } from '../../src/net/mirror.ts'
import { createTransport } from '../../src/net/transport.ts'
import { respondWith, openFaultServer } from './fault-server.ts'
import { settledResult, createManualClock, noTimeout, openTestClient } from './test-client.ts'
import { words } from '../support/words.ts'

const nonPublicAddresses = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::10.0.0.1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'febf::1',
  'ff02::1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2001:db8::1',
  '2002:a00:1::',
  '2001::1',
  'no address',
  '',
]
const publicAddresses = words`
  8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 128.0.0.1 172.15.255.255 172.32.0.0 192.167.255.255
  223.255.255.255 2606:4700::1111 2a00:1450::1 64:ff9b::8.8.8.8
`

test('private, local, multicast and reserved addresses are not public', () => {
  expect(nonPublicAddresses.filter(isPublicAddress)).toEqual([])
  expect(publicAddresses.filter((address) => !isPublicAddress(address))).toEqual([])
})

describe('without a mirror,', () => {
  const urls = words`
    https://127.0.0.1/ https://localhost/ https://2130706433/ https://0x7f.1/ https://[::1]/ https://[::ffff:7f00:1]/
    https://169.254.169.254/latest http://a.gov/ ftp://a.gov/ file:///etc/passwd data:text/plain,hello
  `
  for (const url of urls) {
    test(`${url} is not requested`, async () =>
      expect(await settledResult(openTestClient({ mirror: null }).net.send({ url }, noTimeout))).toBe('bad_redirect'))
  }

  test('a name with one private address among public ones is not requested', async () => {
    const { net } = openTestClient({ mirror: null, resolveHostname: async () => ['8.8.8.8', '10.0.0.1'] })
    expect(await settledResult(net.send({ url: 'https://a.gov/' }, noTimeout))).toBe('bad_redirect')
  })

  test('a configured host may be private and use HTTP, and may not redirect to other private hosts', async () => {
    const own = openFaultServer({
      interpreter: respondWith('{"elements":[]}'),
      away: respondWith('', 302, { Location: 'http://127.0.0.1:1/' }),
    })
    const host = `127.0.0.1:${own.port}`
    const { net } = openTestClient({
      mirror: null,
      operatorHosts: new Set([host]),
      catalogHosts: new Set(['127.0.0.1:1']),
    })
    expect(await net.fetchJson({ url: `http://${host}/api/interpreter` }, noTimeout)).toEqual({ elements: [] })
    expect(await settledResult(net.fetchJson({ url: `http://${host}/api/away` }, noTimeout))).toBe('bad_redirect')
    own.close()
  })
})

describe('a host name is resolved', () => {
  const openGuard = (answers: (string[] | Error)[]) => {
    const { clock, advance } = createManualClock()
    const resolved: string[] = []
    const guard = createAddressGuard(async (hostname) => {
      resolved.push(hostname)
      const answer = answers.shift() ?? ['8.8.8.8']
      if (answer instanceof Error) throw answer
      return answer
    }, clock.monotonic_ms)
    return { resolved, advance, check: () => settledResult(guard('a.gov', noTimeout.signal)) }
  }

  test('once per minute, however many calls', async () => {
    const { resolved, advance, check } = openGuard([])
    await Promise.all([check(), check(), check()])
    advance(59)
    await check()
    expect(resolved).toHaveLength(1)
    advance(1)
    await check()
    expect(resolved).toHaveLength(2)
  })

  test('again after a minute, when it may have changed', async () => {
    const { advance, check } = openGuard([['8.8.8.8'], ['192.168.0.1']])
    expect(await check()).toEqual({ result: '8.8.8.8' })
    advance(60)
    expect(await check()).toBe('bad_redirect')
  })

  test('again immediately after a failure', async () => {
    const { check } = openGuard([Object.assign(new Error('getaddrinfo ESERVFAIL'), { code: 'ESERVFAIL' })])
    expect(await check()).toBe('connection_failed, retryable')
    expect(await check()).toEqual({ result: '8.8.8.8' })
  })

  test('to an IPv4 address if there is one', async () => {
    const { advance, check } = openGuard([['2606:4700::1111', '8.8.8.8'], ['2606:4700::1111'], []])
    expect(await check()).toEqual({ result: '8.8.8.8' })
    advance(60)
    expect(await check()).toEqual({ result: '2606:4700::1111' })
    advance(60)
    expect(await check()).toBe('bad_redirect')
  })

  test('only until the timeout', async () => {
    const guard = createAddressGuard(
      () => new Promise(() => {}),
      () => 0,
    )
    const time = new AbortController()
    const check = settledResult(guard('a.gov', time.signal))
    time.abort(new DOMException('', 'TimeoutError'))
    expect(await check).toBe('timeout, retryable')
  })
})

describe('a host outside the catalog', () => {
  /** A local TLS server without a certificate that records the server names of its clients. */
  async function openTlsServer() {
    const names: string[] = []
    const server = createServer({
      SNICallback: (name, done) => {
        names.push(name)
        done(new Error('no certificate'))
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { names, port: (server.address() as AddressInfo).port, close: () => server.close() }
  }
  const transportTo = (isAllowed: boolean, address: string) =>
    createTransport({
      mirror: noMirror,
      userAgent: 'test',
      isAllowedHost: () => isAllowed,
      isOperatorHost: () => false,
      guard: async () => address,
    })

  test('is connected to at the checked address, with its name, even if the name resolves differently by then', async () => {
    const { names, port, close } = await openTlsServer()
    expect(
      await settledResult(
        transportTo(false, '127.0.0.1')({ url: `https://client.example:${port}/c` }, noTimeout.signal),
      ),
    ).toBe('connection_failed, retryable')
    expect(names).toEqual(['client.example'])
    close()
  })

  test('and a host of the catalog by its name, so that connections are shared', async () => {
    const { names, port, close } = await openTlsServer()
    await settledResult(transportTo(true, '127.0.0.9')({ url: `https://localhost:${port}/c` }, noTimeout.signal))
    expect(names).toEqual(['localhost'])
    close()
  })
})
