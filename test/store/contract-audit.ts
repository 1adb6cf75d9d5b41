import { expect } from 'bun:test'
import type { AuditMonth, GeocodeAuditRecord } from '../../src/store/audit.ts'
import { callBoth, callers, hashOf, now, type ContractCase, type ContractStore } from './contract-case.ts'

const day_ms = 86_400_000
const geocode = { outcome: '{"rejected":"address_not_found","é":"\\u0007 \u{1F600}"}', providers: 'census' }
const times = { cached_at: now, fresh_until: now + day_ms }

const record = (time: string): GeocodeAuditRecord => ({
  at: Date.parse(time),
  account: 'ada',
  address_hash: hashOf('1 main st'),
  outcome: 'found',
  provider: 'census',
  cached: false,
})
const add = ({ audit }: ContractStore, ...records: string[]) => audit.add(records.map(record))
const namesOf = (months: AuditMonth[]) => months.map(({ month }) => month)

/** Sweeps at times in turn with both stores, and returns the months afterwards. */
async function monthsAfterSweeps(stores: readonly [ContractStore, ContractStore], sweeps: string[]): Promise<string[]> {
  for (const [index, time] of sweeps.entries()) await stores[index % 2]!.audit.sweep(new Date(time))
  return namesOf(await stores[0].audit.listMonths())
}

/** The contract of AuditStore and GeocodeStore. */
export const auditContract: ContractCase[] = [
  {
    name: 'audit records are counted in the UTC month of their time',
    async check(first, second) {
      await add(first, '2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z')
      await second.audit.add([{ ...record('2026-11-02T00:00:00Z'), provider: null, cached: true }])
      expect(await first.audit.listMonths()).toEqual([
        { month: '2026-10', records: 1 },
        { month: '2026-11', records: 2 },
      ])
    },
  },
  {
    name: 'audit records that both stores add at the same time, also as the first of a month, are all counted',
    async check(first, second) {
      await callBoth([first, second], (store) => add(store, '2026-10-31T00:00:00Z', '2026-11-20T00:00:00Z'))
      const months = await second.audit.listMonths()
      expect(months.reduce((sum, { records }) => sum + records, 0)).toBe(2 * callers)
      expect(namesOf(months)).toEqual(['2026-10', '2026-11'])
    },
  },
  {
    name: 'a month of the audit is deleted when two sweeps half an hour apart find it expired, and the others stay',
    async check(first, second) {
      await add(first, '2026-09-15T00:00:00Z', '2026-10-31T00:00:00Z', '2026-11-20T00:00:00Z')
      const months = (...sweeps: string[]) => monthsAfterSweeps([first, second], sweeps)
      expect(await months('2026-11-21T10:00:00Z', '2026-11-21T10:29:59Z')).toEqual(['2026-09', '2026-10', '2026-11'])
      expect(await months('2026-11-21T10:30:00Z')).toEqual(['2026-10', '2026-11'])
    },
  },
  {
    name: 'a sweep of the audit can be repeated, and deletes all expired months after a pause of several months',
    async check(first, second) {
      await add(first, '2026-01-15T00:00:00Z', '2026-02-15T00:00:00Z', '2026-03-15T00:00:00Z')
      const sweeps = [0, 1, 2, 3, 4].map((hour) => `2026-12-01T0${hour}:00:00Z`)
      expect(await monthsAfterSweeps([first, second], sweeps)).toEqual([])
    },
  },
  {
    name: 'the audit loses nothing when the clock jumps forty days ahead and back, in either order',
    async check(first, second) {
      await add(first, '2026-09-15T00:00:00Z')
      const sweeps = [
        '2026-10-21T10',
        '2026-11-30T11',
        '2026-10-21T12',
        '2026-09-11T13',
        '2026-10-21T14',
        '2026-10-21T15',
      ]
      expect(
        await monthsAfterSweeps(
          [first, second],
          sweeps.map((time) => `${time}:00:00Z`),
        ),
      ).toEqual(['2026-09'])
    },
  },
  {
    name: 'audit records from a future month are moved into the present month, so that they expire in time',
    async check(first, second) {
      await add(first, '2026-11-20T00:00:00Z', '2026-12-31T00:00:00Z')
      await monthsAfterSweeps([first, second], ['2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'])
      await add(second, '2026-11-21T12:00:00Z')
      expect(await first.audit.listMonths()).toEqual([{ month: '2026-11', records: 3 }])
    },
  },
  {
    name: 'no audit record is lost that is added while a sweep moves or deletes a month',
    async check(first, second) {
      await add(first, '2026-09-20T00:00:00Z', '2026-12-31T00:00:00Z')
      await first.audit.sweep(new Date('2026-11-21T10:00:00Z'))
      await Promise.all([
        callBoth([first, second], (store) => add(store, '2026-11-21T11:00:00Z')),
        second.audit.sweep(new Date('2026-11-21T11:00:00Z')),
        callBoth([first, second], (store) => add(store, '2026-11-21T11:00:00Z')),
      ])
      await monthsAfterSweeps([first, second], ['2026-11-21T12:00:00Z', '2026-11-21T13:00:00Z'])
      expect(await first.audit.listMonths()).toEqual([{ month: '2026-11', records: 1 + 2 * callers }])
    },
  },
  {
    name: 'audit records that were written while the clock was set back are not deleted early',
    async check(first, second) {
      await add(first, '2026-11-20T00:00:00Z')
      await add(second, '2026-09-20T00:00:00Z')
      const sweeps = [0, 1, 2].map((hour) => `2026-11-21T1${hour}:00:00Z`)
      expect(await monthsAfterSweeps([first, second], sweeps)).toEqual(['2026-11'])
      expect(await first.audit.listMonths()).toEqual([{ month: '2026-11', records: 2 }])
    },
  },
  {
    name: 'a cached geocode is found to the letter until it expires, and the last write wins',
    async check(first, { geocodes }) {
      await first.geocodes.put('1 main st ñ', geocode, times)
      expect(await geocodes.find('1 main st ñ', now + day_ms - 1)).toEqual(geocode)
      expect(await geocodes.find('1 main st ñ', now + day_ms)).toBeNull()
      expect(await geocodes.find('1 Main St ñ', now)).toBeNull()
      await geocodes.put('1 main st ñ', { ...geocode, providers: 'geocodio,census' }, times)
      expect((await first.geocodes.find('1 main st ñ', now))?.providers).toBe('geocodio,census')
    },
  },
  {
    name: 'a geocode that was cached far in the future is ignored, and one from the next hour is used',
    async check({ geocodes }) {
      await geocodes.put('far', geocode, { cached_at: now + 3_600_001, fresh_until: now + 70 * day_ms })
      await geocodes.put('near', geocode, { cached_at: now + 3_600_000, fresh_until: now + 30 * day_ms })
      expect([await geocodes.find('far', now), await geocodes.find('near', now)]).toEqual([null, geocode])
    },
  },
  {
    name: 'a sweep deletes the geocodes that expired before a time',
    async check(first, { geocodes }) {
      for (const [key, fresh_until] of [
        ['old', now - 1],
        ['new', now],
      ] as const)
        await first.geocodes.put(key, geocode, { cached_at: now - day_ms, fresh_until })
      await geocodes.sweep(now)
      const before = now - 2
      expect(await first.geocodes.find('old', before)).toBeNull()
      expect(await first.geocodes.find('new', before)).toEqual(geocode)
    },
  },
]
