import { expect } from 'bun:test'
import {
  addAccounts,
  addGrant,
  addToken,
  callBoth,
  hashOf,
  isTokenActive,
  newCode,
  newDevice,
  newPin,
  newShare,
  now,
  type ContractCase,
  type ContractStore,
} from './contract-case.ts'

const ada = { id: 'ada', name: 'Ada Ñandú \u{1F600}', created_at: now, scopes: 'fetch runs' }
const storedAda = { ...ada, password_hash: null }
const invitation = (name: string, token_id: number | null = null) => ({
  hash: hashOf(name),
  expires_at: now + 1000,
  token_id,
})

/** Adds something of every kind that belongs to the account `ada`. */
async function addBelongings(store: ContractStore): Promise<void> {
  const { access, grants, limits, people } = store
  await addToken(store, 'token')
  await access.beginSession(
    { hash: hashOf('session'), account_id: 'ada', expires_at: now + 1000, token_id: null },
    null,
  )
  await people.addInvitation('ada', invitation('invitation'))
  await store.shares.addShare(newShare('share'), 10)
  await store.pins.addPin(newPin('pin'), 10)
  await addGrant(store, 'grant')
  await grants.addCode(hashOf('code'), newCode(), now)
  await grants.addDevice(hashOf('device'), newDevice('BCDF'), { now, pendingMax: 10 })
  await grants.decideDevice('BCDF', 'approved', { account_id: 'ada', token_id: null }, now)
  const day = { account_id: 'ada', day: '2026-11-23' }
  await limits.addUsage([{ ...day, endpoint: 'fetch', source: '', requests: 1, fields: 2, metered_calls: 0 }])
  await limits.addQuota([{ account_id: 'ada', window_start: day.day, units: 5 }])
}

/** The contract of PeopleStore. */
export const peopleContract: ContractCase[] = [
  {
    name: 'an account is found by its id and its name, to the letter',
    async check({ people }, second) {
      expect(await people.addAccount(ada)).toBe(true)
      expect(await second.people.findAccount('ada')).toEqual(storedAda)
      expect(await second.people.findAccountByName(ada.name)).toEqual(storedAda)
      expect([await people.findAccount('Ada'), await people.findAccountByName('ada')]).toEqual([null, null])
    },
  },
  {
    name: 'an account is added once, also if both stores add it at the same time',
    async check(first, second) {
      const added = await callBoth([first, second], ({ people }) => people.addAccount(ada))
      expect(added.filter(Boolean)).toHaveLength(1)
      expect(await first.people.addAccount({ ...ada, name: 'other' })).toBe(false)
      const sameName = await callBoth([first, second], ({ people }, index) =>
        people.addAccount({ ...ada, id: `other ${index}`, name: 'same' }),
      )
      expect(sameName.filter(Boolean)).toHaveLength(1)
    },
  },
  {
    name: 'accounts are listed up to the limit, the oldest first, then by id',
    async check({ people }) {
      for (const [id, created_at] of [
        ['z', 1],
        ['b', 2],
        ['B', 2],
        ['a', 3],
      ] as const)
        await people.addAccount({ id, name: id, created_at, scopes: null })
      const idsOf = async (limit: number) => (await people.listAccounts(limit)).map(({ id }) => id)
      expect(await idsOf(10)).toEqual(['z', 'B', 'b', 'a'])
      expect(await idsOf(2)).toEqual(['z', 'B'])
    },
  },
  {
    name: 'an invitation finds its account until it expires',
    async check({ people }, second) {
      expect(await people.invite(ada, invitation('first'))).toBe(true)
      await people.addInvitation('ada', invitation('second'))
      for (const name of ['first', 'second'])
        expect(await second.people.findInvitedAccount(hashOf(name), now + 999)).toEqual(storedAda)
      expect(await people.findInvitedAccount(hashOf('first'), now + 1000)).toBeNull()
      expect(await people.findInvitedAccount(hashOf('unknown'), now)).toBeNull()
    },
  },
  {
    name: 'an invitation to an account that exists adds nothing',
    async check({ people }) {
      await people.addAccount(ada)
      expect(await people.invite({ ...ada, id: 'other' }, invitation('taken name'))).toBe(false)
      expect(await people.invite({ ...ada, name: 'other' }, invitation('taken id'))).toBe(false)
      for (const name of ['taken name', 'taken id'])
        expect(await people.findInvitedAccount(hashOf(name), now)).toBeNull()
    },
  },
  {
    name: 'an invitation ends with the token that it was made with',
    async check(first, { people }) {
      await addAccounts(first, 'ada', 'bob')
      const id = await addToken(first, 'token', { expires_at: now + 100 })
      await people.addInvitation('bob', invitation('of the token', id))
      await people.addInvitation('bob', invitation('of an unknown token', id + 1))
      expect(await people.findInvitedAccount(hashOf('of an unknown token'), now)).toBeNull()
      expect((await people.findInvitedAccount(hashOf('of the token'), now + 99))?.id).toBe('bob')
      expect(await people.findInvitedAccount(hashOf('of the token'), now + 100)).toBeNull()
      await first.access.revokeToken('ada', id, now)
      expect(await people.findInvitedAccount(hashOf('of the token'), now)).toBeNull()
      expect(await people.acceptInvitation(hashOf('of the token'), 'password', now)).toBeNull()
    },
  },
  {
    name: 'an invitation is accepted once, and ends the other invitations and the sessions of its account',
    async check(first, second) {
      const { people, access } = first
      await addAccounts(first, 'bob')
      await people.invite(ada, invitation('accepted'))
      for (const id of ['ada', 'bob']) {
        await people.addInvitation(id, invitation(`other of ${id}`))
        const session = { hash: hashOf(`session of ${id}`), account_id: id, expires_at: now + 1000, token_id: null }
        await access.beginSession(session, null)
      }
      const accepted = await callBoth([first, second], (store, index) =>
        store.people.acceptInvitation(hashOf('accepted'), `password ${index}`, now),
      )
      const winner = accepted.findIndex(Boolean)
      expect(accepted.filter(Boolean)).toEqual([{ ...ada, password_hash: `password ${winner}` }])
      expect((await second.people.findAccount('ada'))?.password_hash).toBe(`password ${winner}`)
      expect(await people.findInvitedAccount(hashOf('other of ada'), now)).toBeNull()
      expect(await access.findSession(hashOf('session of ada'), now)).toBeNull()
      expect((await people.findInvitedAccount(hashOf('other of bob'), now))?.id).toBe('bob')
      expect((await access.findSession(hashOf('session of bob'), now))?.account.id).toBe('bob')
    },
  },
  {
    name: 'a removed account leaves nothing, and another account keeps everything',
    async check(first, second) {
      await addAccounts(first, 'ada', 'bob')
      await addBelongings(first)
      await addToken(first, 'token of bob', { account_id: 'bob' })
      expect([await second.people.removeAccount('ada'), await first.people.removeAccount('ada')]).toEqual([true, false])
      expect([await isTokenActive(first, 'token'), await isTokenActive(first, 'grant access')]).toEqual([false, false])
      expect(await first.access.findSession(hashOf('session'), now)).toBeNull()
      expect(await first.people.findInvitedAccount(hashOf('invitation'), now)).toBeNull()
      expect(await first.shares.findShare(hashOf('share'), now)).toBeNull()
      expect(await first.pins.listPins('ada')).toEqual([])
      const received: unknown[] = []
      await first.grants.redeemCode(hashOf('code'), now, (code) => {
        received.push(code)
        return { action: 'count_failure' }
      })
      await first.grants.rotateRefreshToken(hashOf('grant refresh'), now, (token) => {
        received.push(token)
        return { action: 'repeat' }
      })
      await first.grants.pollDevice(hashOf('device'), now, (device) => {
        received.push(device)
        return { action: 'end' }
      })
      expect(received).toEqual([null, null, null])
      expect(await first.limits.listUsage('ada', '2026-11-01', '2026-11-30')).toEqual([])
      expect(await first.limits.quotaOf('ada', '2026-11-23')).toBe(0)
      expect([await first.people.findAccount('ada'), await isTokenActive(first, 'token of bob')]).toEqual([null, true])
    },
  },
  {
    name: 'a sweep deletes the expired invitations',
    async check(first, { people }) {
      await addAccounts(first, 'ada')
      await first.people.addInvitation('ada', invitation('expired'))
      await first.people.addInvitation('ada', { ...invitation('active'), expires_at: now + 1001 })
      await people.sweep(now + 1000)
      expect(await people.findInvitedAccount(hashOf('expired'), now)).toBeNull()
      expect((await people.findInvitedAccount(hashOf('active'), now))?.id).toBe('ada')
    },
  },
]
