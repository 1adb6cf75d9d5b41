import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openGeocodeCache, type GeocodeCache } from '../../src/store/sqlite/geocode-cache.ts'
import { openUpstreamCache } from '../../src/store/sqlite/upstream-cache.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
let open: GeocodeCache[] = []
const opened = () => {
  const geocodes = openGeocodeCache(folder)
  open.push(geocodes)
  return geocodes
}
afterEach(() => {
  for (const geocodes of open) geocodes.close()
  open = []
  rmSync(join(folder, 'cache.db'), { force: true })
})

const day_ms = 86_400_000
const start = Date.UTC(2026, 10, 21)
const geocode = { outcome: '{"rejected":"address_not_found"}', providers: 'census' }

describe('a cached geocode', () => {
  test('is found until it expires, but not at that instant', async () => {
    const geocodes = opened()
    await geocodes.put('1 main st', geocode, { cached_at: start, fresh_until: start + day_ms })
    const times = [start, start + day_ms - 1, start + day_ms]
    expect(await Promise.all(times.map((now) => geocodes.find('1 main st', now)))).toEqual([geocode, geocode, null])
  })

  test('is found by its key; the last write wins', async () => {
    const geocodes = opened()
    await geocodes.put('1 main st', geocode, { cached_at: start, fresh_until: start + day_ms })
    await geocodes.put(
      '1 main st',
      { ...geocode, providers: 'geocodio,census' },
      { cached_at: start, fresh_until: start + day_ms },
    )
    expect((await geocodes.find('1 main st', start))?.providers).toBe('geocodio,census')
    expect(await geocodes.find('2 main st', start)).toBeNull()
  })

  test('survives a restart', async () => {
    const before = openGeocodeCache(folder)
    await before.put('1 main st', geocode, { cached_at: start, fresh_until: start + day_ms })
    before.close()
    expect(await opened().find('1 main st', start)).toEqual(geocode)
  })

  test('is ignored if it was written forty days in the future, and used if it was written one minute in the future', async () => {
    const geocodes = opened()
    await geocodes.put('far', geocode, { cached_at: start + 40 * day_ms, fresh_until: start + 70 * day_ms })
    await geocodes.put('near', geocode, { cached_at: start + 60_000, fresh_until: start + 30 * day_ms })
    expect([await geocodes.find('far', start), await geocodes.find('near', start)]).toEqual([null, geocode])
  })

  test('survives a clock that is forty days ahead for a while', async () => {
    const geocodes = opened()
    await geocodes.put('1 main st', geocode, { cached_at: start, fresh_until: start + 30 * day_ms })
    expect(await geocodes.find('1 main st', start + 40 * day_ms)).toBeNull()
    expect(await geocodes.find('1 main st', start + day_ms)).toEqual(geocode)
  })

  test('is deleted by a sweep when it has expired', async () => {
    const geocodes = opened()
    await geocodes.put('old', geocode, { cached_at: start - 2 * day_ms, fresh_until: start - day_ms })
    await geocodes.put('new', geocode, { cached_at: start, fresh_until: start + day_ms })
    await geocodes.sweep(start)
    const db = new Database(join(folder, 'cache.db'))
    expect(db.query('SELECT key FROM geocodes').all()).toEqual([{ key: 'new' }])
    db.close()
  })
})

describe('cache.db', () => {
  test('stores upstream responses and geocodes together', async () => {
    const readings = openUpstreamCache(folder)
    const geocodes = opened()
    readings.put('a', '1', start, start + day_ms)
    await geocodes.put('a', geocode, { cached_at: start, fresh_until: start + day_ms })
    expect([readings.find('a', start)?.data, await geocodes.find('a', start)]).toEqual(['1', geocode])
    readings.close()
  })

  test('is created again if the file is not a database', async () => {
    writeFileSync(join(folder, 'cache.db'), 'This is no database, and was never one. '.repeat(50))
    const geocodes = opened()
    await geocodes.put('a', geocode, { cached_at: start, fresh_until: start + day_ms })
    expect(await geocodes.find('a', start)).toEqual(geocode)
  })

  test('counts as a cache miss while it is locked', async () => {
    const geocodes = opened()
    const other = new Database(join(folder, 'cache.db'))
    other.run('BEGIN EXCLUSIVE')
    await geocodes.put('a', geocode, { cached_at: start, fresh_until: start + day_ms })
    other.run('ROLLBACK')
    other.close()
    expect(await geocodes.find('a', start)).toBeNull()
  })

  test('can be read only by its owner', () => {
    opened()
    chmodSync(join(folder, 'cache.db'), 0o644)
    opened()
    expect(statSync(join(folder, 'cache.db')).mode & 0o777).toBe(0o600)
  })
})
