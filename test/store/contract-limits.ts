import { expect } from 'bun:test'
import type { UsageRow } from '../../src/store/accounts/limits.ts'
import { callBoth, type ContractCase } from './contract-case.ts'

const usage = (changes: Partial<UsageRow>): UsageRow => ({
  account_id: 'ada',
  day: '2026-11-23',
  endpoint: 'fetch',
  source: '',
  requests: 1,
  fields: 2,
  metered_calls: 3,
  ...changes,
})
const rounds = 40
/** Enough rows that two calls lock some of them in different orders, unless the store orders them. */
const rowCount = 300

/** The contract of LimitStore. */
export const limitContract: ContractCase[] = [
  {
    name: 'usage that both stores add at the same time, in any order, adds up',
    async check(first, second) {
      const rows = Array.from({ length: rowCount }, (_, i) =>
        usage({ endpoint: `endpoint ${String(i).padStart(3, '0')}` }),
      )
      await callBoth(
        [first, second],
        ({ limits }, index) => limits.addUsage(index % 3 ? rows : rows.toReversed()),
        rounds,
      )
      const sums = { requests: rounds, fields: 2 * rounds, metered_calls: 3 * rounds }
      expect(await first.limits.listUsage('ada', '2026-11-23', '2026-11-23')).toEqual(
        rows.map((row) => ({ ...row, ...sums })),
      )
    },
  },
  {
    name: 'rows of one call with the same key add up, also beyond 32 bits',
    async check({ limits }) {
      await limits.addUsage([usage({ fields: 2 ** 40 }), usage({ fields: 2 ** 40 })])
      await limits.addUsage([])
      const [row] = await limits.listUsage('ada', '2026-11-23', '2026-11-23')
      expect(row).toEqual(usage({ requests: 2, fields: 2 ** 41, metered_calls: 6 }))
    },
  },
  {
    name: 'usage is listed between two days, the newest day first, then by endpoint and source',
    async check({ limits }) {
      const rows = [
        usage({ day: '2026-11-24', endpoint: 'b' }),
        usage({ day: '2026-11-23', endpoint: 'B' }),
        usage({ day: '2026-11-23', endpoint: 'a', source: '' }),
        usage({ day: '2026-11-23', endpoint: 'a', source: 'x' }),
      ]
      await limits.addUsage(rows.toReversed())
      await limits.addUsage([usage({ account_id: 'bob' }), usage({ day: '2026-11-22' }), usage({ day: '2026-11-25' })])
      expect(await limits.listUsage('ada', '2026-11-23', '2026-11-24')).toEqual(rows)
      expect(await limits.listUsage('nobody', '2026-11-23', '2026-11-24')).toEqual([])
    },
  },
  {
    name: 'quota units that both stores add at the same time, in any order, add up by account and day',
    async check(first, second) {
      const rows = Array.from({ length: rowCount }, (_, i) => ({
        account_id: `account ${i}`,
        window_start: '2026-11-23',
        units: 2,
      }))
      await callBoth(
        [first, second],
        ({ limits }, index) => limits.addQuota(index % 3 ? rows : rows.toReversed()),
        rounds,
      )
      await first.limits.addQuota([
        { ...rows[0]!, units: 2 ** 40 },
        { ...rows[0]!, units: 1 },
        { ...rows[0]!, window_start: '2026-11-24', units: 7 },
      ])
      const units = await Promise.all(rows.map(({ account_id }) => second.limits.quotaOf(account_id, '2026-11-23')))
      expect(units).toEqual([2 * rounds + 2 ** 40 + 1, ...Array.from({ length: rowCount - 1 }, () => 2 * rounds)])
      expect(await second.limits.quotaOf('account 0', '2026-11-24')).toBe(7)
      expect(await second.limits.quotaOf('account 1', '2026-11-24')).toBe(0)
    },
  },
  {
    name: 'units that both stores allocate at the same time never exceed the limit, and all of them are granted',
    async check(first, second) {
      const request = { account_id: 'ada', window_start: '2026-11-23', limit: 95, min: 1, max: 10 }
      const allocations = await callBoth([first, second], ({ limits }) => limits.allocate(request))
      expect(allocations.map(({ granted }) => granted).toSorted((a, b) => b - a)).toEqual([
        ...Array.from({ length: 9 }, () => 10),
        5,
        ...Array.from({ length: allocations.length - 10 }, () => 0),
      ])
      expect(await second.limits.quotaOf('ada', '2026-11-23')).toBe(95)
    },
  },
  {
    name: 'an allocation has at least as many units as it needs, or none; returned units are allocated again',
    async check({ limits }) {
      const request = { account_id: 'ada', window_start: '2026-11-23', limit: 10, min: 4, max: 6 }
      expect(await limits.allocate(request)).toEqual({ granted: 6, units: 6 })
      expect(await limits.allocate(request)).toEqual({ granted: 4, units: 10 })
      expect(await limits.allocate({ ...request, min: 1 })).toEqual({ granted: 0, units: 10 })
      await limits.addQuota([{ account_id: 'ada', window_start: '2026-11-23', units: -3 }])
      expect(await limits.allocate(request)).toEqual({ granted: 0, units: 7 })
      expect(await limits.allocate({ ...request, min: 3 })).toEqual({ granted: 3, units: 10 })
      await limits.addQuota([{ account_id: 'ada', window_start: '2026-11-23', units: 5 }])
      expect(await limits.allocate({ ...request, min: 1 })).toEqual({ granted: 0, units: 15 })
    },
  },
  {
    name: 'a sweep deletes the usage and the quota units of the days before, and those of the minutes before',
    async check({ limits }) {
      const days = ['2026-10-31', '2026-11-01', '2026-11-02']
      const minutes = ['2026-11-02T10:59', '2026-11-02T11:00']
      await limits.addQuota(minutes.map((minute) => ({ account_id: 'ada', window_start: minute, units: 1 })))
      await limits.addUsage(days.map((day) => usage({ day })))
      await limits.addQuota(days.map((day) => ({ account_id: 'ada', window_start: day, units: 1 })))
      await limits.sweep({ usage: '2026-11-01', day: '2026-11-02', minute: '2026-11-02T11:00' })
      expect((await limits.listUsage('ada', '2026-01-01', '2026-12-31')).map(({ day }) => day)).toEqual([
        '2026-11-02',
        '2026-11-01',
      ])
      const left = [...days, ...minutes].map((start) => limits.quotaOf('ada', start))
      expect(await Promise.all(left)).toEqual([0, 0, 1, 0, 1])
    },
  },
]
