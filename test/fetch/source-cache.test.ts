import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWithCache } from '../../src/fetch/sources/source-cache.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { AnySource, Budget, Freshness } from '../../src/model/source.ts'
import { openUpstreamCache } from '../../src/store/sqlite/upstream-cache.ts'
import { rejectionMessage } from '../operators/fakes.ts'

const at = { lat: 40, lng: -105 }
const hour_ms = 3_600_000
let folder: string
let time: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'source-cache-'))
  time = Date.UTC(2026, 10, 21)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A source with a cache in the folder. `query` sends a radius and returns the data with its freshness. */
function openCachedSource(
  answer: () => unknown,
  { stale_days = 0, ttl_seconds = 1e9, allowStale = true, name = 'it' } = {},
) {
  const cache = openUpstreamCache(folder)
  let calls = 0
  const source = (async () => {
    calls++
    return answer()
  }) as unknown as AnySource
  const withCache = createWithCache(cache, { stale_days, now: () => new Date(time), callOnce: null })
  const cached = withCache(source, { name, budget_ms: 1000, ttl_seconds, allowStale, isBilled: false }) as unknown as (
    query: object,
    budget: Budget,
  ) => Promise<unknown>
  return {
    calls: () => calls,
    close: () => cache.close(),
    async query(radius_m = 0) {
      const observed: Freshness[] = []
      const data = await cached(
        { at, radius_m },
        { signal: new AbortController().signal, onFreshness: (freshness) => observed.push(freshness) },
      )
      return { data, cache: observed[0]?.cache, age_s: observed[0]?.cache === 'stale' ? observed[0].age_s : undefined }
    },
  }
}
const throwDown = () => {
  throw new UpstreamError('upstream_5xx', 'Down.')
}

describe('the answer of a source', () => {
  test('is cached, and reported as a hit', async () => {
    const source = openCachedSource(() => [{ properties: { a: 1 }, distance_m: 0 }])
    const first = await source.query()
    expect(first).toEqual({ data: [{ properties: { a: 1 }, distance_m: 0 }], cache: 'miss', age_s: undefined })
    expect(await source.query()).toEqual({ ...first, cache: 'hit' })
    expect(source.calls()).toBe(1)
  })

  test('is cached when it is empty', async () => {
    const source = openCachedSource(() => [])
    await source.query()
    expect(await source.query()).toMatchObject({ data: [], cache: 'hit' })
  })

  test('is not reused for another query or another name', async () => {
    const source = openCachedSource(() => 1)
    await source.query(1)
    expect(await source.query(2)).toMatchObject({ cache: 'miss' })
    expect(await openCachedSource(() => 2, { name: 'other' }).query(1)).toMatchObject({ data: 2, cache: 'miss' })
  })

  test('survives a restart', async () => {
    const source = openCachedSource(() => 'before')
    await source.query()
    source.close()
    expect(await openCachedSource(throwDown).query()).toMatchObject({ data: 'before', cache: 'hit' })
  })

  test.each([
    ['24 hours when the TTL of the dataset is longer', 1e9, 24 * hour_ms],
    ['the TTL of the dataset when it is shorter', 300, 300_000],
  ])('is fresh for %s', async (_name, ttl_seconds, fresh_ms) => {
    const source = openCachedSource(() => 1, { ttl_seconds })
    await source.query()
    time += fresh_ms - 1
    expect(await source.query()).toMatchObject({ cache: 'hit' })
    time += 1
    expect(await source.query()).toMatchObject({ cache: 'miss' })
  })

  test('is not cached when it is an error', async () => {
    let isDown = true
    const source = openCachedSource(() => (isDown ? throwDown() : 'up'))
    expect(await rejectionMessage(source.query())).toBe('upstream_5xx: Down.')
    isDown = false
    expect(await source.query()).toMatchObject({ data: 'up', cache: 'miss' })
  })

  test('is shared by a hundred concurrent queries', async () => {
    const source = openCachedSource(() => 1)
    await Promise.all(Array.from({ length: 100 }, () => source.query()))
    expect(source.calls()).toBe(1)
  })
})

describe('when the source fails and the cached answer has expired', () => {
  async function afterDays(
    days: number,
    options: Parameters<typeof openCachedSource>[1],
    error = new UpstreamError('upstream_5xx', 'Down.'),
  ) {
    let isDown = false
    const source = openCachedSource(() => {
      if (isDown) throw error
      return 'old'
    }, options)
    await source.query()
    time += days * 24 * hour_ms
    isDown = true
    return source
  }

  test('the query fails unless the operator allows stale answers', async () => {
    expect(await rejectionMessage((await afterDays(1.5, {})).query())).toBe('upstream_5xx: Down.')
  })

  test('the stale answer has its age', async () => {
    expect(await (await afterDays(3, { stale_days: 7 })).query()).toEqual({
      data: 'old',
      cache: 'stale',
      age_s: 3 * 86_400,
    })
  })

  test('there is no stale answer after the allowed days', async () => {
    expect(await rejectionMessage((await afterDays(3.1, { stale_days: 2 })).query())).toBe('upstream_5xx: Down.')
  })

  test('there is no stale answer for a metered source or a permanent error', async () => {
    expect(await rejectionMessage((await afterDays(1.5, { stale_days: 7, allowStale: false })).query())).toBe(
      'upstream_5xx: Down.',
    )
    expect(
      await rejectionMessage(
        (await afterDays(1.5, { stale_days: 7 }, new UpstreamError('upstream_rejected', 'No.'))).query(),
      ),
    ).toBe('upstream_rejected: No.')
  })
})

describe('cache.db', () => {
  test.each([
    ['garbage', 'no database at all'.repeat(100)],
    ['empty', ''],
  ])('that is %s is replaced', async (_name, content) => {
    writeFileSync(join(folder, 'cache.db'), content)
    const source = openCachedSource(() => 1)
    expect(await source.query()).toMatchObject({ cache: 'miss' })
    expect(await source.query()).toMatchObject({ cache: 'hit' })
  })

  test('in a folder that cannot be written only disables caching', async () => {
    folder = join(folder, 'missing')
    expect(await openCachedSource(() => 1).query()).toMatchObject({ data: 1 })
  })

  test('is written in batches with a delay; pending entries can be read, and closing writes them', async () => {
    const [cache, other] = [openUpstreamCache(folder), openUpstreamCache(folder)]
    cache.put('a', '1', 0, 10)
    cache.put('a', '2', 0, 10)
    cache.put('b', '3', 0, 10)
    expect([cache.find('a', 0)?.data, cache.find('b', 0)?.data, other.find('a', 0)]).toEqual(['2', '3', null])
    while (other.find('b', 0) === null) await Bun.sleep(5)
    expect(other.find('a', 0)?.data).toBe('2')
    cache.put('c', '4', 0, 10)
    cache.close()
    expect(other.find('c', 0)?.data).toBe('4')
    other.close()
  })

  test('is written at once when many or large entries are pending', () => {
    const [cache, other] = [openUpstreamCache(folder), openUpstreamCache(folder)]
    for (let i = 0; i < 256; i++) cache.put(`many ${i}`, '1', 0, 10)
    expect(other.find('many 0', 0)?.data).toBe('1')
    for (let i = 0; i < 3; i++) cache.put(`long ${i}`, 'x'.repeat(3_000_000), 0, 10)
    expect(other.find('long 0', 0)?.data.length).toBe(3_000_000)
    cache.close()
    other.close()
  })

  test('removes the entries that expired before a time', async () => {
    const cache = openUpstreamCache(folder)
    cache.put('old', '1', 0, 10)
    cache.put('new', '2', 0, 20)
    await cache.sweep(15)
    expect([cache.find('old', 0), cache.find('new', 0)?.data]).toEqual([null, '2'])
    cache.close()
  })

  test('is readable only by its owner', async () => {
    await openCachedSource(() => 1).query()
    const { mode } = await Bun.file(join(folder, 'cache.db')).stat()
    expect(mode & 0o777).toBe(0o600)
  })
})
