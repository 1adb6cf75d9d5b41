import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWithCache } from '../../src/fetch/source-cache.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { AnySource, Budget, Freshness } from '../../src/model/source.ts'
import { openUpstreamCache } from '../../src/store/upstream-cache.ts'
import { rejectionMessage } from '../operators/fakes.ts'

const at = { lat: 40, lng: -105 }
const hour_ms = 3_600_000
let folder: string
let time: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-'))
  time = Date.UTC(2026, 10, 21)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A source that answers by a function, kept in the folder; it is asked with a point and a radius, and what it says of its freshness is heard. */
function kept(
  answer: () => unknown,
  { stale_days = 0, ttl_seconds = 1e9, staleToo: allowStale = true, name = 'it' } = {},
) {
  const readings = openUpstreamCache(folder)
  let calls = 0
  const source = (async () => {
    calls++
    return answer()
  }) as unknown as AnySource
  const keep = createWithCache(readings, stale_days, () => new Date(time))
  const asked = keep(source, { name, budget_ms: 1000, ttl_seconds, allowStale }) as unknown as (
    query: object,
    budget: Budget,
  ) => Promise<unknown>
  return {
    calls: () => calls,
    close: () => readings.close(),
    async ask(radius_m = 0) {
      const heard: Freshness[] = []
      const data = await asked(
        { at, radius_m },
        { signal: new AbortController().signal, onFreshness: (it) => heard.push(it) },
      )
      return { data, cache: heard[0]?.cache, age_s: heard[0]?.cache === 'stale' ? heard[0].age_s : undefined }
    },
  }
}
const failing = () => {
  throw new UpstreamError('upstream_5xx', 'Down.')
}

describe('what a source answered', () => {
  test('is kept, and said to be', async () => {
    const source = kept(() => [{ properties: { a: 1 }, distance_m: 0 }])
    const first = await source.ask()
    expect(first).toEqual({ data: [{ properties: { a: 1 }, distance_m: 0 }], cache: 'miss', age_s: undefined })
    expect(await source.ask()).toEqual({ ...first, cache: 'hit' })
    expect(source.calls()).toBe(1)
  })

  test('nothing is an answer too', async () => {
    const source = kept(() => [])
    await source.ask()
    expect(await source.ask()).toMatchObject({ data: [], cache: 'hit' })
  })

  test('to another question, or by another name, is another answer', async () => {
    const source = kept(() => 1)
    await source.ask(1)
    expect(await source.ask(2)).toMatchObject({ cache: 'miss' })
    expect(await kept(() => 2, { name: 'other' }).ask(1)).toMatchObject({ data: 2, cache: 'miss' })
  })

  test('outlives the process', async () => {
    const source = kept(() => 'before')
    await source.ask()
    source.close()
    expect(await kept(failing).ask()).toMatchObject({ data: 'before', cache: 'hit' })
  })

  test.each([
    ['24 hours, however long the dataset lasts', 1e9, 24 * hour_ms],
    ['as long as the dataset says, when that is less', 300, 300_000],
  ])('is fresh for %s', async (_name, ttl_seconds, fresh_ms) => {
    const source = kept(() => 1, { ttl_seconds })
    await source.ask()
    time += fresh_ms - 1
    expect(await source.ask()).toMatchObject({ cache: 'hit' })
    time += 1
    expect(await source.ask()).toMatchObject({ cache: 'miss' })
  })

  test('is never a failure', async () => {
    let isDown = true
    const source = kept(() => (isDown ? failing() : 'up'))
    expect(await rejectionMessage(source.ask())).toBe('upstream_5xx: Down.')
    isDown = false
    expect(await source.ask()).toMatchObject({ data: 'up', cache: 'miss' })
  })

  test('is asked for once by a hundred at a time', async () => {
    const source = kept(() => 1)
    await Promise.all(Array.from({ length: 100 }, () => source.ask()))
    expect(source.calls()).toBe(1)
  })
})

describe('when the source fails and what was kept is past its time', () => {
  async function afterDays(
    days: number,
    means: Parameters<typeof kept>[1],
    error = new UpstreamError('upstream_5xx', 'Down.'),
  ) {
    let isDown = false
    const source = kept(() => {
      if (isDown) throw error
      return 'old'
    }, means)
    await source.ask()
    time += days * 24 * hour_ms
    isDown = true
    return source
  }

  test('it fails, unless the operator wants the old answer', async () => {
    expect(await rejectionMessage((await afterDays(1.5, {})).ask())).toBe('upstream_5xx: Down.')
  })

  test('the old answer comes with its age', async () => {
    expect(await (await afterDays(3, { stale_days: 7 })).ask()).toEqual({
      data: 'old',
      cache: 'stale',
      age_s: 3 * 86_400,
    })
  })

  test('not past the days that are allowed', async () => {
    expect(await rejectionMessage((await afterDays(3.1, { stale_days: 2 })).ask())).toBe('upstream_5xx: Down.')
  })

  test('not of a metered source, and not where the source has refused for good', async () => {
    expect(await rejectionMessage((await afterDays(1.5, { stale_days: 7, staleToo: false })).ask())).toBe(
      'upstream_5xx: Down.',
    )
    expect(
      await rejectionMessage(
        (await afterDays(1.5, { stale_days: 7 }, new UpstreamError('upstream_rejected', 'No.'))).ask(),
      ),
    ).toBe('upstream_rejected: No.')
  })
})

describe('cache.db', () => {
  test.each([
    ['garbage', 'no database at all'.repeat(100)],
    ['empty', ''],
  ])('that is %s is made anew', async (_name, content) => {
    writeFileSync(join(folder, 'cache.db'), content)
    const source = kept(() => 1)
    expect(await source.ask()).toMatchObject({ cache: 'miss' })
    expect(await source.ask()).toMatchObject({ cache: 'hit' })
  })

  test('in a folder that cannot be written costs nothing but the keeping', async () => {
    folder = join(folder, 'missing')
    expect(await kept(() => 1).ask()).toMatchObject({ data: 1 })
  })

  test('is written a moment later, all that has come together; what waits is found, and a close writes it', async () => {
    const [readings, other] = [openUpstreamCache(folder), openUpstreamCache(folder)]
    readings.put('a', '1', 0, 10)
    readings.put('a', '2', 0, 10)
    readings.put('b', '3', 0, 10)
    expect([readings.find('a', 0)?.data, readings.find('b', 0)?.data, other.find('a', 0)]).toEqual(['2', '3', null])
    while (other.find('b', 0) === null) await Bun.sleep(5)
    expect(other.find('a', 0)?.data).toBe('2')
    readings.put('c', '4', 0, 10)
    readings.close()
    expect(other.find('c', 0)?.data).toBe('4')
    other.close()
  })

  test('is written at once when much waits', () => {
    const [readings, other] = [openUpstreamCache(folder), openUpstreamCache(folder)]
    for (let i = 0; i < 256; i++) readings.put(`many ${i}`, '1', 0, 10)
    expect(other.find('many 0', 0)?.data).toBe('1')
    for (let i = 0; i < 3; i++) readings.put(`long ${i}`, 'x'.repeat(3_000_000), 0, 10)
    expect(other.find('long 0', 0)?.data.length).toBe(3_000_000)
    readings.close()
    other.close()
  })

  test('forgets what was fresh until before a time', async () => {
    const readings = openUpstreamCache(folder)
    readings.put('old', '1', 0, 10)
    readings.put('new', '2', 0, 20)
    await readings.sweep(15)
    expect([readings.find('old', 0), readings.find('new', 0)?.data]).toEqual([null, '2'])
    readings.close()
  })

  test('is readable by its owner alone', async () => {
    await kept(() => 1).ask()
    const { mode } = await Bun.file(join(folder, 'cache.db')).stat()
    expect(mode & 0o777).toBe(0o600)
  })
})
