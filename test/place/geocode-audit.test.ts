import { afterEach, expect, test } from 'bun:test'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { GeocodeAuditRecord } from '../../src/store/audit.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { StorageError } from '../../src/store/storage-error.ts'
import { createGeocodeAudit } from '../../src/place/geocode-audit.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0).toReversed()) close()
})

const found = { outcome: 'found', provider: 'census', cached: false }
const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))
const start = Date.UTC(2026, 10, 1)

function openAudit(
  changes: { add?: (records: readonly GeocodeAuditRecord[]) => Promise<void>; isReadOnly?: boolean } = {},
) {
  const folder = temporaryFolder()
  closers.push(() => rmSync(folder, { recursive: true }))
  const db = openState(folder)
  closers.push(() => db.close())
  const { access, audit: auditStore } = createSqliteStore(db)
  const logged: Record<string, unknown>[] = []
  const create = () =>
    createGeocodeAudit({
      store: {
        isReadOnly: changes.isReadOnly ?? false,
        access,
        audit: { ...auditStore, add: changes.add ?? auditStore.add },
      },
      now: () => new Date(start),
      randomBytes,
      log: { info: () => {}, error: (event, details) => void logged.push({ event, ...details }) },
    })
  const rows = () => db.query<GeocodeAuditRecord, []>('SELECT * FROM geocode_audit_2026_11 ORDER BY rowid').all()
  return { folder, db, create, audit: create(), auditStore, logged, rows }
}

test('a record has the time, account, hash, outcome, provider and cache status', async () => {
  const { audit, rows } = openAudit()
  audit.add('1 main st', 'owner', found)
  audit.add('1 main st', 'other', { outcome: 'address_too_coarse', provider: null, cached: true })
  await audit.flush()
  const [first, second] = rows() as unknown as Record<string, unknown>[]
  expect(first).toMatchObject({ at: start, account: 'owner', ...found, cached: 0 })
  expect(second).toMatchObject({ account: 'other', outcome: 'address_too_coarse', provider: null, cached: 1 })
  expect(first!.address_hash).toEqual(second!.address_hash)
})

test('an address has the same hash after a restart, and another hash in another database', async () => {
  const hashesOf = async ({ create, rows }: ReturnType<typeof openAudit>) => {
    for (const key of ['1 main st', '2 main st']) {
      const audit = create()
      audit.add(key, 'owner', found)
      audit.add('1 main st', 'owner', found)
      await audit.flush()
    }
    return rows().map(({ address_hash }) => address_hash.toHex())
  }
  const [first, again, other, afterRestart] = await hashesOf(openAudit())
  expect([again, afterRestart, other === first]).toEqual([first, first, false])
  expect((await hashesOf(openAudit()))[0]).not.toBe(first)
})

test('the database has neither the address nor a hash that can be computed without the key, and only its owner reads it', async () => {
  const { folder, db, audit, rows } = openAudit()
  audit.add('4711 secret lane', 'owner', found)
  await audit.flush()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(readFileSync(join(folder, 'state.db'), 'latin1')).not.toContain('secret lane')
  expect(rows()[0]!.address_hash).not.toEqual(new Bun.CryptoHasher('sha256').update('4711 secret lane').digest())
  expect(statSync(join(folder, 'state.db')).mode & 0o777).toBe(0o600)
})

test('records wait in their order while the storage does not answer, and are then written once', async () => {
  const failures = [new StorageError('busy'), new StorageError('unavailable')]
  const written: number[] = []
  const service = openAudit({
    add: async (records) => {
      const failure = failures.shift()
      if (failure) throw failure
      await service.auditStore.add(records)
      written.push(records.length)
      if (service.rows().length === 3) resolve()
    },
  })
  const { promise: isWritten, resolve } = Promise.withResolvers<void>()
  for (const account of ['a', 'b', 'c']) service.audit.add('1 main st', account, found)
  await isWritten
  expect(service.rows().map(({ account }) => account)).toEqual(['a', 'b', 'c'])
  expect([written.reduce((sum, count) => sum + count), failures, service.logged]).toEqual([3, [], []])
})

test('records that cannot be written are reported without their address, and do not delay others', async () => {
  let isBroken = true
  const service = openAudit({
    add: async (records) => {
      if (isBroken) throw new StorageError('full')
      await service.auditStore.add(records)
    },
  })
  service.audit.add('4711 secret lane', 'owner', found)
  await service.audit.flush()
  isBroken = false
  service.audit.add('1 main st', 'owner', found)
  await service.audit.flush()
  expect(service.logged).toEqual([{ event: 'geocode_audit', lost_records: 1, error: new StorageError('full') }])
  expect(service.rows()).toHaveLength(1)
})

test('records that wait at the end are tried once more, and reported as lost', async () => {
  let attempts = 0
  const { audit, logged } = openAudit({
    add: async () => {
      attempts++
      throw new StorageError('unavailable')
    },
  })
  audit.add('1 main st', 'owner', found)
  audit.add('1 main st', 'owner', found)
  await audit.flush()
  expect(logged.reduce((sum, { lost_records }) => sum + (lost_records as number), 0)).toBe(2)
  expect(attempts).toBeLessThanOrEqual(2)
})

test('a read-only data folder has no new records, and reports nothing', async () => {
  const { audit, logged, auditStore } = openAudit({ isReadOnly: true })
  audit.add('1 main st', 'owner', found)
  await audit.flush()
  expect([logged, await auditStore.listMonths()]).toEqual([[], []])
})
