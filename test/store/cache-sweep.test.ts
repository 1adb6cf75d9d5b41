import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openCacheDatabase } from '../../src/store/sqlite/cache-database.ts'
import { sweepCache } from '../../src/store/sqlite/cache-sweep.ts'
import { openUpstreamCache } from '../../src/store/sqlite/upstream-cache.ts'
import { newDisk } from './small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const hour_ms = 3_600_000
const rows = 1000

function createFilledCache() {
  rmSync(join(folder, 'cache.db'), { force: true })
  const readings = openUpstreamCache(folder)
  for (let i = 0; i < rows; i++) readings.put(`key ${i}`, 'x'.repeat(2000), 0, i)
  const db = openCacheDatabase(folder, [])
  const left = () =>
    db
      .query<{ fresh_until: number }, []>('SELECT fresh_until FROM upstream_responses ORDER BY fresh_until')
      .all()
      .map(({ fresh_until }) => fresh_until)
  return {
    readings,
    db,
    left,
    close: () => {
      readings.close()
      db.close()
    },
  }
}

test('a sweep deletes expired rows, and a read during the sweep does not wait for its end', async () => {
  const { readings, left, close } = createFilledCache()
  const sweeping = readings.sweep(900)
  const first = await Promise.race([
    sweeping.then(() => 'swept'),
    new Promise((resolve) => setImmediate(resolve, 'answered')),
  ])
  expect([first, readings.find('key 950', 0)?.fresh_until]).toEqual(['answered', 950])
  await sweeping
  expect(left()).toEqual(Array.from({ length: 100 }, (_, i) => 900 + i))
  close()
})

test('a sweep deletes the rows that expire soonest until the file is small enough, and no more', async () => {
  const { readings, db, left, close } = createFilledCache()
  await readings.sweep(0)
  expect(left()).toHaveLength(rows)
  await sweepCache(db, 'upstream_responses', 0, 1_500_000)
  const kept = left()
  expect(kept.length).toBeLessThan(rows)
  expect(kept.length).toBeGreaterThan(200)
  expect(kept.at(-1)).toEqual(rows - 1)
  expect(kept[0]).toEqual(rows - kept.length)
  close()
})

test('a sweep ends if nothing can be deleted, or if the cache is closed', async () => {
  const { readings, db, close } = createFilledCache()
  db.run('PRAGMA query_only = ON')
  await sweepCache(db, 'upstream_responses', 900, 0)
  const sweeping = sweepCache(openCacheDatabase(folder, []), 'upstream_responses', 0, 1)
  close()
  await sweeping
  const again = openUpstreamCache(folder)
  const ending = again.sweep(rows)
  again.close()
  await ending
  expect(readings.find('key 1', 0)).toBeNull()
})

test('a row that was written while the clock was far ahead is ignored when the clock is correct again', () => {
  const { readings, close } = createFilledCache()
  readings.put('far', '1', 40 * 24 * hour_ms, 41 * 24 * hour_ms)
  readings.put('near', '2', hour_ms, 25 * hour_ms)
  expect([readings.find('far', 0), readings.find('near', 0)?.data]).toEqual([null, '2'])
  close()
})

test('the file has a maximum size, beyond which writes are ignored', () => {
  const { readings, db, close } = createFilledCache()
  const pages = ({ max_page_count, page_size }: { max_page_count: number; page_size: number }) =>
    max_page_count * page_size
  expect(
    pages(
      db
        .query<{ max_page_count: number; page_size: number }, []>(
          'SELECT m.max_page_count, s.page_size FROM pragma_max_page_count m, pragma_page_size s',
        )
        .get()!,
    ),
  ).toBe(6 * 2 ** 30)
  expect(readings.find('key 1', 0)?.fresh_until).toBe(1)
  close()
})

const disk = newDisk(100)
afterAll(() => disk?.remove())

test.skipIf(disk === null)('on a nearly full disk, nothing is cached, because runs need the space', () => {
  const [readings, other] = [openUpstreamCache(disk!.folder), openUpstreamCache(disk!.folder)]
  for (let i = 0; i < 300; i++) readings.put(`key ${i}`, '1', 0, i)
  expect([other.find('key 1', 0), readings.find('key 299', 0)?.fresh_until]).toEqual([null, 299])
  readings.close()
  other.close()
})
