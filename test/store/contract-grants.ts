import { expect } from 'bun:test'
import type { StoredGrant } from '../../src/store/accounts/grant-issuance.ts'
import type { StoredCode, StoredRefreshToken } from '../../src/store/accounts/grants.ts'
import {
  addAccounts,
  addGrant,
  addToken,
  callBoth,
  callers,
  hashOf,
  isTokenActive,
  newCode,
  newGrant,
  newTokens,
  now,
  type ContractCase,
  type ContractStore,
} from './contract-case.ts'

const rounds = 20
const day_ms = 86_400_000

/** Reads what `decide` receives of a code. Counts a failure. */
async function readCode({ grants }: ContractStore, name: string): Promise<StoredCode | null> {
  let seen: StoredCode | null = null
  await grants.redeemCode(hashOf(name), now, (code) => {
    seen = code
    return { action: 'count_failure' }
  })
  return seen
}

/** Reads what `decide` receives of a refresh token. */
async function readRefreshToken({ grants }: ContractStore, name: string): Promise<StoredRefreshToken | null> {
  let seen: StoredRefreshToken | null = null
  await grants.rotateRefreshToken(hashOf(name), now, (token) => {
    seen = token
    return { action: 'repeat' }
  })
  return seen
}

/** Redeems a code unless it is redeemed already. Resolves with the action. */
async function redeemOnce({ grants }: ContractStore, name: string, issue: string): Promise<string> {
  const { action } = await grants.redeemCode(hashOf(name), now, (code) =>
    code!.isRedeemed ? { action: 'count_failure' } : { action: 'redeem', issue: newGrant(issue) },
  )
  return action
}

/** Rotates a refresh token unless it was rotated before or its grant is revoked. Resolves with the action. */
async function rotateOnce({ grants }: ContractStore, name: string, successor: string): Promise<string> {
  const { action } = await grants.rotateRefreshToken(hashOf(name), now, (token) =>
    token && token.used_at === null && token.grant.revoked_at === null
      ? { action: 'rotate', tokens: newTokens(successor) }
      : { action: 'repeat' },
  )
  return action
}

/** The contract of the codes, grants and refresh tokens of GrantStore. */
export const grantContract: ContractCase[] = [
  {
    name: '`decide` receives a code to the letter, with its active parent',
    async check(first, second) {
      await addAccounts(first, 'ada')
      const token_id = await addToken(first, 'token', { expires_at: now + 100 })
      const code = newCode({ token_id, client_name: 'A "client" Ñ \u{1F600}', redirect_uri: "https://a.example/?q='%" })
      await first.grants.addCode(hashOf('code'), code, now)
      const stored = { ...code, isRedeemed: false, failed_verifications: 0 }
      expect(await readCode(second, 'code')).toMatchObject({
        ...stored,
        parent: { id: token_id, expires_at: now + 100 },
      })
      await first.access.revokeToken('ada', token_id, now)
      expect(await readCode(second, 'code')).toMatchObject({ ...stored, failed_verifications: 1, parent: null })
      expect(await readCode(second, 'unknown')).toBeNull()
    },
  },
  {
    name: 'a redeemed code issues an access token and a refresh token of a new grant',
    async check(first, second) {
      await addAccounts(first, 'ada')
      await first.grants.addCode(hashOf('code'), newCode(), now)
      expect(await redeemOnce(first, 'code', 'new')).toBe('redeem')
      expect(await second.access.findToken(hashOf('new access'))).toMatchObject({
        account_id: 'ada',
        kind: 'oat',
        resource: 'v1',
        scopes: 'fetch',
        expires_at: now + 3_600_000,
        revoked_at: null,
      })
      const [grant] = await second.grants.listGrants('ada', now, 10)
      expect(grant).toMatchObject({ ...newGrant('new').grant, revoked_at: null })
      expect(await readRefreshToken(second, 'new refresh')).toMatchObject({
        grant: grant!,
        parent: null,
        expires_at: now + day_ms,
        used_at: null,
        isSuccessorUnused: false,
      })
      expect((await readCode(second, 'code'))?.isRedeemed).toBe(true)
    },
  },
  {
    name: 'a code is redeemed once, however many callers send it at the same time',
    async check(first, second) {
      await addAccounts(first, 'ada')
      for (let round = 0; round < rounds; round++) {
        await first.grants.addCode(hashOf(`code ${round}`), newCode(), now)
        const actions = await callBoth([first, second], (store, index) =>
          redeemOnce(store, `code ${round}`, `${round} ${index}`),
        )
        expect(actions.filter((action) => action === 'redeem')).toHaveLength(1)
      }
      expect(await first.grants.listGrants('ada', now, 100)).toHaveLength(rounds)
    },
  },
  {
    name: 'wrong verifiers are counted, however many come at the same time',
    async check(first, second) {
      await addAccounts(first, 'ada')
      await first.grants.addCode(hashOf('code'), newCode(), now)
      const counted: number[] = []
      await callBoth([first, second], ({ grants }) =>
        grants.redeemCode(hashOf('code'), now, (code) => {
          counted.push(code!.failed_verifications)
          return { action: 'count_failure' }
        }),
      )
      expect(counted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: callers }, (_, i) => i))
    },
  },
  {
    name: 'a reused code revokes the tokens that it was redeemed for, and no others',
    async check(first, second) {
      await addAccounts(first, 'ada')
      await addGrant(first, 'of the code')
      await addGrant(first, 'other')
      await second.grants.redeemCode(hashOf('of the code code'), now, () => ({ action: 'revoke' }))
      expect(await isTokenActive(first, 'of the code access')).toBe(false)
      expect(await isTokenActive(first, 'other access')).toBe(true)
      expect((await readRefreshToken(first, 'of the code refresh'))?.grant.revoked_at).toBe(now)
    },
  },
  {
    name: 'if `decide` throws, its error is passed on, nothing is written, and the next caller is not delayed',
    async check(first, second) {
      await addAccounts(first, 'ada')
      await addGrant(first, 'grant')
      await first.grants.addCode(hashOf('code'), newCode(), now)
      const error = new Error('no')
      const reject = () => {
        throw error
      }
      expect(await first.grants.redeemCode(hashOf('code'), now, reject).catch((it: unknown) => it)).toBe(error)
      expect(
        await first.grants.rotateRefreshToken(hashOf('grant refresh'), now, reject).catch((it: unknown) => it),
      ).toBe(error)
      expect(await redeemOnce(second, 'code', 'new')).toBe('redeem')
      expect(await rotateOnce(second, 'grant refresh', 'next')).toBe('rotate')
    },
  },
  {
    name: 'a refresh token is rotated once, however many callers send it at the same time',
    async check(first, second) {
      await addAccounts(first, 'ada')
      for (let round = 0; round < rounds; round++) {
        await addGrant(first, `${round}`)
        const actions = await callBoth([first, second], (store, index) =>
          rotateOnce(store, `${round} refresh`, `${round} ${index}`),
        )
        expect(actions.filter((action) => action === 'rotate')).toHaveLength(1)
        const winner = actions.indexOf('rotate')
        expect(await isTokenActive(first, `${round} ${winner} access`)).toBe(true)
      }
    },
  },
  {
    name: '`decide` receives whether the successor of a refresh token was used',
    async check(first, second) {
      await addAccounts(first, 'ada')
      await addGrant(first, 'first')
      await rotateOnce(first, 'first refresh', 'second')
      expect(await readRefreshToken(second, 'first refresh')).toMatchObject({ used_at: now, isSuccessorUnused: true })
      await rotateOnce(second, 'second refresh', 'third')
      expect(await readRefreshToken(first, 'first refresh')).toMatchObject({ used_at: now, isSuccessorUnused: false })
      expect(await readRefreshToken(first, 'unknown')).toBeNull()
      await first.grants.rotateRefreshToken(hashOf('first refresh'), now + 9, () => ({ action: 'revoke' }))
      for (const name of ['first', 'second', 'third']) expect(await isTokenActive(second, `${name} access`)).toBe(false)
      expect((await readRefreshToken(second, 'third refresh'))?.grant.revoked_at).toBe(now + 9)
    },
  },
  {
    name: 'tokens that are issued while their grant or their parent is revoked do not stay active',
    async check(first, second) {
      await addAccounts(first, 'ada')
      for (let round = 0; round < rounds; round++) {
        const token_id = await addToken(first, `parent ${round}`)
        const grant = await addGrant(first, `grant ${round}`)
        const codes = [0, 1, 2, 3].map((index) => `code ${round} ${index}`)
        for (const code of codes) await first.grants.addCode(hashOf(code), newCode({ token_id }), now)
        const redeem = ({ grants }: ContractStore, code: string) =>
          grants.redeemCode(hashOf(code), now, (stored) =>
            stored?.parent
              ? { action: 'redeem', issue: newGrant(`of ${code}`, token_id) }
              : { action: 'count_failure' },
          )
        await Promise.all([
          ...codes.map((code, index) => redeem([first, second][index % 2]!, code)),
          rotateOnce(first, `grant ${round} refresh`, `next ${round}`),
          second.access.revokeToken('ada', token_id, now),
          second.grants.revokeGrant('ada', grant, now),
        ])
        for (const name of [`next ${round}`, ...codes.map((code) => `of ${code}`)])
          expect([name, await isTokenActive(first, `${name} access`)]).toEqual([name, false])
      }
      expect(await first.grants.listGrants('ada', now, 100)).toEqual([])
    },
  },
  {
    name: 'active grants are listed newest first, and only their account can revoke them',
    async check(first, second) {
      await addAccounts(first, 'ada', 'bob')
      const ids: number[] = []
      for (const name of ['a', 'b', 'c']) ids.push(await addGrant(first, name))
      const idsOf = (grants: StoredGrant[]) => grants.map(({ id }) => id)
      expect(idsOf(await second.grants.listGrants('ada', now, 2))).toEqual([ids[2]!, ids[1]!])
      expect(await second.grants.revokeGrant('bob', ids[1]!, now)).toBe(false)
      expect(await second.grants.revokeGrant('ada', ids[1]!, now)).toBe(true)
      expect(await first.grants.revokeGrant('ada', ids[1]!, now)).toBe(false)
      expect(idsOf(await first.grants.listGrants('ada', now, 10))).toEqual([ids[2]!, ids[0]!])
      expect(await first.grants.listGrants('ada', now + day_ms, 10)).toEqual([])
      expect([await isTokenActive(first, 'a access'), await isTokenActive(first, 'b access')]).toEqual([true, false])
    },
  },
  {
    name: 'a client revokes its access token alone, and with its refresh token the whole grant',
    async check(first, second) {
      await addAccounts(first, 'ada')
      await addGrant(first, 'grant')
      const revoke = (name: string, client_id = 'client') =>
        second.grants.revokeTokenOfClient(hashOf(name), client_id, now)
      expect(await revoke('grant access', 'other')).toBe('of_other_client')
      expect(await revoke('grant refresh', 'other')).toBe('of_other_client')
      expect(await revoke('unknown')).toBe('unknown')
      expect(await isTokenActive(first, 'grant access')).toBe(true)
      expect(await revoke('grant access')).toBe('revoked')
      expect(await isTokenActive(first, 'grant access')).toBe(false)
      expect(await first.grants.listGrants('ada', now, 10)).toHaveLength(1)
      expect(await revoke('grant refresh')).toBe('revoked')
      expect(await first.grants.listGrants('ada', now, 10)).toEqual([])
    },
  },
  {
    name: 'a sweep deletes codes, refresh tokens and grants one day after they expire',
    async check(first, { grants }) {
      await addAccounts(first, 'ada')
      await addGrant(first, 'grant')
      await grants.sweep(now + 2 * day_ms, now)
      expect(await readRefreshToken(first, 'grant refresh')).not.toBeNull()
      await grants.sweep(now + 2 * day_ms + 1, now)
      expect(await readRefreshToken(first, 'grant refresh')).toBeNull()
      expect(await readCode(first, 'grant code')).toBeNull()
      await addGrant(first, 'new grant')
      expect(await grants.listGrants('ada', now, 10)).toHaveLength(1)
    },
  },
]
