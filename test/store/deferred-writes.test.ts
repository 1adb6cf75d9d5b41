import { expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDeferredWrites } from '../../src/store/sqlite/deferred-writes.ts'

test('a write that finds the database locked waits, keeps its order, and is executed when the lock is released', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writes-'))
  const [ours, others] = [new Database(join(folder, 'x.db')), new Database(join(folder, 'x.db'))]
  ours.run('PRAGMA busy_timeout = 1')
  ours.run('CREATE TABLE t (n INTEGER)')
  const writes = openDeferredWrites(() => {})
  const add = (n: number) => writes.add(() => ours.query('INSERT INTO t VALUES (?)').run(n))
  const rows = () =>
    ours
      .query<{ n: number }, []>('SELECT n FROM t ORDER BY rowid')
      .all()
      .map(({ n }) => n)
  add(1)
  others.run('BEGIN IMMEDIATE')
  add(2)
  add(3)
  expect(rows()).toEqual([1])
  others.run('ROLLBACK')
  add(4)
  while (rows().length < 4) await Bun.sleep(5)
  expect(rows()).toEqual([1, 2, 3, 4])
  others.run('BEGIN IMMEDIATE')
  add(5)
  others.run('COMMIT')
  writes.close()
  expect(rows()).toEqual([1, 2, 3, 4, 5])
  ours.close()
  others.close()
  rmSync(folder, { recursive: true })
})

test('another error is reported and does not delay other writes', () => {
  const reported: unknown[] = []
  const written: number[] = []
  const writes = openDeferredWrites((error) => reported.push(error))
  writes.add(() => {
    throw new Error('broken')
  })
  writes.add(() => written.push(1))
  expect([reported, written]).toEqual([[new Error('broken')], [1]])
})

test('writes that are still locked out at close are reported as lost', () => {
  const reported: unknown[] = []
  const writes = openDeferredWrites((error) => reported.push(error))
  const busy = () => {
    throw Object.assign(new Error('held'), { code: 'SQLITE_BUSY' })
  }
  writes.add(busy)
  writes.add(busy)
  writes.close()
  expect(reported).toEqual([new Error('2 writes were lost at shutdown: another connection has locked the database.')])
})
