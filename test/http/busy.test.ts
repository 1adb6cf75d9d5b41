import { afterEach, describe, expect, test } from 'bun:test'
import type { BatchEntry } from '../../src/fetch/fetch-answer.ts'
import { detailOf, openDoor, type Door } from './door.ts'

const denver = { lat: 39.7392, lng: -104.9903 }
const body = { ...denver, fields: ['county'] }
const busy = { error: 'fetch_busy', message: expect.any(String), retryable: true, retry_after_s: expect.any(Number) }

/** A service with this many slots, all in use until they are released. */
type FullHouse = { door: Door; release(): Promise<void> }
const opened: FullHouse[] = []

afterEach(async () => {
  for (const { door, release } of opened.splice(0)) {
    await release()
    door.close()
  }
})

async function fullHouse(concurrency: number, queue: number): Promise<FullHouse> {
  const door = await openDoor({ FIELDSTONE_CONCURRENCY: String(concurrency), FIELDSTONE_QUEUE: String(queue) })
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = Array.from({ length: concurrency }, () =>
    door.house.app.admission.run(() => promise, { signal: new AbortController().signal }),
  )
  const release = async () => {
    resolve()
    await Promise.all(held)
  }
  opened.push({ door, release })
  return { door, release }
}

/** Waits until this many requests are in the admission queue. */
async function untilWaiting({ house }: Door, many: number): Promise<void> {
  while (house.app.admission.occupancy().waiting !== many) await new Promise((resolve) => setImmediate(resolve))
}

describe('when all slots are in use and the queue has length 0', () => {
  test('a fetch is rejected at once with fetch_busy, 503 and Retry-After', async () => {
    const { door } = await fullHouse(1, 0)
    const response = await door.post('/v1/fetch', body)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await detailOf(response)).toEqual(busy)
  })

  test('every location of a batch is an entry with this error object', async () => {
    const { door } = await fullHouse(1, 0)
    const detail = await detailOf(await door.post('/v1/fetch', body))
    const response = await door.post('/v1/fetch/batch', {
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
    const { door } = await fullHouse(1, 0)
    const statuses = await Promise.all(
      ['/healthz', '/readyz', '/v1/meta/fields', '/v1/openapi.json', '/v1/docs'].map(
        async (path) => (await door.ask(path)).status,
      ),
    )
    expect(statuses).toEqual([200, 200, 200, 200, 200])
  })

  test('a fetch is answered when a slot is free again', async () => {
    const { door, release } = await fullHouse(1, 0)
    await release()
    expect((await door.post('/v1/fetch', body)).status).toBe(200)
  })
})

describe('when all slots are in use and the queue has room', () => {
  test('queued requests are answered when a slot is free, and a request beyond the queue is fetch_busy', async () => {
    const { door, release } = await fullHouse(2, 3)
    const waiting = [door.post('/v1/fetch', body), door.post('/v1/fetch', body), door.post('/v1/fetch', body)]
    await untilWaiting(door, 3)
    expect((await door.post('/v1/fetch', body)).status).toBe(503)
    await release()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(door.house.app.admission.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('a batch uses four slots at a time', async () => {
    const { door, release } = await fullHouse(1, 25)
    const answer = door.post('/v1/fetch/batch', {
      locations: Array.from({ length: 25 }, () => denver),
      fields: ['county'],
    })
    await untilWaiting(door, 4)
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(door.house.app.admission.occupancy().waiting).toBe(4)
    await release()
    const { results } = (await (await answer).json()) as { results: BatchEntry[] }
    expect(results.filter(({ ok }) => ok)).toHaveLength(25)
  })
})

describe('a client that disconnects', () => {
  const leaving = (door: Door, path: string, what: unknown) => {
    const caller = new AbortController()
    const answer = door.house.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(what),
      signal: caller.signal,
    })
    return { caller, answer }
  }

  test('leaves the queue', async () => {
    const { door, release } = await fullHouse(1, 1)
    const { caller, answer } = leaving(door, '/v1/fetch', body)
    await untilWaiting(door, 1)
    expect((await door.post('/v1/fetch', body)).status).toBe(503)
    caller.abort()
    await answer
    expect(door.house.app.admission.occupancy()).toEqual({ working: 1, waiting: 0 })
    const next = door.post('/v1/fetch', body)
    await untilWaiting(door, 1)
    await release()
    expect((await next).status).toBe(200)
  })

  test('is not an error, and nothing is logged', async () => {
    const { door } = await fullHouse(1, 1)
    const { caller, answer } = leaving(door, '/v1/fetch', body)
    await untilWaiting(door, 1)
    caller.abort()
    await answer
    expect(door.house.logged).toEqual([])
  })

  test('ends its batch: no further location is started', async () => {
    const { door } = await fullHouse(1, 25)
    const { caller, answer } = leaving(door, '/v1/fetch/batch', {
      locations: Array.from({ length: 25 }, () => denver),
      fields: ['county'],
    })
    await untilWaiting(door, 4)
    caller.abort()
    await answer
    expect(door.house.app.admission.occupancy()).toEqual({ working: 1, waiting: 0 })
  })

  test('is not an error in a batch either', async () => {
    const { door } = await fullHouse(1, 25)
    const { caller, answer } = leaving(door, '/v1/fetch/batch', { locations: [denver, denver], fields: ['county'] })
    await untilWaiting(door, 2)
    caller.abort()
    await answer
    expect(door.house.logged).toEqual([])
  })
})
