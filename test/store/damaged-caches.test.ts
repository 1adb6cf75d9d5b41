import { afterEach, expect, test } from 'bun:test'
import { createBilledCalls } from '../../src/store/billed-calls.ts'
import { openCacheDatabase } from '../../src/store/sqlite/cache-database.ts'
import { openGeocodeCache } from '../../src/store/sqlite/geocode-cache.ts'
import { createSqliteSql } from '../../src/store/sqlite/sqlite-sql.ts'
import { createLocalClaims } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createTransactions } from '../../src/store/sqlite/transactions.ts'
import { openUpstreamCache } from '../../src/store/sqlite/upstream-cache.ts'
import { newFolder } from '../cli/fieldstone.ts'

const cleanups: (() => void)[] = []
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()))

function folderOfTest(): string {
  const { folder, remove } = newFolder()
  cleanups.push(remove)
  return folder
}

const times = { cached_at: 1000, fresh_until: 2000 }
/** One other bit in each column. 2 and 3 differ in one bit. */
const damages = (text: string) => [
  `${text} = replace(${text}, '2', '3')`,
  `${text} = replace(${text}, '2', '3') || ' '`,
  'fresh_until = fresh_until + 1024',
  'cached_at = cached_at + 1',
  "key = 'kez'",
]

test.each(damages('data'))('a cached response with one other bit is not found: %s', (damage) => {
  const folder = folderOfTest()
  const cache = openUpstreamCache(folder)
  cache.put('key', '{"value":2}', times.cached_at, times.fresh_until)
  cache.close()
  const again = openUpstreamCache(folder)
  cleanups.push(() => again.close())
  expect(again.find('key', 1500)).toEqual({ data: '{"value":2}', ...times })
  const db = openCacheDatabase(folder, [])
  db.run(`UPDATE upstream_responses SET ${damage}`)
  db.close()
  expect([again.find('key', 1500), again.find('kez', 1500)]).toEqual([null, null])
})

test.each([...damages('outcome'), "providers = 'censur'"])(
  'a cached geocode with one other bit is not found: %s',
  async (damage) => {
    const folder = folderOfTest()
    const cache = openGeocodeCache(folder)
    cleanups.push(() => cache.close())
    const geocode = { outcome: '{"lat":2}', providers: 'census' }
    await cache.put('key', geocode, times)
    expect(await cache.find('key', 1500)).toEqual(geocode)
    const db = openCacheDatabase(folder, [])
    db.run(`UPDATE geocodes SET ${damage}`)
    db.close()
    expect([await cache.find('key', 1500), await cache.find('kez', 1500)]).toEqual([null, null])
  },
)

test.each(damages('answer'))('the answer of a billed call with one other bit is not found: %s', async (damage) => {
  const db = openState(folderOfTest())
  cleanups.push(() => db.close())
  const sql = createSqliteSql(createTransactions(db))
  const claiming = createLocalClaims()
  const calls = createBilledCalls({ quick: sql, work: sql }, claiming)
  const answer = { answer: '{"lat":2}', ...times }
  await calls.put('key', answer)
  expect(await calls.find('key', 1500)).toEqual(answer)
  db.run(`UPDATE billed_calls SET ${damage}`)
  expect([await calls.find('key', 1500), await calls.find('kez', 1500)]).toEqual([null, null])
})
