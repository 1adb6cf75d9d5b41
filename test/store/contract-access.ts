import { expect } from 'bun:test'
import type { NewSession } from '../../src/store/accounts/access.ts'
import {
  addAccounts,
  addGrant,
  addToken,
  callBoth,
  callers,
  hashOf,
  isTokenActive,
  newCode,
  newToken,
  newTokens,
  now,
  type ContractCase,
  type ContractStore,
} from './contract-case.ts'

const session = (name: string, changes: Partial<NewSession> = {}): NewSession => ({
  hash: hashOf(name),
  account_id: 'ada',
  expires_at: now + 1000,
  token_id: null,
  ...changes,
})
const rounds = 20

/** The ways to end tokens. Each expects what `prepareEndings` added. */
const endings: readonly (readonly [
  string,
  (store: ContractStore, token: number, grant: number) => Promise<unknown>,
])[] = [
  ['a revoked token', ({ access }, token) => access.revokeToken('ada', token, now)],
  ['a revoked grant', ({ grants }, _token, grant) => grants.revokeGrant('ada', grant, now)],
  ['a revoked access token', ({ grants }) => grants.revokeTokenOfClient(hashOf('b access'), 'client', now)],
  ['a revoked refresh token', ({ grants }) => grants.revokeTokenOfClient(hashOf('c refresh'), 'client', now)],
  ['a reused code', ({ grants }) => grants.redeemCode(hashOf('d code'), now, () => ({ action: 'revoke' }))],
  [
    'a reused refresh token',
    ({ grants }) => grants.rotateRefreshToken(hashOf('e refresh'), now, () => ({ action: 'revoke' })),
  ],
  ['a removed account', ({ people }) => people.removeAccount('ada')],
]

/** The contract of AccessStore. */
export const accessContract: ContractCase[] = [
  {
    name: 'a token is found by its hash with its account, and added once',
    async check(first, second) {
      await addAccounts(first, 'ada')
      const token = newToken('a \u{1F600} token', { expires_at: now + 2 ** 40 })
      const ids = await callBoth([first, second], ({ access }, index) =>
        access.addToken({ ...token, name: `name ${index}` }),
      )
      expect(new Set(ids).size).toBe(1)
      const { hash, scopes, expires_at } = token
      expect(await second.access.findToken(hash)).toEqual({
        id: ids[0]!,
        account_id: 'ada',
        account_name: 'ada',
        kind: 'pat',
        resource: null,
        scopes,
        expires_at,
        revoked_at: null,
      })
      expect(await second.access.listTokens('ada', 2 ** 50, 10)).toHaveLength(1)
      expect(await first.access.findToken(hashOf('unknown'))).toBeNull()
    },
  },
  {
    name: 'a token is not added for an unknown account',
    async check({ access }) {
      expect(await access.addToken(newToken('token')).then(String, () => 'rejected')).toBe('rejected')
      expect(await access.findToken(hashOf('token'))).toBeNull()
    },
  },
  {
    name: 'a token makes another one only while it is active',
    async check(first, { access }) {
      await addAccounts(first, 'ada')
      const parent_id = await addToken(first, 'parent', { expires_at: now + 100 })
      const add = (name: string, created_at: number, id = parent_id) =>
        access.addToken(newToken(name, { created_at, parent_id: id }))
      expect(await add('in time', now + 99)).toBeNumber()
      expect(await add('late', now + 100)).toBeNull()
      expect(await add('of an unknown token', now, parent_id + 1000)).toBeNull()
      await first.access.revokeToken('ada', parent_id, now)
      expect(await add('of a revoked token', now)).toBeNull()
      for (const name of ['late', 'of an unknown token', 'of a revoked token'])
        expect(await access.findToken(hashOf(name))).toBeNull()
    },
  },
  {
    name: 'tokens are listed newest first, without revoked ones and those of OAuth',
    async check(first, { access }) {
      await addAccounts(first, 'ada', 'bob')
      const ids: number[] = []
      for (const name of ['a', 'b', 'c', 'd']) ids.push(await addToken(first, name))
      await addToken(first, 'of bob', { account_id: 'bob' })
      await addGrant(first, 'grant')
      await first.access.revokeToken('ada', ids[2]!, now)
      await first.access.recordTokenUse(new Map([[ids[3]!, now + 5]]))
      const { name, last_four, scopes, created_at, expires_at } = newToken('d')
      const newest = { id: ids[3]!, name, last_four, scopes, created_at, expires_at, last_used_at: now + 5 }
      const namesOf = async (below: number, limit: number) =>
        (await access.listTokens('ada', below, limit)).map((token) => token.name)
      expect((await access.listTokens('ada', 2 ** 50, 1))[0]).toEqual(newest)
      expect(await namesOf(2 ** 50, 10)).toEqual(['d', 'b', 'a'])
      expect(await namesOf(2 ** 50, 2)).toEqual(['d', 'b'])
      expect(await namesOf(ids[3]!, 10)).toEqual(['b', 'a'])
    },
  },
  {
    name: 'a revocation ends all that the token made, directly or not, and nothing else',
    async check(first, second) {
      await addAccounts(first, 'ada', 'bob')
      const parent_id = await addToken(first, 'parent')
      const child_id = await addToken(first, 'child', { parent_id })
      await addToken(first, 'grandchild', { parent_id: child_id })
      await addToken(first, 'other')
      await addGrant(first, 'login', child_id)
      await addGrant(first, 'other login')
      expect(await second.access.revokeToken('bob', parent_id, now)).toBe(false)
      expect(await isTokenActive(first, 'parent')).toBe(true)
      expect(await second.access.revokeToken('ada', parent_id, now + 7)).toBe(true)
      expect((await first.access.findToken(hashOf('login access')))?.revoked_at).toBe(now + 7)
      for (const name of ['parent', 'child', 'grandchild', 'login access'])
        expect([name, await isTokenActive(first, name)]).toEqual([name, false])
      for (const name of ['other', 'other login access'])
        expect([name, await isTokenActive(first, name)]).toEqual([name, true])
      expect((await first.grants.listGrants('ada', now, 10)).map(({ token_id }) => token_id)).toEqual([null])
      expect(await second.access.revokeToken('ada', parent_id, now)).toBe(false)
    },
  },
  {
    name: 'a token is revoked once, and an access token of OAuth is not an API token',
    async check(first, second) {
      await addAccounts(first, 'ada')
      const id = await addToken(first, 'token')
      const revoked = await callBoth([first, second], ({ access }) => access.revokeToken('ada', id, now))
      expect(revoked.filter(Boolean)).toHaveLength(1)
      await addGrant(first, 'grant')
      const access_id = (await first.access.findToken(hashOf('grant access')))!.id
      expect(await first.access.revokeToken('ada', access_id, now)).toBe(false)
      expect(await isTokenActive(first, 'grant access')).toBe(true)
    },
  },
  {
    name: 'a token that is added while its parent is revoked does not stay active',
    async check(first, second) {
      await addAccounts(first, 'ada')
      for (let round = 0; round < rounds; round++) {
        const parent_id = await addToken(first, `parent ${round}`)
        const child_id = await addToken(first, `child ${round}`, { parent_id })
        await Promise.all([
          callBoth([first, second], ({ access }, index) =>
            access.addToken(newToken(`${round} ${index}`, { parent_id: index % 4 < 2 ? parent_id : child_id })),
          ),
          second.access.revokeToken('ada', parent_id, now),
        ])
      }
      expect(await first.access.listTokens('ada', 2 ** 50, 1000)).toEqual([])
    },
  },
  {
    name: 'the latest use of a token is stored, whichever store records it last',
    async check(first, second) {
      await addAccounts(first, 'ada')
      const ids: number[] = []
      for (let i = 0; i < 30; i++) ids.push(await addToken(first, `token ${i}`))
      await callBoth([first, second], ({ access }, index) =>
        access.recordTokenUse(new Map((index % 3 ? ids : ids.toReversed()).map((id) => [id, now + index]))),
      )
      await first.access.recordTokenUse(new Map([[ids.at(-1)! + 1000, now]]))
      await first.access.recordTokenUse(new Map([[ids[0]!, now - 1]]))
      const tokens = await second.access.listTokens('ada', 2 ** 50, 100)
      expect(new Set(tokens.map(({ last_used_at }) => last_used_at))).toEqual(new Set([now + callers - 1]))
    },
  },
  {
    name: 'a session is found until it expires or ends',
    async check(first, { access, people }) {
      await addAccounts(first, 'ada')
      await first.access.beginSession(session('first'), null)
      const account = await people.findAccount('ada')
      expect(await access.findSession(hashOf('first'), now + 999)).toEqual({ account: account!, token: null })
      expect(await access.findSession(hashOf('first'), now + 1000)).toBeNull()
      await first.access.beginSession(session('second'), hashOf('first'))
      expect(await access.findSession(hashOf('first'), now)).toBeNull()
      await access.endSession(hashOf('second'))
      expect(await first.access.findSession(hashOf('second'), now)).toBeNull()
    },
  },
  {
    name: 'a session ends with the token that it was started with',
    async check(first, { access }) {
      await addAccounts(first, 'ada')
      const id = await addToken(first, 'token', { expires_at: now + 100 })
      await access.beginSession(session('of the token', { token_id: id }), null)
      await access.beginSession(session('of an unknown token', { token_id: id + 1000 }), null)
      expect((await access.findSession(hashOf('of the token'), now + 99))?.token).toEqual({ id, expires_at: now + 100 })
      expect(await access.findSession(hashOf('of the token'), now + 100)).toBeNull()
      expect(await access.findSession(hashOf('of an unknown token'), now)).toBeNull()
      await first.access.revokeToken('ada', id, now)
      expect(await access.findSession(hashOf('of the token'), now)).toBeNull()
      expect(await access.listSessions('ada', hashOf('of the token'), now)).toEqual([])
    },
  },
  {
    name: 'the sessions of an account are listed by expiry, and all but the current one can be ended',
    async check(first, { access }) {
      await addAccounts(first, 'ada', 'bob')
      for (const [name, ms] of [
        ['a', 1000],
        ['b', 3000],
        ['c', 2000],
        ['expired', 10],
      ] as const)
        await first.access.beginSession(session(name, { expires_at: now + ms }), null)
      await first.access.beginSession(session('of bob', { account_id: 'bob' }), null)
      expect(await access.listSessions('ada', hashOf('c'), now + 10)).toEqual([
        { expires_at: now + 3000, isCurrent: false },
        { expires_at: now + 2000, isCurrent: true },
        { expires_at: now + 1000, isCurrent: false },
      ])
      await access.endOtherSessions('ada', hashOf('c'))
      expect(await first.access.listSessions('ada', hashOf('c'), now)).toEqual([
        { expires_at: now + 2000, isCurrent: true },
      ])
      expect((await access.findSession(hashOf('of bob'), now))?.account.id).toBe('bob')
    },
  },
  {
    name: 'a secret has one value for all callers, also for those that ask at the same time',
    async check(first, second) {
      const values = await callBoth([first, second], ({ access }, index) => access.secret('name', hashOf(`${index}`)))
      expect(new Set(values.map((value) => Buffer.from(value).toString('hex'))).size).toBe(1)
      expect(await first.access.secret('name', hashOf('other'))).toEqual(values[0]!)
      expect(await second.access.secret('other name', hashOf('other'))).toEqual(hashOf('other'))
    },
  },
  {
    name: 'a sweep deletes expired sessions and expired access tokens, and keeps API tokens',
    async check(first, { access }) {
      await addAccounts(first, 'ada')
      await addToken(first, 'token', { expires_at: now + 1 })
      await addGrant(first, 'grant')
      await first.access.beginSession(session('session'), null)
      await access.sweep(now + 3_600_001)
      expect(await first.access.findToken(hashOf('grant access'))).toBeNull()
      expect(await first.access.findSession(hashOf('session'), now)).toBeNull()
      expect(await isTokenActive(first, 'token')).toBe(true)
    },
  },
  {
    name: 'the access epoch grows for both stores whenever tokens end, and only then',
    async check(first, second) {
      await addAccounts(first, 'ada')
      const token = await addToken(first, 'token')
      const grant = await addGrant(first, 'a')
      for (const name of ['b', 'c', 'd', 'e']) await addGrant(first, name)
      await first.grants.addCode(hashOf('code'), newCode(), now)
      await first.grants.rotateRefreshToken(hashOf('e refresh'), now, () => ({
        action: 'rotate',
        tokens: newTokens('f'),
      }))
      const epochs = async () => [await first.access.epoch(), await second.access.epoch()]
      const [before] = await epochs()
      expect(before).toBe(0)
      for (const [index, [name, end]] of endings.entries()) {
        await end([first, second][index % 2]!, token, grant)
        expect([name, ...(await epochs())]).toEqual([name, index + 1, index + 1])
      }
      for (const [, end] of endings) await end(second, token, grant)
      expect(await epochs()).toEqual([endings.length, endings.length])
    },
  },
]
