import type { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { openTestService } from '../support/test-service.ts'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createTransactions } from '../../src/store/sqlite/transactions.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folders: string[] = []
const open: Database[] = []
afterEach(() => {
  for (const db of open.splice(0)) db.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function state(): { folder: string; db: Database; other: Database } {
  const folder = temporaryFolder()
  folders.push(folder)
  const [db, other] = [openState(folder), openState(folder)]
  open.push(db, other)
  db.run('CREATE TABLE t (n INTEGER NOT NULL UNIQUE)')
  return { folder, db, other }
}
const add = (db: Database, n: number) => db.query('INSERT INTO t VALUES (?)').run(n)
const rows = (db: Database) =>
  db
    .query<{ n: number }, []>('SELECT n FROM t ORDER BY rowid')
    .all()
    .map(({ n }) => n)

describe('transactions', () => {
  test('wait while another connection has locked the database, and keep their order', async () => {
    const { db, other } = state()
    const { write } = createTransactions(db)
    other.run('BEGIN IMMEDIATE')
    const all = [1, 2, 3].map((n) => write(() => add(db, n)))
    await Bun.sleep(0)
    expect(rows(db)).toEqual([])
    other.run('COMMIT')
    await Promise.all(all)
    expect(rows(db)).toEqual([1, 2, 3])
  })

  test('write nothing if their work throws, and do not delay the next one', async () => {
    const { db } = state()
    const { write } = createTransactions(db)
    const rejected = write(() => {
      add(db, 1)
      throw new Error('no')
    })
    const next = write(() => add(db, 2))
    expect(await rejected.catch(String)).toBe('Error: no')
    await next
    expect(rows(db)).toEqual([2])
  })

  test('are rejected on a read-only disk, and write nothing', async () => {
    const { db } = state()
    db.run('PRAGMA query_only = ON')
    expect(
      await createTransactions(db)
        .write(() => add(db, 1))
        .catch((error: unknown) => error),
    ).toMatchObject({ reason: 'read_only' })
    db.run('PRAGMA query_only = OFF')
    expect([rows(db), db.inTransaction]).toEqual([[], false])
  })

  test('are rejected on a full disk, and write nothing', async () => {
    const { db } = state()
    const pages = db.query<{ page_count: number }, []>('PRAGMA page_count').get()!.page_count
    db.run(`PRAGMA max_page_count = ${pages}`)
    const full = await createTransactions(db)
      .write(() => {
        for (let n = 0; n < 100_000; n++) add(db, n)
      })
      .catch((error: unknown) => error)
    expect(full).toMatchObject({ reason: 'full' })
    expect([rows(db), db.inTransaction]).toEqual([[], false])
  })
})

test('while another process has locked the database, tokens, registrations and usage wait and none is lost; fetches and health checks still work', async () => {
  const folder = temporaryFolder()
  folders.push(folder)
  const service = openTestService({ FIELDSTONE_DATA: folder, FIELDSTONE_DAILY_QUOTA: '1000' })
  const other = Bun.spawn(
    [
      process.execPath,
      '--no-env-file',
      '-e',
      `
    const { Database } = require('bun:sqlite')
    const db = new Database(${JSON.stringify(join(folder, 'state.db'))})
    db.run('PRAGMA busy_timeout = 30000')
    db.run('BEGIN IMMEDIATE')
    console.log('held')
    for await (const _ of console) { db.run('COMMIT'); break }`,
    ],
    { stdin: 'pipe', stdout: 'pipe' },
  )
  await other.stdout.getReader().read()
  const writes = [
    ...Array.from({ length: 5 }, (_, i) => service.post('/v1/users/me/tokens', { name: `t${i}`, scopes: ['fetch'] })),
    service.post('/oauth/register', { redirect_uris: ['https://a.example/cb'] }),
  ]
  expect((await service.post('/v1/fetch', { lat: 39.7, lng: -104.9, fields: ['geohash'] })).status).toBe(200)
  expect((await service.send('/healthz')).status).toBe(200)
  expect((await service.send('/v1/users/me/usage')).status).toBe(200)
  expect((await service.send('/v1/users/me/tokens')).status).toBe(200)
  await other.stdin.write('go on\n')
  await other.stdin.end()
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201])
  const { items } = (await (await service.send('/v1/users/me/tokens')).json()) as { items: { name: string }[] }
  expect(
    items
      .map(({ name }) => name)
      .filter((name) => name.startsWith('t'))
      .toSorted(),
  ).toEqual(['t0', 't1', 't2', 't3', 't4'])
  await other.exited
  await service.close()
})
