import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenHash } from '../../src/auth/token.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { verifyState } from '../../src/store/sqlite/copy-state.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { migrations, postgresMigrations } from '../../src/store/migrations.ts'
import { hasStrace } from '../support/strace.ts'
import { newDisk } from './small-disk.ts'
import { writeOlderState, killUpgrades } from './upgrade.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}

const releasedVersion = 22
const versions = Array.from({ length: migrations.length - 1 }, (_, i) => i + 1)

test('the migrations of released versions never change', () => {
  const released = [migrations, postgresMigrations.map(({ statements }) => statements)].map((lists) =>
    lists.slice(0, releasedVersion).map((statements) => statements.map((text) => text.replaceAll(/\s+/g, ' '))),
  )
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(released)).digest('hex')
  expect(hash).toBe('7496458d4a1c3c1e5480464ae3f9608ca279426315d4d3159c8bf2bfbeb19c88')
})

describe('an older state.db', () => {
  test.each(versions)('of version %p is copied and upgraded, and keeps its rows', (version) => {
    const folder = newFolder()
    writeOlderState(folder, version)
    writeFileSync(join(folder, 'state.before-0.db'), 'of an upgrade before')
    const db = openState(folder)
    expect(db.query('SELECT count(*) AS tokens FROM tokens').get()).toEqual({ tokens: 200 })
    db.close()
    expect(verifyState(join(folder, 'state.db'), new Date()).state_version).toBe(migrations.length)
    const copy = `state.before-${version}.db`
    expect(readdirSync(folder).filter((name) => name.startsWith('state.before'))).toEqual([copy])
    expect(statSync(join(folder, copy)).mode & 0o777).toBe(0o600)
    const before = new Database(join(folder, copy), { readonly: true })
    expect(before.query('PRAGMA user_version').get()).toEqual({ user_version: version })
    expect(before.query('SELECT count(*) AS tokens FROM tokens').get()).toEqual({ tokens: 200 })
    before.close()
  })

  test('is not changed if a migration fails', () => {
    const folder = newFolder()
    const file = writeOlderState(folder, 1)
    const db = new Database(file)
    db.run('CREATE TABLE runs (in_the_way INTEGER)')
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    expect(() => openState(folder)).toThrow(/Cannot open .*: table runs already exists/)
    const after = new Database(file, { readonly: true })
    expect(after.query('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    expect(after.query("SELECT name FROM sqlite_schema WHERE name = 'secrets'").get()).toBeNull()
    after.close()
  })

  const disk = newDisk(8)
  test.skipIf(disk === null)(
    'is not changed if the disk is too full for the copy, and the message gives the required space',
    () => {
      writeOlderState(disk!.folder, 1)
      const empty = disk!.fill(40_000)
      expect(() => openState(disk!.folder)).toThrow(/Nothing was changed\. Free up disk space and start again/)
      empty()
      openState(disk!.folder).close()
      disk!.remove()
    },
  )
})

test('the state.db of every release can be read: its account, its run and its artifact', async () => {
  const names = readdirSync(join(import.meta.dir, '..', 'fixtures')).filter((name) => /^state-.*\.db\.zst$/.test(name))
  expect(names).toContain('state-0.1.0.db.zst')
  for (const name of names) {
    const folder = newFolder()
    writeFileSync(
      join(folder, 'state.db'),
      Bun.zstdDecompressSync(readFileSync(join(import.meta.dir, '..', 'fixtures', name))),
    )
    const db = openState(folder)
    expect(await createSqliteStore(db).access.findToken(tokenHash('fst_pat_a token of the fixture'))).toMatchObject({
      account_id: 'owner',
      scopes: 'fetch runs',
    })
    const { runs, artifacts } = createSqliteStore(db)
    const run = (await runs.find('run_01KAHF5T000000000000000000', 'owner'))!
    expect(run.status).toBe('done')
    expect(run.done).toBe(2)
    expect((await runs.listEntries(run.number, 0, 10)).length).toBe(2)
    expect(await artifacts.find(run.number, 'csv')).toEqual({ etag: '"abc"', bytes: 9 })
    db.close()
    expect(verifyState(join(folder, 'state.db'), new Date('2026-11-21')).state_version).toBe(migrations.length)
  }
})

test('after an upgrade from version 4, a run has the correct number of retryable locations, and its locations have no earlier attempts', async () => {
  const folder = newFolder()
  const older = new Database(writeOlderState(folder, 4))
  older.run(
    "INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, columns, catalog_version, total, done) VALUES ('it', 'owner', 'fetch', 'fetch_batch', 'running', 0, 9e15, '{}', '[]', '[]', '1', 4, 3)",
  )
  for (const [idx, again] of [0, 1, 1].entries())
    older.query("INSERT INTO run_results (run, idx, ok, again, entry) VALUES (1, ?, 0, ?, '{}')").run(idx, again)
  for (let idx = 0; idx < 4; idx++)
    older.query("INSERT INTO run_locations (run, idx, input, forgiven) VALUES (1, ?, '{}', 7)").run(idx)
  older.close()
  const db = openState(folder)
  expect((await createSqliteStore(db).runs.find('it', 'owner'))?.retryable_locations).toBe(2)
  expect(db.query('SELECT attempts FROM runs').get()).toEqual({ attempts: '[]' })
  db.close()
})

test('after an upgrade from version 19, the locations of a run without an answer keep their attempts', async () => {
  const folder = newFolder()
  const older = new Database(writeOlderState(folder, 19))
  older.run(
    "INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, columns, catalog_version, total, done) VALUES ('it', 'owner', 'fetch', 'fetch_batch', 'running', 0, 9e15, '{}', '[]', '[]', '1', 3, 1)",
  )
  older.run("INSERT INTO run_results (run, idx, ok, retryable, entry) VALUES (1, 0, 0, 0, '{}')")
  for (const [attempts, earlier] of [
    [1, 0],
    [1, 1],
    [0, 1],
  ])
    older
      .query(
        'INSERT INTO run_locations (run, idx, input, attempts, earlier_attempts) SELECT 1, count(*), ?, ?, ? FROM run_locations',
      )
      .run('{}', attempts!, earlier!)
  older.close()
  const db = openState(folder)
  const writer = await createSqliteStore(db).runQueue.beginEpoch(0)
  expect((await writer.retriedLocations(1)).map(({ idx, attempts }) => [idx, attempts])).toEqual([
    [2, 1],
    [1, 2],
  ])
  db.close()
})

test.skipIf(!hasStrace)(
  'killed at any write of an upgrade, a state.db has entirely the old or the new schema, the copy exists before the upgrade, and the next start succeeds',
  async () => {
    const { left, lost, withoutCopy } = await killUpgrades(8)
    expect(left.length).toBeGreaterThanOrEqual(8)
    expect([left.filter((it) => it === 'half').length, lost, withoutCopy]).toEqual([0, 0, 0])
  },
)
