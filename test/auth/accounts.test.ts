import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createAccountManager } from '../../src/auth/accounts.ts'
import { allScopes } from '../../src/auth/scope.ts'
import { makeToken, tokenHash } from '../../src/auth/token.ts'
import type { ApiError } from '../../src/model/error.ts'
import type { AccessStore } from '../../src/store/accounts/access.ts'
import { migrations } from '../../src/store/migrations.ts'
import { StorageError } from '../../src/store/storage-error.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'

const day_ms = 86_400_000
const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))

/** Accounts on an in-memory database, with a manual clock. */
function createContext(auth: 'on' | 'off' = 'on', tokens_stale_s = 0) {
  const db = new Database(':memory:', { strict: true })
  for (const statement of migrations.flat()) db.run(statement)
  const clock = { time: Date.UTC(2026, 0, 1), monotonic_ms: 0 }
  const outage = { now: false, lookups: 0 }
  const store = createSqliteStore(db)
  const access: AccessStore = {
    ...store.access,
    findToken(hash) {
      if (!outage.now) return store.access.findToken(hash)
      outage.lookups++
      return Promise.reject(new StorageError('unavailable'))
    },
  }
  const accounts = createAccountManager(
    { ...store, access },
    { auth, tokens_stale_s, now: () => new Date(clock.time), randomBytes, monotonic_ms: () => clock.monotonic_ms },
  )
  const revoke = (token: string) =>
    db.query('UPDATE tokens SET revoked_at = ? WHERE hash = ?').run(clock.time, tokenHash(token))
  /** Returns the account name of a token, or its error code. */
  const outcome = async (token: string) => {
    try {
      return (await accounts.authenticate(`Bearer ${token}`)).name
    } catch (error) {
      return (error as ApiError).code
    }
  }
  return { db, clock, accounts, outage, revoke, outcome }
}

test('the owner is created once, and its first token is returned only then', async () => {
  const { accounts, outcome } = createContext()
  const token = (await accounts.ensureOwner(null))!
  expect(await outcome(token)).toBe('owner')
  expect([await accounts.ensureOwner(null), await accounts.ensureOwner(null)]).toEqual([null, null])
})

test('a configured token becomes a token of the owner at any start, and no other token is created', async () => {
  const { db, accounts, outcome } = createContext()
  const given = makeToken('pat', randomBytes)
  expect([await accounts.ensureOwner(given), await accounts.ensureOwner(given)]).toEqual([null, null])
  expect(await outcome(given)).toBe('owner')
  const later = makeToken('pat', randomBytes)
  expect(await accounts.ensureOwner(later)).toBeNull()
  expect(await outcome(later)).toBe('owner')
  expect(db.query('SELECT count(*) AS tokens FROM tokens').get()).toEqual({ tokens: 2 })
})

test('a token can be created before the first start, which then creates no other token', async () => {
  const { db, accounts, outcome } = createContext()
  expect(await outcome(await accounts.issueOwnerToken('early'))).toBe('owner')
  expect(db.query('SELECT name FROM tokens').all()).toEqual([{ name: 'early' }])
})

test('the owner has every scope', async () => {
  const { accounts } = createContext()
  expect(await accounts.authenticate(`Bearer ${await accounts.ensureOwner(null)}`)).toEqual({
    id: 'owner',
    name: 'owner',
    scopes: new Set(allScopes),
    via: 'pat',
    token: { id: 1, expires_at: null },
  })
})

test('an additional owner token expires after exactly 90 days', async () => {
  const { accounts, clock, outcome } = createContext()
  const [one, other] = [await accounts.issueOwnerToken('one'), await accounts.issueOwnerToken('other')]
  clock.time += 90 * day_ms - 1
  expect(await outcome(one)).toBe('owner')
  clock.time += 1
  expect(await outcome(other)).toBe('auth_expired')
})

test('the first token never expires', async () => {
  const { accounts, clock, outcome } = createContext()
  const token = (await accounts.ensureOwner(null))!
  clock.time += 36_525 * day_ms
  expect(await outcome(token)).toBe('owner')
})

test('a revoked token is rejected within a second, also when the clock is set back', async () => {
  for (const jump_ms of [1000, -1000, 40 * day_ms, -40 * day_ms]) {
    const { accounts, clock, revoke, outcome } = createContext()
    const token = (await accounts.ensureOwner(null))!
    expect(await outcome(token)).toBe('owner')
    revoke(token)
    clock.time += jump_ms
    expect(await outcome(token)).toBe('auth_revoked')
  }
  const { accounts, clock, revoke, outcome } = createContext()
  const token = (await accounts.ensureOwner(null))!
  expect(await outcome(token)).toBe('owner')
  revoke(token)
  clock.monotonic_ms += 1000
  expect(await outcome(token)).toBe('auth_revoked')
})

test('a rejected token is not cached: a token works from its creation', async () => {
  const { accounts, outcome } = createContext()
  const token = makeToken('pat', randomBytes)
  expect(await outcome(token)).toBe('auth_invalid')
  await accounts.ensureOwner(token)
  expect(await outcome(token)).toBe('owner')
})

test('without authentication every request is from the owner, whatever it sends', async () => {
  const { accounts } = createContext('off')
  expect((await accounts.authenticate(null)).id).toBe('owner')
  expect((await accounts.authenticate('nonsense')).id).toBe('owner')
})

test('only the hash, the last four characters and the name of a token are stored', async () => {
  const { db, accounts } = createContext()
  const token = await accounts.issueOwnerToken('script')
  const bytes = Buffer.from(db.serialize())
  expect(bytes.includes('script')).toBe(true)
  expect([token, token.slice(8), token.slice(8, 38), token.slice(-6)].filter((part) => bytes.includes(part))).toEqual(
    [],
  )
  expect(db.query('SELECT last_four FROM tokens').get()).toEqual({ last_four: token.slice(-4) })
})

test('while the database does not answer, a known token can be used for reading, and only for as long as the setting says', async () => {
  const { db, clock, accounts, outage, revoke } = createContext('on', 60)
  const token = (await accounts.ensureOwner(null))!
  const unknown = await accounts.issueOwnerToken('unknown')
  const accountOf = async (text = token) => {
    const account = await Promise.resolve(accounts.authenticate(`Bearer ${text}`)).catch((error: Error) => error)
    return account instanceof Error ? account.message : (account.isUnconfirmed ?? false)
  }
  const pass = (ms: number) => {
    clock.time += ms
    clock.monotonic_ms += ms
  }
  expect(await accountOf()).toBe(false)
  outage.now = true
  pass(999)
  expect(await accountOf()).toBe(false)
  pass(1)
  expect(await accountOf()).toBe(true)
  expect(await accountOf(unknown)).toContain('The storage of this server failed')
  pass(58_999)
  expect(await accountOf()).toBe(true)
  pass(1)
  expect(await accountOf()).toContain('The storage of this server failed')
  outage.now = false
  expect(await accountOf()).toBe(false)
  db.run('UPDATE tokens SET expires_at = ?', [clock.time + 5000])
  pass(1000)
  expect(await accountOf()).toBe(false)
  outage.now = true
  pass(4000)
  expect(await accountOf()).toContain('The storage of this server failed')
  outage.now = false
  db.run('UPDATE tokens SET expires_at = NULL')
  expect(await accountOf()).toBe(false)
  revoke(token)
  pass(1000)
  expect(await accountOf()).toBe('Token revoked.')
})

test('a failed lookup of a known token is not repeated for a second', async () => {
  const { clock, accounts, outage } = createContext('on', 60)
  const token = (await accounts.ensureOwner(null))!
  await accounts.authenticate(`Bearer ${token}`)
  outage.now = true
  clock.time += 1000
  clock.monotonic_ms += 1000
  for (let i = 0; i < 5; i++) expect((await accounts.authenticate(`Bearer ${token}`)).isUnconfirmed).toBe(true)
  expect(outage.lookups).toBe(1)
})
