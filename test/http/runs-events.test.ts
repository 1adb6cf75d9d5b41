import { readdirSync } from 'node:fs'
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { usesPostgres } from '../support/test-state.ts'
import { openOnlineService } from '../upstreams/online-service.ts'

const service = openOnlineService()
afterAll(service.close)
afterEach(service.upstreams.heal)

type Frame = {
  event: string
  id: number
  data: {
    run_id: string
    status: string
    progress: { total: number; done: number; ok: number; failed: number }
    seq?: number
    result?: { results: unknown[] } | null
  }
}

let place = 0
/** Submits a run of this many new places, each with one call to FEMA. */
async function submitted(count: number): Promise<string> {
  const locations = Array.from({ length: count }, () => ({ lat: 25.79, lng: -80.13 - ++place / 10_000 }))
  const response = await service.post('/v1/runs', {
    kind: 'fetch_batch',
    request: { locations, fields: ['fema_flood_zone'] },
  })
  return ((await response.json()) as { run_id: string }).run_id
}

const events = (run_id: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  service.send(`/v1/runs/${run_id}/events`, { headers, ...(signal && { signal }) })

function framesIn(text: string): Frame[] {
  return text
    .split('\n\n')
    .filter((it) => it.startsWith('event: '))
    .map((it) => {
      const [, event = '', id = '', data = ''] = /^event: (\w+)\nid: (\d+)\ndata: ([^\n]*)$/.exec(it)!
      return { event, id: Number(id), data: JSON.parse(data) as Frame['data'] }
    })
}

/** Reads a response until the condition is true. */
async function until(response: Response, isEnough: (text: string) => boolean): Promise<string> {
  const reader = response.body!.getReader()
  let text = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += new TextDecoder().decode(next.value)
    if (isEnough(text)) break
  }
  await reader.cancel()
  return text
}

describe('the events of a run', () => {
  test('start with retry, have every status once and in order, and end with the document', async () => {
    service.upstreams.delay(20)
    const run_id = await submitted(40)
    const response = await events(run_id)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    expect(text).toStartWith('retry: 2000\n\n')
    const frames = framesIn(text)
    const states = frames.slice(0, -1)
    expect(frames.map(({ event }) => event)).toEqual([...states.map(() => 'status'), 'final'])
    expect(frames.map(({ id }) => id)).toEqual([...new Set(frames.map(({ id }) => id))].toSorted((a, b) => a - b))
    expect(states.map(({ data }) => data.progress.done)).toEqual(
      states.map(({ data }) => data.progress.done).toSorted((a, b) => a - b),
    )
    expect(states.every(({ id, data }) => data.seq === id && data.run_id === run_id)).toBe(true)
    expect(states.map(({ data }) => data.status).filter((it, i, all) => it !== all[i - 1])).toEqual(
      ['queued', 'running', 'done'].slice(states[0]!.data.status === 'queued' ? 0 : 1),
    )
    // The last progress before the end is not omitted.
    expect(states.at(-2)!.data.progress.done).toBe(40)
    expect(frames.at(-1)!.data).toEqual((await (await service.send(`/v1/runs/${run_id}`)).json()) as Frame['data'])
  })

  test('of a finished run are its document, or nothing for a client that has seen it', async () => {
    const run_id = await submitted(2)
    const first = framesIn(await (await events(run_id)).text())
    const frames = framesIn(await (await events(run_id)).text())
    const last = first.at(-1)!
    expect(frames).toEqual([last])
    for (const [seen, status] of [
      [last.id - 1, 200],
      [last.id, 204],
      [last.id + 100, 204],
    ] as const) {
      const response = await events(run_id, { 'last-event-id': String(seen) })
      expect([response.status, framesIn(await response.text()).length]).toEqual([status, status === 200 ? 1 : 0])
    }
  })

  test('resume after Last-Event-ID', async () => {
    service.upstreams.delay(30)
    const run_id = await submitted(30)
    const before = framesIn(
      await until(await events(run_id), (text) => framesIn(text.slice(0, text.lastIndexOf('\n\n') + 2)).length >= 2),
    )
    const after = framesIn(await (await events(run_id, { 'last-event-id': String(before.at(-1)!.id) })).text())
    expect(after[0]!.id).toBeGreaterThan(before.at(-1)!.id)
    expect(after.filter(({ event }) => event === 'final')).toHaveLength(1)
  })

  test('are merged to four per second when only the progress changes', async () => {
    service.upstreams.delay(5)
    const run_id = await submitted(200)
    const began = performance.now()
    const states = framesIn(await (await events(run_id)).text()).filter(({ event }) => event === 'status')
    expect(states.length).toBeLessThanOrEqual(5 + Math.ceil((performance.now() - began) / 250))
  })

  test('with an invalid Last-Event-ID are those of a new client', async () => {
    const run_id = await submitted(2)
    for (const id of ['x', '-1', '1e9', ''])
      expect(framesIn(await (await events(run_id, { 'last-event-id': id })).text()).at(-1)!.event).toBe('final')
  })

  test('to a thousand clients that disconnect leave nothing behind', async () => {
    service.upstreams.delay(1000)
    const run_id = await submitted(4)
    const open = async () => {
      const leaving = new AbortController()
      const response = await events(run_id, {}, leaving.signal)
      const reader = response.body!.getReader()
      await reader.read()
      await reader.cancel()
      leaving.abort()
    }
    for (let i = 0; i < 50; i++) await open()
    Bun.gc(true)
    // A server opens connections to PostgreSQL when several statements meet, and keeps them.
    const connectionsMax = usesPostgres ? 10 : 0
    const [files, memory] = [readdirSync('/proc/self/fd').length, process.memoryUsage().rss]
    for (let i = 0; i < 1000; i++) await open()
    Bun.gc(true)
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(files + 3 + connectionsMax)
    expect(process.memoryUsage().rss - memory).toBeLessThan(15 * 1_048_576)
    service.upstreams.heal()
    await service.send(`/v1/runs/${run_id}/cancel`, { method: 'POST' })
  })
})

describe('a cancelled run', () => {
  test('keeps its answered entries; the others are run_cancelled and can be retried', async () => {
    service.upstreams.delay(50)
    const run_id = await submitted(60)
    await until(await events(run_id), (text) => /"done":[1-9]/.test(text))
    const response = await service.send(`/v1/runs/${run_id}/cancel`, { method: 'POST' })
    const { status, progress } = (await response.json()) as {
      status: string
      progress: { done: number; ok: number; total: number }
    }
    expect([response.status, status, progress.done]).toEqual([200, 'cancelled', 60])
    expect(progress.ok).toBeGreaterThan(0)
    const { result } = (await (await service.send(`/v1/runs/${run_id}`)).json()) as {
      result: { results: { index: number; ok: boolean; error?: { error: string; retryable: boolean } }[] }
    }
    expect(result.results.map(({ index }) => index)).toEqual(Array.from({ length: 60 }, (_, i) => i))
    expect(
      new Set(result.results.filter(({ ok }) => !ok).map(({ error }) => `${error!.error} ${error!.retryable}`)),
    ).toEqual(new Set(['run_cancelled true']))
    const csv = await (await service.send(`/v1/runs/${run_id}/artifacts/csv`)).text()
    expect(csv.split('run_cancelled')).toHaveLength(1 + 60 - progress.ok)

    service.upstreams.heal()
    const { run_id: second } = (await (await service.send(`/v1/runs/${run_id}/retry`, { method: 'POST' })).json()) as {
      run_id: string
    }
    const frames = framesIn(await (await events(second)).text())
    expect(frames.at(-1)!.data.progress).toEqual({
      total: 60 - progress.ok,
      done: 60 - progress.ok,
      ok: 60 - progress.ok,
      failed: 0,
    })
  })

  test('calls no more sources', async () => {
    const before = service.upstreams.calls.length
    service.upstreams.fault({}, 'hang')
    const run_id = await submitted(40)
    await until(await events(run_id), (text) => /"status":"running"/.test(text))
    await service.send(`/v1/runs/${run_id}/cancel`, { method: 'POST' })
    service.upstreams.heal()
    // Another run takes its turns in which the cancelled one would call.
    await (await events(await submitted(40))).text()
    expect(service.upstreams.calls.length - before).toBeLessThanOrEqual(4 + 40)
  })

  test('that was still queued has only run_cancelled entries', async () => {
    service.upstreams.delay(200)
    const others = await Promise.all(Array.from({ length: 4 }, () => submitted(20)))
    const run_id = await submitted(5)
    const { progress } = (await (await service.send(`/v1/runs/${run_id}/cancel`, { method: 'POST' })).json()) as {
      progress: unknown
    }
    expect(progress).toEqual({ total: 5, done: 5, ok: 0, failed: 5 })
    await Promise.all(others.map((id) => service.send(`/v1/runs/${id}/cancel`, { method: 'POST' })))
  })
})

describe('a running run', () => {
  test('has no artifacts yet and cannot be retried', async () => {
    service.upstreams.delay(200)
    const run_id = await submitted(8)
    const response = await service.send(`/v1/runs/${run_id}/artifacts/csv`)
    expect(response.status).toBe(409)
    expect(((await response.json()) as { detail: { error: string } }).detail.error).toBe('run_not_ready')
    expect((await service.send(`/v1/runs/${run_id}/retry`, { method: 'POST' })).status).toBe(409)
    await service.send(`/v1/runs/${run_id}/cancel`, { method: 'POST' })
  })
})
