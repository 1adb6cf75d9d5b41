import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'bun:sqlite'
import { isMonthExpired, monthOf, openGeocodeAudit, type GeocodeAudit } from '../../src/store/sqlite/geocode-audit.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'

const folders: string[] = []
const databases: Database[] = []
afterAll(() => {
  for (const db of databases) db.close()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function opened(): { folder: string; db: Database; audit: GeocodeAudit } {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-'))
  const db = openState(folder)
  folders.push(folder)
  databases.push(db)
  return { folder, db, audit: openGeocodeAudit(db, randomBytes, () => {}) }
}
const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))

const day_ms = 86_400_000
const at = (time: string) => Date.parse(time)
const record = (audit: GeocodeAudit, time: string) =>
  audit.add({
    at: at(time),
    account: 'owner',
    address_hash: audit.hashOf('1 main st'),
    outcome: 'found',
    provider: 'census',
    cached: false,
  })
const rows = (db: Database, month: string) =>
  db.query(`SELECT * FROM geocode_audit_${month.replace('-', '_')} ORDER BY at`).all() as Record<string, unknown>[]

describe('an audit record', () => {
  test('has the time, account, hash, outcome, provider and cache status, in the table of its UTC month', () => {
    const { db, audit } = opened()
    record(audit, '2026-10-31T23:59:59.999Z')
    record(audit, '2026-11-01T00:00:00.000Z')
    expect(audit.listMonths()).toEqual(['2026-10', '2026-11'])
    expect(rows(db, '2026-10')).toEqual([
      {
        at: at('2026-10-31T23:59:59.999Z'),
        account: 'owner',
        address_hash: audit.hashOf('1 main st'),
        outcome: 'found',
        provider: 'census',
        cached: 0,
      },
    ])
  })

  test('has the same hash for the same address after a restart, and a different hash for another address or another database', () => {
    const { db, audit } = opened()
    const hash = audit.hashOf('1 main st')
    expect(openGeocodeAudit(db, randomBytes, () => {}).hashOf('1 main st')).toEqual(hash)
    expect(audit.hashOf('2 main st')).not.toEqual(hash)
    expect(opened().audit.hashOf('1 main st')).not.toEqual(hash)
  })

  test('contains neither the address nor a hash that can be computed without the key, which only the owner of the folder can read', () => {
    const { folder, db, audit } = opened()
    audit.add({
      at: at('2026-11-01T00:00:00Z'),
      account: 'owner',
      address_hash: audit.hashOf('4711 secret lane'),
      outcome: 'found',
      provider: null,
      cached: true,
    })
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(readFileSync(join(folder, 'state.db'), 'latin1')).not.toContain('secret lane')
    expect(audit.hashOf('4711 secret lane')).not.toEqual(
      new Bun.CryptoHasher('sha256').update('4711 secret lane').digest(),
    )
    expect(statSync(join(folder, 'state.db')).mode & 0o777).toBe(0o600)
  })
})

test('for every day from 2024 to 2032, and the times around its midnight, a record is kept for at least 30 days and deleted after at most 61', () => {
  const faults: string[] = []
  for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2033, 0, 1); day += day_ms)
    for (const time of [day, day + 1, day + day_ms / 2, day + day_ms - 1]) {
      const month = monthOf(new Date(time))
      if (isMonthExpired(month, new Date(time + 30 * day_ms - 1)))
        faults.push(`${new Date(time).toISOString()} went too early`)
      if (!isMonthExpired(month, new Date(time + 61 * day_ms)))
        faults.push(`${new Date(time).toISOString()} stays too long`)
    }
  expect(faults).toEqual([])
})

test('a month expires exactly 30 days after its end', () => {
  for (let year = 2024; year <= 2032; year++)
    for (let month = 0; month < 12; month++) {
      const end = Date.UTC(year, month + 1, 1)
      const name = monthOf(new Date(Date.UTC(year, month, 15)))
      expect([
        isMonthExpired(name, new Date(end + 30 * day_ms - 1)),
        isMonthExpired(name, new Date(end + 30 * day_ms)),
      ]).toEqual([false, true])
    }
})

describe('the sweep', () => {
  test('drops a month when two sweeps half an hour apart find it expired, also after a restart, and keeps the others', () => {
    const { db, audit } = opened()
    for (const time of ['2026-09-15T00:00:00Z', '2026-10-31T00:00:00Z', '2026-11-20T00:00:00Z']) record(audit, time)
    audit.sweep(new Date('2026-11-21T10:00:00Z'))
    expect(audit.listMonths()).toEqual(['2026-09', '2026-10', '2026-11'])
    audit.sweep(new Date('2026-11-21T10:29:59Z'))
    expect(audit.listMonths()).toEqual(['2026-09', '2026-10', '2026-11'])
    openGeocodeAudit(db, randomBytes, () => {}).sweep(new Date('2026-11-22T10:00:00Z'))
    expect(audit.listMonths()).toEqual(['2026-10', '2026-11'])
  })

  test('can be repeated, and drops all expired months after a pause of several months', () => {
    const { audit } = opened()
    for (const time of ['2026-01-15T00:00:00Z', '2026-02-15T00:00:00Z', '2026-03-15T00:00:00Z']) record(audit, time)
    for (let i = 0; i < 5; i++) audit.sweep(new Date(`2026-12-01T0${i}:00:00Z`))
    expect(audit.listMonths()).toEqual([])
  })

  test('loses nothing when the clock jumps forty days ahead and back, in either order', () => {
    const { audit } = opened()
    record(audit, '2026-09-15T00:00:00Z')
    for (const time of [
      '2026-10-21T10:00:00Z',
      '2026-11-30T11:00:00Z',
      '2026-10-21T12:00:00Z',
      '2026-09-11T13:00:00Z',
      '2026-10-21T14:00:00Z',
      '2026-10-21T15:00:00Z',
    ])
      audit.sweep(new Date(time))
    expect(audit.listMonths()).toEqual(['2026-09'])
  })

  test('merges records from a future month into the present month, so that they expire in time', () => {
    const { db, audit } = opened()
    record(audit, '2026-11-20T00:00:00Z')
    record(audit, '2026-12-31T00:00:00Z')
    audit.sweep(new Date('2026-11-21T10:00:00Z'))
    audit.sweep(new Date('2026-11-21T11:00:00Z'))
    expect(audit.listMonths()).toEqual(['2026-11'])
    expect(rows(db, '2026-11').length).toBe(2)
  })

  test('does not drop records early that were written while the clock was set back', () => {
    const { audit } = opened()
    record(audit, '2026-11-20T00:00:00Z')
    record(audit, '2026-09-20T00:00:00Z')
    for (let i = 0; i < 3; i++) audit.sweep(new Date(`2026-11-21T1${i}:00:00Z`))
    expect(audit.listMonths()).toEqual(['2026-11'])
  })
})
