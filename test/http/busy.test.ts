import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import type { BatchEntry } from '../../src/fetch/fetch-answer.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { detailOf, openHttpService, type HttpService } from '../support/http-service.ts'

const denver = { lat: 39.7392, lng: -104.9903 }
const body = { ...denver, fields: ['county'] }
/** A publisher answers this field, so the locations of a batch are answered one by one. */
const remoteFields = ['fema_flood_zone']
const busy = {
  error: 'fetch_busy',
  message: expect.any(String),
  retryable: true,
  documentation_url: '/guide/errors#fetch_busy',
  retry_after_s: expect.any(Number),
}

/** A service with this many slots, all in use until they are released. */
type SaturatedService = { server: HttpService; release(): Promise<void> }
const opened: SaturatedService[] = []
const upstreams = openUpstreams()
afterAll(upstreams.close)

afterEach(async () => {
  for (const { server, release } of opened.splice(0)) {
    await release()
    await server.close()
  }
})

async function saturatedService(
  concurrency: number,
  queue: number,
  network: 'online' | 'offline' = 'online',
): Promise<SaturatedService> {
  const server = await openHttpService({
    FIELDSTONE_CONCURRENCY: String(concurrency),
    FIELDSTONE_QUEUE: String(queue),
    ...(network === 'online' && { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }),
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = Array.from({ length: concurrency }, () =>
    server.testService.app.admission.run(() => promise, { signal: new AbortController().signal }),
  )
  const release = async () => {
    resolve()
    await Promise.all(held)
  }
  opened.push({ server, release })
  return { server, release }
}

/** Waits until this many requests are in the admission queue. */
async function untilWaiting({ testService }: HttpService, many: number): Promise<void> {
  while (testService.app.admission.occupancy().waiting !== many) await new Promise((resolve) => setImmediate(resolve))
}

describe('when all slots are in use and the queue has length 0', () => {
  test('a fetch is rejected at once with fetch_busy, 503 and Retry-After', async () => {
    const { server } = await saturatedService(1, 0)
    const response = await server.post('/v1/fetch', body)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await detailOf(response)).toEqual(busy)
  })

  test('every location of a batch is an entry with this error object', async () => {
    const { server } = await saturatedService(1, 0)
    const detail = await detailOf(await server.post('/v1/fetch', body))
    const response = await server.post('/v1/fetch/batch', {
      locations: Array.from({ length: 7 }, () => denver),
      fields: ['county'],
    })
    const { results } = (await response.json()) as { results: BatchEntry[] }
    expect(results).toEqual(
      Array.from({ length: 7 }, (_, index) => ({
        index,
        ok: false,
        fetched_at: expect.any(String),
        error: detail,
      })) as never,
    )
  })

  test('requests that need no admission are answered', async () => {
    const { server } = await saturatedService(1, 0)
    const statuses = await Promise.all(
      ['/healthz', '/readyz', '/v1/meta/fields', '/v1/openapi.json', '/v1/docs'].map(
        async (path) => (await server.ask(path)).status,
      ),
    )
    expect(statuses).toEqual([200, 200, 200, 200, 200])
  })

  test('a fetch is answered when a slot is free again', async () => {
    const { server, release } = await saturatedService(1, 0)
    await release()
    expect((await server.post('/v1/fetch', body)).status).toBe(200)
  })
})

describe('when all slots are in use and the queue has room', () => {
  test('queued requests are answered when a slot is free, and a request beyond the queue is fetch_busy', async () => {
    const { server, release } = await saturatedService(2, 3)
    const waiting = [server.post('/v1/fetch', body), server.post('/v1/fetch', body), server.post('/v1/fetch', body)]
    await untilWaiting(server, 3)
    expect((await server.post('/v1/fetch', body)).status).toBe(503)
    await release()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(server.testService.app.admission.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('a batch uses four slots at a time', async () => {
    const { server, release } = await saturatedService(1, 25)
    const answer = server.post('/v1/fetch/batch', {
      locations: Array.from({ length: 25 }, () => denver),
      fields: remoteFields,
    })
    await untilWaiting(server, 4)
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(server.testService.app.admission.occupancy().waiting).toBe(4)
    await release()
    const { results } = (await (await answer).json()) as { results: BatchEntry[] }
    expect(results.filter(({ ok }) => ok)).toHaveLength(25)
  })

  test('a batch that local data answers uses one slot', async () => {
    const { server, release } = await saturatedService(1, 25, 'offline')
    const answer = server.post('/v1/fetch/batch', {
      locations: Array.from({ length: 25 }, () => denver),
      fields: ['county'],
    })
    await untilWaiting(server, 1)
    await release()
    const { results } = (await (await answer).json()) as { results: BatchEntry[] }
    expect(results.filter(({ ok }) => ok)).toHaveLength(25)
  })
})

describe('a client that disconnects', () => {
  const leaving = (server: HttpService, path: string, what: unknown) => {
    const caller = new AbortController()
    const answer = server.testService.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(what),
      signal: caller.signal,
    })
    return { caller, answer }
  }

  test('leaves the queue', async () => {
    const { server, release } = await saturatedService(1, 1)
    const { caller, answer } = leaving(server, '/v1/fetch', body)
    await untilWaiting(server, 1)
    expect((await server.post('/v1/fetch', body)).status).toBe(503)
    caller.abort()
    await answer
    expect(server.testService.app.admission.occupancy()).toEqual({ working: 1, waiting: 0 })
    const next = server.post('/v1/fetch', body)
    await untilWaiting(server, 1)
    await release()
    expect((await next).status).toBe(200)
  })

  test('is not an error, and nothing is logged', async () => {
    const { server } = await saturatedService(1, 1)
    const { caller, answer } = leaving(server, '/v1/fetch', body)
    await untilWaiting(server, 1)
    caller.abort()
    await answer
    expect(server.testService.logged).toEqual([])
  })

  test('ends its batch: no further location is started', async () => {
    const { server } = await saturatedService(1, 25)
    const { caller, answer } = leaving(server, '/v1/fetch/batch', {
      locations: Array.from({ length: 25 }, () => denver),
      fields: remoteFields,
    })
    await untilWaiting(server, 4)
    caller.abort()
    await answer
    expect(server.testService.app.admission.occupancy()).toEqual({ working: 1, waiting: 0 })
  })

  test('is not an error in a batch either', async () => {
    const { server } = await saturatedService(1, 25)
    const { caller, answer } = leaving(server, '/v1/fetch/batch', { locations: [denver, denver], fields: remoteFields })
    await untilWaiting(server, 2)
    caller.abort()
    await answer
    expect(server.testService.logged).toEqual([])
  })
})
