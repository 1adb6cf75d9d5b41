import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createAccountManager } from '../../src/auth/accounts.ts'
import { allScopes } from '../../src/auth/scope.ts'
import { makeToken, tokenHash } from '../../src/auth/token.ts'
import type { ApiError } from '../../src/model/error.ts'
import { createAccountStore } from '../../src/store/sqlite/accounts.ts'
import { migrations } from '../../src/store/sqlite/migrations.ts'

const day_ms = 86_400_000
const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))

/** Accounts on an in-memory database, with a manual clock. */
function createContext(auth: 'on' | 'off' = 'on') {
  const db = new Database(':memory:', { strict: true })
  for (const statement of migrations.flat()) db.run(statement)
  const clock = { time: Date.UTC(2026, 0, 1) }
  const accounts = createAccountManager(createAccountStore(db), { auth, now: () => new Date(clock.time), randomBytes })
  const revoke = (token: string) =>
    db.query('UPDATE tokens SET revoked_at = ? WHERE hash = ?').run(clock.time, tokenHash(token))
  /** Returns the account name of a token, or its error code. */
  const outcome = (token: string) => {
    try {
      return accounts.authenticate(`Bearer ${token}`).name
    } catch (error) {
      return (error as ApiError).code
    }
  }
  return { db, clock, accounts, revoke, outcome }
}

test('the owner is created once, and its first token is returned only then', () => {
  const { accounts, outcome } = createContext()
  const token = accounts.ensureOwner(null)!
  expect(outcome(token)).toBe('owner')
  expect([accounts.ensureOwner(null), accounts.ensureOwner(null)]).toEqual([null, null])
})

test('a configured token becomes a token of the owner at any start, and no other token is created', () => {
  const { db, accounts, outcome } = createContext()
  const given = makeToken('pat', randomBytes)
  expect([accounts.ensureOwner(given), accounts.ensureOwner(given)]).toEqual([null, null])
  expect(outcome(given)).toBe('owner')
  const later = makeToken('pat', randomBytes)
  expect(accounts.ensureOwner(later)).toBeNull()
  expect(outcome(later)).toBe('owner')
  expect(db.query('SELECT count(*) AS tokens FROM tokens').get()).toEqual({ tokens: 2 })
})

test('a token can be created before the first start, which then creates no other token', () => {
  const { db, accounts, outcome } = createContext()
  expect(outcome(accounts.issueOwnerToken('early'))).toBe('owner')
  expect(db.query('SELECT name FROM tokens').all()).toEqual([{ name: 'early' }])
})

test('the owner has every scope', () => {
  const { accounts } = createContext()
  expect(accounts.authenticate(`Bearer ${accounts.ensureOwner(null)}`)).toEqual({
    id: 'owner',
    name: 'owner',
    scopes: new Set(allScopes),
    via: 'pat',
    token: { id: 1, expires_at: null },
  })
})

test('an additional owner token expires after exactly 90 days', () => {
  const { accounts, clock, outcome } = createContext()
  const [one, other] = [accounts.issueOwnerToken('one'), accounts.issueOwnerToken('other')]
  clock.time += 90 * day_ms - 1
  expect(outcome(one)).toBe('owner')
  clock.time += 1
  expect(outcome(other)).toBe('token_expired')
})

test('the first token never expires', () => {
  const { accounts, clock, outcome } = createContext()
  const token = accounts.ensureOwner(null)!
  clock.time += 36_525 * day_ms
  expect(outcome(token)).toBe('owner')
})

test('a revoked token is rejected within a second, also when the clock is set back', () => {
  for (const jump_ms of [1000, -1000, 40 * day_ms, -40 * day_ms]) {
    const { accounts, clock, revoke, outcome } = createContext()
    const token = accounts.ensureOwner(null)!
    expect(outcome(token)).toBe('owner')
    revoke(token)
    clock.time += jump_ms
    expect(outcome(token)).toBe('token_revoked')
  }
})

test('a rejected token is not cached: a token works from its creation', () => {
  const { accounts, outcome } = createContext()
  const token = makeToken('pat', randomBytes)
  expect(outcome(token)).toBe('token_invalid')
  accounts.ensureOwner(token)
  expect(outcome(token)).toBe('owner')
})

test('without authentication every request is from the owner, whatever it sends', () => {
  const { accounts } = createContext('off')
  expect([accounts.authenticate(null).id, accounts.authenticate('nonsense').id]).toEqual(['owner', 'owner'])
})

test('only the hash, the last four characters and the name of a token are stored', () => {
  const { db, accounts } = createContext()
  const token = accounts.issueOwnerToken('script')
  const bytes = Buffer.from(db.serialize())
  expect(bytes.includes('script')).toBe(true)
  expect([token, token.slice(8), token.slice(8, 38), token.slice(-6)].filter((part) => bytes.includes(part))).toEqual(
    [],
  )
  expect(db.query('SELECT last_four FROM tokens').get()).toEqual({ last_four: token.slice(-4) })
})
