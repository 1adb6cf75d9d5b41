import { Database } from 'bun:sqlite'
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createUsageMeter } from '../../src/auth/usage-meter.ts'
import type { OnBilledCall } from '../../src/model/source.ts'
import { openHttpClient } from '../../src/net/http-client.ts'
import type { LimitStore } from '../../src/store/accounts/limits.ts'
import { StorageError } from '../../src/store/storage-error.ts'
import { newFolder, startFieldstone } from '../cli/fieldstone.ts'
import { openOnlineService } from '../upstreams/online-service.ts'

const testService = openOnlineService()
afterAll(testService.close)
beforeEach(() => testService.upstreams.heal())

type Counted = { requests: number; fields: number; metered_calls: number }
type Item = Counted & { endpoint: string; sources: (Counted & { source: string })[] }

const boulder = { lat: 40.015, lng: -105.2705 }
const rooftop = '1777 Broadway, Boulder, CO 80302'

async function usedAt(endpoint: string): Promise<Counted & { of(source: string): Counted | undefined }> {
  const { items } = (await (await testService.send('/v1/users/me/usage')).json()) as { items: Item[] }
  const none: Item = { endpoint, requests: 0, fields: 0, metered_calls: 0, sources: [] }
  const { sources, ...whole } = items.find((it) => it.endpoint === endpoint) ?? none
  return { ...whole, of: (source) => sources.find((it) => it.source === source) }
}

describe('usage counts', () => {
  test('the context fields of a lookup, and its parcel as one billed call', async () => {
    for (let i = 0; i < 2; i++)
      await testService.post('/v1/lookup', { input: '40.015, -105.2705', include_parcel: true })
    const used = await usedAt('/v1/lookup')
    expect([used.requests, used.fields, used.metered_calls]).toEqual([2, 56, 1])
    expect(used.of('regrid_parcels')).toMatchObject({ requests: 2, fields: 0, metered_calls: 1 })
  })

  test('the fields of a question', async () => {
    await testService.post('/v1/ask', { ...boulder, question: 'Which county is this?' })
    expect((await usedAt('/v1/ask')).fields).toBeGreaterThan(0)
  })

  test('several fields of one parcel as one billed call', async () => {
    await testService.post('/v1/fetch', {
      lat: 39.7392,
      lng: -104.9903,
      fields: ['parcel_zoning', 'parcel_area_m2', 'county'],
    })
    expect((await usedAt('/v1/fetch')).of('regrid_parcels')).toMatchObject({ metered_calls: 1 })
  })

  test('an address sent to a billing provider once, and not when it is repeated', async () => {
    for (let i = 0; i < 2; i++) expect((await testService.post('/v1/geocode', { address: rooftop })).status).toBe(200)
    expect((await usedAt('/v1/geocode')).of('geocodio')).toEqual(
      expect.objectContaining({ requests: 2, metered_calls: 1 }),
    )
  })

  test('an address that the provider does not find', async () => {
    const before = (await usedAt('/v1/geocode')).metered_calls
    expect(
      (await testService.post('/v1/geocode', { address: '99999 Nowhere Street, Boulder, CO 80302' })).status,
    ).toBeGreaterThanOrEqual(400)
    expect((await usedAt('/v1/geocode')).metered_calls).toBe(before + 1)
  })

  test('calls under the endpoint of the request, and none for a cached result', async () => {
    await testService.post('/v1/fetch/batch', {
      locations: [{ address: rooftop }, { lat: 38.8977, lng: -77.0365 }],
      fields: ['parcel_area_m2'],
    })
    const used = await usedAt('/v1/fetch/batch')
    expect([used.of('regrid_parcels')?.metered_calls, used.of('geocodio')?.requests]).toEqual([1, 1])
  })
})

describe('a billed call', () => {
  const unwritable = limitStore(() => Promise.reject(new StorageError('full')))

  test('is not made when it cannot be recorded', async () => {
    let calls = 0
    const upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(String(++calls)) })
    const net = openHttpClient({
      mirror: `http://127.0.0.1:${upstream.port}`,
      userAgent: 'test',
      catalogHosts: new Set(['billed.example']),
      now: () => new Date(),
      random: () => 0.5,
    })
    const usage = createUsageMeter(unwritable, () => new Date())
    const codeOf = (onBilledCall: OnBilledCall, metered: boolean) =>
      net
        .fetchText({ url: 'https://billed.example/x', metered }, { signal: AbortSignal.timeout(5000), onBilledCall })
        .catch((error: { code: string }) => error.code)
    const write: OnBilledCall = (source) => usage.recordBilledCall('a', '/v1/fetch', source)
    expect([await codeOf(write, true), calls]).toEqual(['source_suspended', 0])
    expect([await codeOf(write, false), await codeOf(() => Promise.resolve(), true), calls]).toEqual(['1', '2', 2])
    net.close()
    await upstream.stop(true)
  })

  test('is on disk before it is made and is not repeated, also when the process is killed at any of three points', async () => {
    const { folder, remove } = newFolder()
    const calls: string[] = []
    const running: { kill(): void } = { kill: () => {} }
    const mirror = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url }) {
        if (!url.includes('regrid')) return new Response('{}', { status: 404 })
        calls.push(url)
        running.kill()
        return new Promise<Response>(() => {})
      },
    })
    const env = {
      FIELDSTONE_OFFLINE: '0',
      FIELDSTONE_AUTH: 'off',
      FIELDSTONE_MIRROR: `http://127.0.0.1:${mirror.port}`,
      REGRID_API_TOKEN: 'test-regrid',
    }
    for (const lat of [39.7392, 39.74, 39.75]) {
      const service = startFieldstone(['serve', '--data', join(folder, 'data')], env, folder)
      running.kill = () => service.signal('SIGKILL')
      const [, address] = await service.waitForOutput(/answers at (http:\S+)/)
      const answered = await fetch(`${address}/v1/fetch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ lat, lng: -104.9903, fields: ['parcel_area_m2'] }),
      }).then(
        () => true,
        () => false,
      )
      expect([answered, (await service.end()).code]).toEqual([false, 137])
    }
    const db = new Database(join(folder, 'data', 'state.db'))
    expect([
      calls.length,
      db.query("SELECT sum(metered_calls) AS n FROM usage WHERE source = 'regrid_parcels'").get(),
    ]).toEqual([3, { n: 3 }])
    db.close()
    await mirror.stop(true)
    remove()
  })
})

/** A store that stores no counts but those that `addUsage` takes. */
function limitStore(addUsage: LimitStore['addUsage']): LimitStore {
  return {
    addUsage,
    listUsage: () => Promise.resolve([]),
    addQuota: () => Promise.resolve(),
    allocate: () => Promise.resolve({ granted: 0, units: 0 }),
    quotaOf: () => Promise.resolve(0),
    sweep: () => Promise.resolve(),
  }
}

test('no counts of earlier days are lost while the disk is full', async () => {
  const clock = { time: Date.parse('2026-11-21T23:59:59Z') }
  const written: { day: string; requests: number }[] = []
  let isFull = true
  const store = limitStore(async (rows) => {
    if (isFull) throw new StorageError('full')
    written.push(...rows.map(({ day, requests }) => ({ day, requests })))
  })
  const usage = createUsageMeter(store, () => new Date(clock.time))
  usage.recordRequest('a', '/v1/fetch')
  clock.time += 2000
  usage.recordRequest('a', '/v1/fetch')
  expect(await usage.flush().catch((error: unknown) => error)).toMatchObject({ reason: 'full' })
  expect(
    (await usage.rowsBetween('a', '2026-11-01', '2026-11-30')).map(({ day, requests }) => [day, requests]),
  ).toEqual([
    ['2026-11-22', 1],
    ['2026-11-21', 1],
  ])
  isFull = false
  await usage.flush()
  expect(written).toEqual([
    { day: '2026-11-22', requests: 1 },
    { day: '2026-11-21', requests: 1 },
  ])
})
