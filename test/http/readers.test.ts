import { afterAll, expect, test } from 'bun:test'
import { ReaderSlots, readersPerAccount } from '../../src/http/runs/reader-slots.ts'
import { detailOf } from '../support/http-service.ts'
import { openRawService } from './socket.ts'

const { testService, port, close } = await openRawService()
afterAll(close)
const { send, post } = testService

/** A document of more than one piece, so that it is streamed. */
const locations = Array.from({ length: 250 }, (_, i) => ({ lat: 39 + i / 250, lng: -105 }))
const submission = { kind: 'fetch_batch', request: { locations, fields: ['county'] } }
const { links } = (await (await post('/v1/runs', submission, { prefer: 'wait=30' })).json()) as {
  links: Record<'self' | 'events' | 'csv' | 'results', string>
}

/** Opens this many responses and reads nothing of them. */
const stalled = (path: string, count: number) => Promise.all(Array.from({ length: count }, () => send(path)))
const cancelAll = (responses: Response[]) => Promise.all(responses.map(({ body }) => body!.cancel()))
const statusesOf = (responses: Response[]) => [...new Set(responses.map(({ status }) => status))]

test('one account reads at most 64 documents, files and event streams at once', async () => {
  const held = [
    ...(await stalled(links.self, readersPerAccount - 2)),
    ...(await stalled(links.csv, 1)),
    ...(await stalled(links.events, 1)),
  ]
  expect(statusesOf(held)).toEqual([200])
  for (const path of [links.self, links.csv, links.events, `${links.results}?limit=1000`]) {
    const response = await send(path)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5'])
    expect(await detailOf(response)).toMatchObject({ error: 'rate_limited', policy: 'readers', limit: 64 })
  }
  // Short responses need no slot.
  expect(statusesOf([await send(`${links.self}?view=summary`), await send(`${links.results}/0`)])).toEqual([200])
  await cancelAll(held)
})

test('the readers of one account leave the slots of another account free', () => {
  const slots = new ReaderSlots()
  const frees = Array.from({ length: readersPerAccount }, () => slots.take('first'))
  expect(() => slots.take('first')).toThrow('already reading 64')
  expect(() => slots.take('second')).not.toThrow()
  // Freed twice, it is one slot.
  frees[0]!()
  frees[0]!()
  slots.take('first')
  expect(() => slots.take('first')).toThrow('already reading 64')
})

test('a slot is free again when its response was read, or its client disconnected', async () => {
  const held = await stalled(links.self, readersPerAccount)
  expect((await send(links.self)).status).toBe(429)
  await held[0]!.text()
  const next = await send(links.self)
  expect(next.status).toBe(200)
  await cancelAll([...held.slice(1), next])
  expect(
    statusesOf(await stalled(links.events, readersPerAccount).then(async (all) => (await cancelAll(all), all))),
  ).toEqual([200])
  expect((await send(links.self)).status).toBe(200)
})

test('a run that was waited for is accepted when there is no slot for its document', async () => {
  const held = await stalled(links.self, readersPerAccount)
  const response = await post('/v1/runs', submission, { prefer: 'wait=30' })
  expect(response.status).toBe(202)
  expect(await response.json()).toMatchObject({ status: 'done' })
  await cancelAll(held)
})

test('a HEAD request leaves no slot taken', async () => {
  const headers = { authorization: `Bearer ${testService.token}` }
  for (let i = 0; i <= readersPerAccount; i++)
    expect((await fetch(`http://127.0.0.1:${port}${links.self}`, { method: 'HEAD', headers })).status).toBe(200)
  expect((await fetch(`http://127.0.0.1:${port}${links.self}`, { headers })).status).toBe(200)
})
