import { afterAll, expect, test } from 'bun:test'
import { createClientRegistry } from '../../src/auth/clients.ts'
import { OAuthError } from '../../src/auth/oauth-error.ts'
import { secureRandomBytes } from '../../src/auth/token.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createOAuthStore } from '../../src/store/sqlite/oauth.ts'
import { newFolder } from '../cli/fieldstone.ts'

const { folder, remove } = newFolder()
const db = openState(folder)
afterAll(() => {
  db.close()
  remove()
})

test('ten thousand registrations from different addresses leave a thousand clients, and a day later new ones can register', () => {
  const clock = { time: Date.parse('2026-11-21T00:00:00Z') }
  const store = createOAuthStore(db)
  const clients = createClientRegistry({
    store,
    documentClient: null,
    now: () => new Date(clock.time),
    randomBytes: secureRandomBytes,
  })
  const registered = (address: string) => {
    try {
      return clients.register({ redirect_uris: ['https://client.example/back'] }, address) && 'made'
    } catch (error) {
      return error instanceof OAuthError ? error.code : error
    }
  }
  const outcomes = Map.groupBy(
    db.transaction(() => Array.from({ length: 10_000 }, (_, i) => registered(`address ${i}`)))(),
    (it) => it,
  )
  expect([outcomes.get('made')?.length, outcomes.get('temporarily_unavailable')?.length, store.countClients()]).toEqual(
    [1000, 9000, 1000],
  )
  clock.time += 24 * 3_600_000 + 1
  expect([registered('another'), store.countClients()]).toEqual(['made', 1])
})

test('ten clients an hour can register from one IPv6 network, and forty from the network of a site', () => {
  const clients = createClientRegistry({
    store: createOAuthStore(db),
    documentClient: null,
    now: () => new Date(),
    randomBytes: secureRandomBytes,
  })
  const register = (address: string) => {
    try {
      return clients.register({ redirect_uris: ['https://client.example/back'] }, address) && 1
    } catch {
      return 0
    }
  }
  const registered = (name: (i: number) => string) =>
    Array.from({ length: 99 }, (_, i) => register(name(i))).reduce<number>((sum, one) => sum + one, 0)
  expect(registered((i) => `2001:db8:0:1::${i}`)).toBe(10)
  expect(registered((i) => `2001:db8:1:${i}::1`)).toBe(40)
})
