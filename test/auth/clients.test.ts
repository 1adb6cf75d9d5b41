import { afterAll, expect, test } from 'bun:test'
import { createClientRegistry } from '../../src/auth/clients.ts'
import { OAuthError } from '../../src/auth/oauth-error.ts'
import { secureRandomBytes } from '../../src/auth/token.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const db = openState(folder)
const countClients = () =>
  db.query<{ clients: number }, []>('SELECT count(*) AS clients FROM oauth_clients').get()!.clients
afterAll(() => db.close())

test('ten thousand registrations from different addresses leave a thousand clients, and a day later new ones can register', async () => {
  const clock = { time: Date.parse('2026-11-21T00:00:00Z') }
  const clients = createClientRegistry({
    store: createSqliteStore(db).grants,
    documentClient: null,
    now: () => new Date(clock.time),
    randomBytes: secureRandomBytes,
  })
  const registered = async (address: string) => {
    try {
      await clients.register({ redirect_uris: ['https://client.example/back'] }, address)
      return 'made'
    } catch (error) {
      return error instanceof OAuthError ? error.code : error
    }
  }
  const results: unknown[] = []
  for (let i = 0; i < 10_000; i += 500)
    results.push(...(await Promise.all(Array.from({ length: 500 }, (_, j) => registered(`address ${i + j}`)))))
  const outcomes = Map.groupBy(results, (it) => it)
  expect([outcomes.get('made')?.length, outcomes.get('temporarily_unavailable')?.length, countClients()]).toEqual([
    1000, 9000, 1000,
  ])
  clock.time += 24 * 3_600_000 + 1
  expect([await registered('another'), countClients()]).toEqual(['made', 1])
})

test('ten clients an hour can register from one IPv6 network, and forty from the network of a site', async () => {
  const clients = createClientRegistry({
    store: createSqliteStore(db).grants,
    documentClient: null,
    now: () => new Date(),
    randomBytes: secureRandomBytes,
  })
  const register = async (address: string) => {
    try {
      await clients.register({ redirect_uris: ['https://client.example/back'] }, address)
      return 1
    } catch {
      return 0
    }
  }
  const registered = async (name: (i: number) => string) =>
    (await Promise.all(Array.from({ length: 99 }, (_, i) => register(name(i))))).reduce<number>(
      (sum, one) => sum + one,
      0,
    )
  expect(await registered((i) => `2001:db8:0:1::${i}`)).toBe(10)
  expect(await registered((i) => `2001:db8:1:${i}::1`)).toBe(40)
})
