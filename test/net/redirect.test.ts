import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { respondWith, openFaultServer, type RespondRaw } from './fault-server.ts'
import { settledResult, noTimeout, openTestClient } from './test-client.ts'

const to = (location: string, status = 302) => respondWith('', status, { Location: location })
const echoRequest: RespondRaw = (socket, request) => respondWith(request)(socket, request)

const rejectedTargets: Record<string, RespondRaw> = {
  'in a loop': to('/circle'),
  'to a file': to('file:///etc/passwd'),
  'to data': to('data:text/plain,hello'),
  'to another host': to('https://elsewhere.com/said'),
  'to a private address': to('http://10.0.0.1/said'),
  'to this machine': to('https://127.0.0.1/said'),
  'to the metadata service of a cloud': to('http://169.254.169.254/latest/meta-data/'),
  'to a name that starts like an allowed one': to('https://allowed.gov.evil.com/said'),
  'to an allowed host behind a user name': to('https://allowed.gov@evil.com/said'),
  nowhere: respondWith('', 302),
  'to an invalid URL': to('https://exa mple/'),
}
const rows: Record<string, RespondRaw> = {
  ...Object.fromEntries(Object.entries(rejectedTargets).map(([name, row]) => [name.replaceAll(' ', '-'), row])),
  circle: to('/circle'),
  said: echoRequest,
  one: to('said?q=1'),
  two: to('one'),
  three: to('two'),
  four: to('three'),
  absolute: to('https://a.gov/said'),
  root: to('/said'),
  allowed: to('https://allowed.gov/said', 307),
  'see-other': to('/said', 303),
  keeps: to('/said', 308),
}
const server = openFaultServer(rows)
beforeAll(() => {
  rows.mirrored = to(`${server.mirror}/allowed.gov/said`)
  rows['mirrored-root'] = to('/allowed.gov/said')
  rows['mirrored-elsewhere'] = to(`${server.mirror}/elsewhere.com/said`)
})
afterAll(() => server.close())

const net = () => openTestClient({ mirror: server.mirror }).net
const ask = (path: string, more = {}) => net().fetchText({ url: `https://a.gov/${path}`, ...more }, noTimeout)
const requestedPath = async (path: string) => (await ask(path)).split(' ')[1]

describe('a redirect is bad_redirect, and no other host is called, when it leads', () => {
  for (const name of Object.keys(rejectedTargets)) {
    test(name, async () => {
      const before = server.requestPaths.length
      expect(await settledResult(ask(name.replaceAll(' ', '-')))).toBe('bad_redirect')
      expect(server.requestPaths.slice(before).every((path) => path.startsWith('/a.gov/'))).toBe(true)
    })
  }

  test('through the mirror to a host outside the catalog', async () =>
    expect(await settledResult(ask('mirrored-elsewhere'))).toBe('bad_redirect'))
  test('through more than three hops', async () => {
    expect(await requestedPath('three')).toBe('/a.gov/said?q=1')
    expect(await settledResult(ask('four'))).toBe('bad_redirect')
  })
})

test('redirects within a host and to hosts of the catalog are followed, with publisher and mirror URLs', async () => {
  expect(await requestedPath('one')).toBe('/a.gov/said?q=1')
  expect(await requestedPath('absolute')).toBe('/a.gov/said')
  expect(await requestedPath('root')).toBe('/a.gov/said')
  expect(await requestedPath('allowed')).toBe('/allowed.gov/said')
  expect(await requestedPath('mirrored')).toBe('/allowed.gov/said')
  expect(await requestedPath('mirrored-root')).toBe('/allowed.gov/said')
})

test('an accepted redirect status is returned', async () => {
  const reply = await net().send({ url: 'https://a.gov/to-another-host', acceptedStatuses: [302] }, noTimeout)
  expect([reply.status, reply.headers.get('location')]).toEqual([302, 'https://elsewhere.com/said'])
})

test('a key in a header is not sent to another host, and a range is', async () => {
  const headers = { 'X-App-Token': 'sesame', Range: 'bytes=0-9', Authorization: 'Bearer sesame' }
  const there = (await ask('allowed', { headers })).toLowerCase()
  expect(there).toContain('range: bytes=0-9')
  expect(there).not.toContain('sesame')
  expect((await ask('root', { headers })).toLowerCase()).toContain('x-app-token: sesame')
})

test('a POST stays a POST after 307 and 308, and becomes a GET without a body after 301 to 303', async () => {
  const post = { method: 'POST', body: 'query=1' }
  expect(await ask('keeps', post)).toMatch(/^POST [^]*query=1$/)
  expect(await ask('see-other', post)).toMatch(/^GET [^]*\r\n\r\n$/)
  expect(await ask('root', post)).toMatch(/^GET [^]*\r\n\r\n$/)
})
