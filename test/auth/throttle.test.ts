import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { createSharedThrottle, createThrottle } from '../../src/auth/throttle.ts'
import { secureRandomBytes } from '../../src/auth/token.ts'
import { createUserManager } from '../../src/auth/users.ts'
import { clientNetworksOf } from '../../src/net/client-network.ts'
import type { LimitStore } from '../../src/store/accounts/limits.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hour_ms = 3_600_000

function opened() {
  const clock = { time: Date.UTC(2026, 10, 21, 12) }
  return { clock, attempts: createThrottle({ limit: 2, window_ms: hour_ms, now: () => new Date(clock.time) }) }
}

test('a key has a limited number of attempts, and all of them again when the window of the first has ended', () => {
  const { clock, attempts } = opened()
  const tried = () => {
    attempts.record('a')
    return attempts.allows('a')
  }
  expect([attempts.allows('a'), tried(), tried(), attempts.allows('b')]).toEqual([true, true, false, true])
  expect(attempts.retryAfter_s('a')).toBe(3600)
  clock.time += hour_ms
  expect([attempts.allows('a'), attempts.retryAfter_s('a')]).toEqual([true, 1])
})

test('a clock that was set back does not extend a window', () => {
  const { clock, attempts } = opened()
  attempts.record('a')
  attempts.record('a')
  clock.time -= 24 * hour_ms
  expect([attempts.allows('a'), attempts.retryAfter_s('a')]).toEqual([true, 1])
})

test('ten thousand more keys evict only the oldest key', () => {
  const { attempts } = opened()
  for (const name of ['oldest', 'next']) for (let i = 0; i < 2; i++) attempts.record(name)
  for (let i = 0; i < 9_999; i++) attempts.record(`name ${i}`)
  expect([attempts.allows('oldest'), attempts.allows('next')]).toEqual([true, false])
})

describe('an address', () => {
  const addressesOf = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i))

  test('of IPv6 counts with all others of its /64 network, however it is written', () => {
    const { attempts } = opened()
    attempts.record('2001:db8:0:1::1')
    attempts.record('2001:DB8:0:1:ffff:ffff:ffff:ffff')
    expect(['2001:db8:0:1::2', '2001:0db8:0000:0001::', '2001:db8:0:2::1'].map(attempts.allows)).toEqual([
      false,
      false,
      true,
    ])
    expect(attempts.retryAfter_s('2001:db8:0:1::9')).toBe(3600)
  })

  test('of IPv6 counts with all others of its /48 network, at four times the limit', () => {
    const { clock, attempts } = opened()
    for (const address of addressesOf(7, (i) => `2001:db8:5:${i}::1`)) attempts.record(address)
    expect(attempts.allows('2001:db8:5:99::1')).toBe(true)
    attempts.record('2001:db8:5:99::1')
    expect([attempts.allows('2001:db8:5:aa::1'), attempts.allows('2001:db8:6::1')]).toEqual([false, true])
    expect(attempts.retryAfter_s('2001:db8:5:aa::1')).toBe(3600)
    clock.time += hour_ms
    expect(attempts.allows('2001:db8:5:aa::1')).toBe(true)
  })

  test('of IPv4 counts alone, also when it is written as IPv6', () => {
    const { attempts } = opened()
    attempts.record('203.0.113.7')
    attempts.record('::ffff:203.0.113.7')
    expect(['203.0.113.7', '::ffff:cb00:7107', '203.0.113.8', '::ffff:203.0.113.8'].map(attempts.allows)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })
})

test.each([
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['::', '0:0:0:0::/64', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
  ['2001:db8::', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64', '1:2:3::/48'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64', '64:ff9b:0::/48'],
  ['192.0.2.1', '192.0.2.1', null],
])('%s belongs to the networks %s and %s', (address, own, site) => {
  expect(clientNetworksOf(address)).toEqual({ own, site })
})

test.each(['', 'unknown', 'name ::1', '1.2.3', '2001:db8'])('%j is not an address', (text) => {
  expect(clientNetworksOf(text)).toBeNull()
})

describe('a throttle that servers share', () => {
  function openServers(servers: number) {
    const folder = temporaryFolder()
    const { limits } = createSqliteStore(openState(folder))
    rmSync(folder, { recursive: true })
    const clock = { time: Date.UTC(2026, 10, 21, 12, 10) }
    const options = { limit: 2, window_ms: hour_ms, now: () => new Date(clock.time) }
    return { clock, throttles: Array.from({ length: servers }, () => createSharedThrottle(limits, options)) }
  }

  test('counts the attempts of all servers before they are made', async () => {
    const { clock, throttles } = openServers(4)
    const attempts = await Promise.all(throttles.map((it) => it.begin(['a'])))
    expect(attempts.filter((it) => 'succeed' in it)).toHaveLength(2)
    expect(attempts.find((it) => 'retryAfter_s' in it)).toEqual({ retryAfter_s: 3000 })
    expect(await throttles[0]!.begin(['b'])).toHaveProperty('succeed')
    clock.time += hour_ms
    expect(await throttles[0]!.begin(['a'])).toHaveProperty('succeed')
  })

  test('gives the first key of a successful attempt all of its attempts again, and the others this one', async () => {
    const [first, second] = openServers(2).throttles
    const begin = async (throttle = first!) => {
      const attempt = await throttle.begin(['name', 'address'])
      return 'succeed' in attempt ? attempt : null
    }
    expect(await begin()).not.toBeNull()
    await (await begin(second))!.succeed()
    expect([await begin(), await begin()].map((it) => it !== null)).toEqual([true, false])
  })

  test('gives no more attempts than the limit after several that succeeded at the same time', async () => {
    const [throttle] = openServers(1).throttles
    const begin = async () => {
      const attempt = await throttle!.begin(['name'])
      return 'succeed' in attempt ? attempt : null
    }
    for (const attempt of await Promise.all([begin(), begin()])) await attempt!.succeed()
    expect([await begin(), await begin(), await begin()].map((it) => it !== null)).toEqual([true, true, false])
  })

  test('counts nothing for an attempt that a later key has not left, and counts a /48 network of IPv6', async () => {
    const { throttles } = openServers(1)
    const begin = async (...keys: string[]) => 'succeed' in (await throttles[0]!.begin(keys))
    expect([await begin('a'), await begin('a'), await begin('b', 'a'), await begin('b'), await begin('b')]).toEqual([
      true,
      true,
      false,
      true,
      true,
    ])
    const networks = Array.from({ length: 9 }, (_, i) => begin(`2001:db8:1:${i}::1`))
    expect((await Promise.all(networks)).filter(Boolean)).toHaveLength(8)
  })

  test('does not count a sign-in that was rejected before its password was checked', async () => {
    const folder = temporaryFolder()
    const { limits, people: store } = createSqliteStore(openState(folder))
    rmSync(folder, { recursive: true })
    let counted = 0
    const sharedLimits: LimitStore = {
      ...limits,
      async allocate(request) {
        const allocated = await limits.allocate(request)
        counted += allocated.granted
        return allocated
      },
      addQuota(rows) {
        for (const { units } of rows) counted += units
        return limits.addQuota(rows)
      },
    }
    const now = () => new Date(Date.UTC(2026, 10, 21, 12, 10))
    const accounts = {} as Parameters<typeof createUserManager>[0]['accounts']
    const users = createUserManager({ store, sharedLimits, accounts, now, randomBytes: secureRandomBytes })
    const password = 'correct horse battery staple'
    await users.acceptInvitation((await users.invite('ann', ['fetch']))!, password)
    const signIn = (address: string) => users.signIn('ann', 'wrong password', address)
    const results = await Promise.allSettled(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(signIn))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    // Each of the two failures counts for the name and for its address.
    expect(counted).toBe(4)
  })
})
