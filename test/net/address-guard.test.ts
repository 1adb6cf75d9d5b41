import { describe, expect, test } from 'bun:test'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { isPublicAddress, createAddressGuard } from '../../src/net/address-guard.ts'
import { noMirror } from '../../src/net/mirror.ts'
import { createTransport } from '../../src/net/transport.ts'
import { respondWith, openFaultServer } from './fault-server.ts'
import { settledResult, createManualClock, noTimeout, openTestClient } from './test-client.ts'

const notPublic = [
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
const ofThePublic = [
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  '64:ff9b::8.8.8.8',
]

test('addresses that are private, of this machine or network, or for no single host are not public', () => {
  expect(notPublic.filter(isPublicAddress)).toEqual([])
  expect(ofThePublic.filter((address) => !isPublicAddress(address))).toEqual([])
})

describe('without a mirror,', () => {
  const urls = [
    'https://127.0.0.1/',
    'https://localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest',
    'http://a.gov/',
    'ftp://a.gov/',
    'file:///etc/passwd',
    'data:text/plain,hello',
  ]
  for (const url of urls) {
    test(`${url} is not asked`, async () =>
      expect(await settledResult(openTestClient({ mirror: null }).net.send({ url }, noTimeout))).toBe('bad_redirect'))
  }

  test('a name that stands for one private address among public ones is not asked', async () => {
    const { net } = openTestClient({ mirror: null, resolveHostname: async () => ['8.8.8.8', '10.0.0.1'] })
    expect(await settledResult(net.send({ url: 'https://a.gov/' }, noTimeout))).toBe('bad_redirect')
  })

  test('a host that the operator has named himself may be private and without TLS, and may not redirect to others that are', async () => {
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

describe('a name is looked up', () => {
  const looking = (answers: (string[] | Error)[]) => {
    const { clock, advance } = createManualClock()
    const asked: string[] = []
    const guard = createAddressGuard(async (hostname) => {
      asked.push(hostname)
      const said = answers.shift() ?? ['8.8.8.8']
      if (said instanceof Error) throw said
      return said
    }, clock.monotonic_ms)
    return { asked, pass: advance, check: () => settledResult(guard('a.gov', noTimeout.signal)) }
  }

  test('once in a minute, however many ask', async () => {
    const { asked, pass, check } = looking([])
    await Promise.all([check(), check(), check()])
    pass(59)
    await check()
    expect(asked).toHaveLength(1)
    pass(1)
    await check()
    expect(asked).toHaveLength(2)
  })

  test('again when it has become another', async () => {
    const { pass, check } = looking([['8.8.8.8'], ['192.168.0.1']])
    expect(await check()).toEqual({ gave: '8.8.8.8' })
    pass(60)
    expect(await check()).toBe('bad_redirect')
  })

  test('again at once when that failed', async () => {
    const { check } = looking([Object.assign(new Error('getaddrinfo ESERVFAIL'), { code: 'ESERVFAIL' })])
    expect(await check()).toBe('connection_failed, retryable')
    expect(await check()).toEqual({ gave: '8.8.8.8' })
  })

  test('and of its addresses the one to connect to is of IPv4, where there is one', async () => {
    const { pass, check } = looking([['2606:4700::1111', '8.8.8.8'], ['2606:4700::1111'], []])
    expect(await check()).toEqual({ gave: '8.8.8.8' })
    pass(60)
    expect(await check()).toEqual({ gave: '2606:4700::1111' })
    pass(60)
    expect(await check()).toBe('bad_redirect')
  })

  test('no longer than there is time', async () => {
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

describe("a host that is none of the catalog's", () => {
  /** A server of TLS on this machine that nobody vouches for; it notes the names it is greeted by. */
  async function greeted() {
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
  const wire = (isAllowed: boolean, address: string) =>
    createTransport({
      mirror: noMirror,
      userAgent: 'test',
      isAllowedHost: () => isAllowed,
      isOperatorHost: () => false,
      guard: async () => address,
    })

  test('is asked at the very address that was judged, by its name, whatever the name stands for by then', async () => {
    const { names, port, close } = await greeted()
    expect(
      await settledResult(wire(false, '127.0.0.1')({ url: `https://client.example:${port}/c` }, noTimeout.signal)),
    ).toBe('connection_failed, retryable')
    expect(names).toEqual(['client.example'])
    close()
  })

  test("and one of the catalog's as the network finds it, so that connections are shared", async () => {
    const { names, port, close } = await greeted()
    await settledResult(wire(true, '127.0.0.9')({ url: `https://localhost:${port}/c` }, noTimeout.signal))
    expect(names).toEqual(['localhost'])
    close()
  })
})
