import { expect } from 'bun:test'
import { stalledClaim_ms } from '../../src/store/billed-calls.ts'
import { callBoth, now, type ContractCase } from './contract-case.ts'

const minute_ms = 60_000

/** The contract of BilledCallStore. */
export const billedCallContract: ContractCase[] = [
  {
    name: 'a billed call is claimed once, until its claim is released',
    async check(first, second) {
      const claims = await callBoth([first, second], ({ billedCalls }, index) =>
        billedCalls.claim('call', `claimant ${index}`, minute_ms),
      )
      expect(claims.filter(Boolean)).toHaveLength(1)
      const winner = `claimant ${claims.indexOf(true)}`
      const { billedCalls } = [first, second][claims.indexOf(true) % 2]!
      expect(await billedCalls.claim('call', winner, minute_ms)).toBe(true)
      expect(await billedCalls.claim('another call', 'x', minute_ms)).toBe(true)
      await billedCalls.release('call', 'x')
      expect(await billedCalls.claim('call', 'x', minute_ms)).toBe(false)
      await billedCalls.release('call', winner)
      expect(await second.billedCalls.claim('call', 'x', 0)).toBe(true)
      // The process of the claim has not ended.
      expect(await first.billedCalls.claim('call', 'y', minute_ms)).toBe(false)
      expect(await second.billedCalls.claim('call', 'x', -stalledClaim_ms)).toBe(true)
      expect(await first.billedCalls.claim('call', 'y', minute_ms)).toBe(true)
    },
  },
  {
    name: 'the answer of a billed call is found while it is fresh, also during another claim',
    async check({ billedCalls }, second) {
      const answer = { answer: '{"a":1}', cached_at: now, fresh_until: now + minute_ms }
      expect(await billedCalls.find('call', now)).toBeNull()
      await billedCalls.claim('call', 'x', minute_ms)
      expect(await second.billedCalls.find('call', now)).toBeNull()
      await billedCalls.put('call', answer)
      expect(await second.billedCalls.find('call', now)).toEqual(answer)
      expect(await second.billedCalls.find('call', now + minute_ms)).toBeNull()
      // The row was written while the clock was wrong.
      expect(await second.billedCalls.find('call', now - 120 * minute_ms)).toBeNull()
    },
  },
  {
    name: 'a sweep deletes billed calls whose answer and claim have expired',
    async check({ billedCalls }, second) {
      const answer = { answer: '1', cached_at: 1, fresh_until: 2 }
      await billedCalls.put('expired', answer)
      await billedCalls.put('fresh', { ...answer, fresh_until: now })
      await billedCalls.put('claimed', answer)
      await billedCalls.claim('claimed', 'x', minute_ms)
      await second.billedCalls.sweep(3)
      const found = ['expired', 'fresh', 'claimed'].map((key) => billedCalls.find(key, 1))
      expect((await Promise.all(found)).map((it) => it !== null)).toEqual([false, true, true])
    },
  },
]
