import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createAccountManager, allScopes } from '../../src/auth/accounts.ts'
import { makeToken, tokenHash } from '../../src/auth/token.ts'
import type { ApiError } from '../../src/model/error.ts'
import { createAccountStore } from '../../src/store/accounts.ts'
import { migrations } from '../../src/store/migrations.ts'

const day_ms = 86_400_000
const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))

/** Accounts in memory, with a clock that is set by hand. */
function openDesk(auth: 'on' | 'off' = 'on') {
  const db = new Database(':memory:', { strict: true })
  for (const statement of migrations.flat()) db.run(statement)
  const clock = { time: Date.UTC(2026, 0, 1) }
  const accounts = createAccountManager(createAccountStore(db), { auth, now: () => new Date(clock.time), randomBytes })
  const revoke = (token: string) =>
    db.query('UPDATE tokens SET revoked_at = ? WHERE hash = ?').run(clock.time, tokenHash(token))
  /** What comes of a token: the name of its account, or the code of the refusal. */
  const outcome = (token: string) => {
    try {
      return accounts.authenticate(`Bearer ${token}`).name
    } catch (error) {
      return (error as ApiError).code
    }
  }
  return { db, clock, accounts, revoke, outcome }
}

test('the owner is made once, and the token of the first start is given then and never again', () => {
  const { accounts, outcome } = openDesk()
  const token = accounts.ensureOwner(null)!
  expect(outcome(token)).toBe('owner')
  expect([accounts.ensureOwner(null), accounts.ensureOwner(null)]).toEqual([null, null])
})

test("a token that is given becomes the owner's, at any start, and none is made beside it", () => {
  const { db, accounts, outcome } = openDesk()
  const given = makeToken('pat', randomBytes)
  expect([accounts.ensureOwner(given), accounts.ensureOwner(given)]).toEqual([null, null])
  expect(outcome(given)).toBe('owner')
  const later = makeToken('pat', randomBytes)
  expect(accounts.ensureOwner(later)).toBeNull()
  expect(outcome(later)).toBe('owner')
  expect(db.query('SELECT count(*) AS tokens FROM tokens').get()).toEqual({ tokens: 2 })
})

test('a token may be made before the first start, and none that nobody has seen is made beside it', () => {
  const { db, accounts, outcome } = openDesk()
  expect(outcome(accounts.issueOwnerToken('early'))).toBe('owner')
  expect(db.query('SELECT name FROM tokens').all()).toEqual([{ name: 'early' }])
})

test('the owner may do everything', () => {
  const { accounts } = openDesk()
  expect(accounts.authenticate(`Bearer ${accounts.ensureOwner(null)}`)).toEqual({
    id: 'owner',
    name: 'owner',
    scopes: new Set(allScopes),
    via: 'pat',
  })
})

test('a further token lives for 90 days, to the millisecond', () => {
  const { accounts, clock, outcome } = openDesk()
  const [one, other] = [accounts.issueOwnerToken('one'), accounts.issueOwnerToken('other')]
  clock.time += 90 * day_ms - 1
  expect(outcome(one)).toBe('owner')
  clock.time += 1
  expect(outcome(other)).toBe('token_expired')
})

test('the token of the first start never expires', () => {
  const { accounts, clock, outcome } = openDesk()
  const token = accounts.ensureOwner(null)!
  clock.time += 36_525 * day_ms
  expect(outcome(token)).toBe('owner')
})

test('a revoked token is refused within a second, also when the clock is set back', () => {
  for (const jump_ms of [1000, -1000, 40 * day_ms, -40 * day_ms]) {
    const { accounts, clock, revoke, outcome } = openDesk()
    const token = accounts.ensureOwner(null)!
    expect(outcome(token)).toBe('owner')
    revoke(token)
    clock.time += jump_ms
    expect(outcome(token)).toBe('token_revoked')
  }
})

test('a refusal is not remembered: a token counts from the moment it is made', () => {
  const { accounts, outcome } = openDesk()
  const token = makeToken('pat', randomBytes)
  expect(outcome(token)).toBe('token_invalid')
  accounts.ensureOwner(token)
  expect(outcome(token)).toBe('owner')
})

test('with authentication off everyone is the owner, whatever is sent', () => {
  const { accounts } = openDesk('off')
  expect([accounts.authenticate(null).id, accounts.authenticate('nonsense').id]).toEqual(['owner', 'owner'])
})

test('of a token only its hash, its last four letters and its name are kept', () => {
  const { db, accounts } = openDesk()
  const token = accounts.issueOwnerToken('script')
  const bytes = Buffer.from(db.serialize())
  expect(bytes.includes('script')).toBe(true)
  expect([token, token.slice(8), token.slice(8, 38), token.slice(-6)].filter((part) => bytes.includes(part))).toEqual(
    [],
  )
  expect(db.query('SELECT last_four FROM tokens').get()).toEqual({ last_four: token.slice(-4) })
})
