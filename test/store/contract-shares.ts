import { expect } from 'bun:test'
import { addAccounts, addToken, callBoth, hashOf, newShare, now, type ContractCase } from './contract-case.ts'

const report = { kind: 'report', document: new Uint8Array([0x1f, 0x8b, 0, 255]) } as const

/** The contract of ShareStore. */
export const shareContract: ContractCase[] = [
  {
    name: 'a link is found by its hash with its content until it expires',
    async check(first, { shares }) {
      await addAccounts(first, 'ada')
      await first.shares.addShare(newShare('a run \u{1F600}'), 10)
      await first.shares.addShare(newShare('report', { content: report }), 10)
      const common = { account_id: 'ada', created_at: now, expires_at: now + 1000 }
      expect(await shares.findShare(hashOf('a run \u{1F600}'), now + 999)).toEqual({
        share: { ...common, id: 'share_a run \u{1F600}', kind: 'run', run_id: 'run_1', title: 'a run \u{1F600}' },
        content: { kind: 'run', run_id: 'run_1' },
      })
      expect(await shares.findShare(hashOf('report'), now)).toEqual({
        share: { ...common, id: 'share_report', kind: 'report', run_id: null, title: 'report' },
        content: report,
      })
      expect(await shares.findShare(hashOf('report'), now + 1000)).toBeNull()
      expect(await shares.findShare(hashOf('unknown'), now)).toBeNull()
    },
  },
  {
    name: 'the active links of an account are listed, the newest first',
    async check(first, { shares }) {
      await addAccounts(first, 'ada', 'bob')
      await shares.addShare(newShare('old', { created_at: now - 5 }), 10)
      await shares.addShare(newShare('new'), 10)
      await shares.addShare(newShare('expired', { expires_at: now + 1 }), 10)
      await shares.addShare(newShare('of bob', { account_id: 'bob' }), 10)
      expect((await first.shares.listShares('ada', now + 1)).map(({ title }) => title)).toEqual(['new', 'old'])
    },
  },
  {
    name: 'the link of another account cannot be removed',
    async check(first, { shares }) {
      await addAccounts(first, 'ada', 'bob')
      await first.shares.addShare(newShare('share'), 10)
      expect(await shares.removeShare('bob', 'share_share')).toBe(false)
      expect(await shares.findShare(hashOf('share'), now)).not.toBeNull()
      expect(await shares.removeShare('ada', 'share_share')).toBe(true)
      expect(await shares.removeShare('ada', 'share_share')).toBe(false)
      expect(await first.shares.findShare(hashOf('share'), now)).toBeNull()
    },
  },
  {
    name: 'an account has at most the allowed number of links, also if both stores add them at the same time',
    async check(first, second) {
      await addAccounts(first, 'ada', 'bob')
      await first.shares.addShare(newShare('expired', { created_at: now - 10, expires_at: now }), 3)
      await first.shares.addShare(newShare('of bob', { account_id: 'bob' }), 3)
      const added = await callBoth([first, second], ({ shares }, index) => shares.addShare(newShare(`${index}`), 3))
      expect(added.filter(Boolean)).toHaveLength(3)
      expect(await first.shares.listShares('ada', now)).toHaveLength(3)
    },
  },
  {
    name: 'a link ends with the token that it was made with',
    async check(first, { shares }) {
      await addAccounts(first, 'ada')
      const token_id = await addToken(first, 'token', { expires_at: now + 100 })
      await shares.addShare(newShare('share', { token_id }), 10)
      expect(await shares.findShare(hashOf('share'), now + 99)).not.toBeNull()
      expect(await shares.findShare(hashOf('share'), now + 100)).toBeNull()
      await first.access.revokeToken('ada', token_id, now)
      expect([await shares.findShare(hashOf('share'), now), await shares.listShares('ada', now)]).toEqual([null, []])
    },
  },
  {
    name: 'a sweep deletes the expired links',
    async check(first, { shares }) {
      await addAccounts(first, 'ada')
      await first.shares.addShare(newShare('expired'), 10)
      await first.shares.addShare(newShare('active', { expires_at: now + 1001 }), 10)
      await shares.sweep(now + 1000)
      expect(await shares.findShare(hashOf('expired'), now)).toBeNull()
      expect(await shares.findShare(hashOf('active'), now)).not.toBeNull()
    },
  },
]
