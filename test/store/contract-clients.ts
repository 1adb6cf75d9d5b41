import { expect } from 'bun:test'
import type { PolledDevice } from '../../src/store/accounts/devices.ts'
import {
  addAccounts,
  addToken,
  callBoth,
  hashOf,
  isTokenActive,
  newCode,
  newDevice,
  newGrant,
  now,
  type ContractCase,
  type ContractStore,
} from './contract-case.ts'

const client = (id: string, created_at = now) => ({
  id,
  name: 'A "client" Ñ \u{1F600}',
  redirect_uris: '["https://a.example/cb"]',
  created_at,
})
const rounds = 10
const limit = { now, pendingMax: 100 }

/** Reads what `decide` receives of a device, and lets the device wait. */
async function readDevice({ grants }: ContractStore, name: string): Promise<PolledDevice | null> {
  let seen: PolledDevice | null = null
  await grants.pollDevice(hashOf(name), now, (device) => {
    seen = device
    return device
      ? { action: 'wait', next_poll_at: device.next_poll_at + 5000, interval_s: device.interval_s + 5 }
      : { action: 'end' }
  })
  return seen
}

/** The contract of the clients and devices of GrantStore. */
export const clientContract: ContractCase[] = [
  {
    name: 'a client is found to the letter, and a code or an approved device marks it as used',
    async check(first, { grants }) {
      await addAccounts(first, 'ada')
      for (const id of ['a', 'b', 'c'])
        expect(await first.grants.addClient(client(id), { max: 9, unusedBefore: 0 })).toBe(true)
      expect(await grants.findClient('a')).toEqual({ ...client('a'), used_at: null })
      expect(await grants.findClient('unknown')).toBeNull()
      await first.grants.addCode(hashOf('code'), newCode({ client_id: 'a' }), now + 1)
      for (const [id, user_code, status] of [
        ['b', 'BBBB', 'approved'],
        ['c', 'CCCC', 'denied'],
      ] as const) {
        await first.grants.addDevice(hashOf(id), newDevice(user_code, { client_id: id }), limit)
        await first.grants.decideDevice(user_code, status, { account_id: 'ada', token_id: null }, now + 2)
      }
      const used = await Promise.all(['a', 'b', 'c'].map(async (id) => (await grants.findClient(id))?.used_at))
      expect(used).toEqual([now + 1, now + 2, null])
    },
  },
  {
    name: 'the number of clients never exceeds its limit, and clients that nobody used make room',
    async check(first, second) {
      await addAccounts(first, 'ada')
      const ids: string[] = []
      for (let round = 1; round <= rounds; round++) {
        await callBoth([first, second], async ({ grants }, index) => {
          const id = `client ${round} ${index}`
          if (await grants.addClient(client(id, now - 1), { max: 3 * round, unusedBefore: now - 1 })) ids.push(id)
        })
        expect(ids).toHaveLength(3 * round)
      }
      await first.grants.addCode(hashOf('code'), newCode({ client_id: ids[0]! }), now)
      expect(await second.grants.addClient(client('late'), { max: ids.length, unusedBefore: now })).toBe(true)
      const found = await Promise.all(ids.map((id) => first.grants.findClient(id)))
      expect(found.filter(Boolean).map((it) => it!.id)).toEqual([ids[0]!])
    },
  },
  {
    name: 'the number of pending devices never exceeds its limit, and expired ones do not count',
    async check(first, second) {
      const add = ({ grants }: ContractStore, name: string, pendingMax: number, at = now) =>
        grants.addDevice(hashOf(name), newDevice(name), { now: at, pendingMax })
      for (let round = 1; round <= rounds; round++) {
        const added = await callBoth([first, second], (store, index) => add(store, `${round} ${index}`, 3 * round))
        expect(added.filter(Boolean)).toHaveLength(3)
      }
      const early = await add(first, 'early', 3 * rounds, now + 599_999)
      const late = await add(first, 'late', 3 * rounds, now + 600_000)
      expect([early, late]).toEqual([false, true])
    },
  },
  {
    name: 'a pending device is found by its user code until it expires, and decided once',
    async check(first, second) {
      await addAccounts(first, 'ada', 'bob')
      await first.grants.addDevice(hashOf('device'), newDevice('BCDF'), limit)
      const pending = { ...newDevice('BCDF'), status: 'pending', account_id: null, token_id: null }
      expect(await second.grants.findPendingDevice('BCDF', now + 599_999)).toMatchObject(pending)
      expect(await second.grants.findPendingDevice('BCDF', now + 600_000)).toBeNull()
      expect(await second.grants.findPendingDevice('bcdf', now)).toBeNull()
      await callBoth([first, second], ({ grants }, index) =>
        grants.decideDevice(
          'BCDF',
          index % 2 ? 'approved' : 'denied',
          { account_id: index % 2 ? 'ada' : 'bob', token_id: null },
          now,
        ),
      )
      const decided = (await readDevice(first, 'device'))!
      expect([decided.status, decided.account_id].join(' ')).toBeOneOf(['approved ada', 'denied bob'])
      expect(decided.account).toEqual(await second.people.findAccount(decided.account_id!))
      expect(await second.grants.findPendingDevice('BCDF', now)).toBeNull()
    },
  },
  {
    name: '`decide` receives the account of a polled device and the active parent of the approval, and its waiting times are stored',
    async check(first, second) {
      await addAccounts(first, 'ada')
      const token_id = await addToken(first, 'token')
      await first.grants.addDevice(hashOf('device'), newDevice('BCDF'), limit)
      expect(await readDevice(second, 'device')).toMatchObject({
        ...newDevice('BCDF'),
        status: 'pending',
        account: null,
        parent: null,
        next_poll_at: 0,
        interval_s: 5,
      })
      await first.grants.decideDevice('BCDF', 'approved', { account_id: 'ada', token_id }, now)
      const decided = await readDevice(second, 'device')
      expect(decided).toMatchObject({ status: 'approved', next_poll_at: 5000, interval_s: 10 })
      expect([decided!.account!.id, decided!.parent]).toEqual(['ada', { id: token_id, expires_at: null }])
      await first.access.revokeToken('ada', token_id, now)
      expect((await readDevice(second, 'device'))?.parent).toBeNull()
      expect(await readDevice(second, 'unknown')).toBeNull()
    },
  },
  {
    name: 'a device gets tokens once, however many calls poll at the same time',
    async check(first, second) {
      await addAccounts(first, 'ada')
      await first.grants.addDevice(hashOf('device'), newDevice('BCDF'), limit)
      await first.grants.decideDevice('BCDF', 'approved', { account_id: 'ada', token_id: null }, now)
      const actions = await callBoth([first, second], async ({ grants }, index) => {
        const { action } = await grants.pollDevice(hashOf('device'), now, (device) =>
          device ? { action: 'issue', issue: newGrant(`${index}`) } : { action: 'end' },
        )
        return action
      })
      expect(actions.filter((action) => action === 'issue')).toHaveLength(1)
      expect(await isTokenActive(second, `${actions.indexOf('issue')} access`)).toBe(true)
      expect(await first.grants.listGrants('ada', now, 10)).toHaveLength(1)
    },
  },
  {
    name: 'an ended device is gone, and if `decide` throws it stays as it was',
    async check(first, second) {
      await first.grants.addDevice(hashOf('device'), newDevice('BCDF'), limit)
      const error = new Error('no')
      const thrown = await first.grants
        .pollDevice(hashOf('device'), now, () => {
          throw error
        })
        .catch((it: unknown) => it)
      expect(thrown).toBe(error)
      expect(await readDevice(second, 'device')).toMatchObject({ next_poll_at: 0, interval_s: 5 })
      await first.grants.pollDevice(hashOf('device'), now, () => ({ action: 'end' }))
      expect(await readDevice(second, 'device')).toBeNull()
    },
  },
  {
    name: 'a sweep deletes devices one day after they expire, and clients that nobody used',
    async check(first, { grants }) {
      await addAccounts(first, 'ada')
      for (const [id, created_at] of [
        ['old', now - 1],
        ['used', now - 1],
        ['new', now],
      ] as const)
        await first.grants.addClient(client(id, created_at), { max: 9, unusedBefore: 0 })
      await first.grants.addCode(hashOf('code'), newCode({ client_id: 'used' }), now)
      await first.grants.addDevice(hashOf('device'), newDevice('BCDF'), limit)
      await grants.sweep(now + 86_400_000 + 600_000, now)
      expect(await readDevice(first, 'device')).not.toBeNull()
      await grants.sweep(now + 86_400_000 + 600_001, now)
      expect(await readDevice(first, 'device')).toBeNull()
      const found = await Promise.all(['old', 'used', 'new'].map((id) => grants.findClient(id)))
      expect(found.map((it) => it?.id ?? null)).toEqual([null, 'used', 'new'])
    },
  },
]
