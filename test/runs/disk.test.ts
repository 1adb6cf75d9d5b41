import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'bun:test'
import { newDisk } from '../store/small-disk.ts'
import { openOnlineHouse } from '../upstreams/online-house.ts'

const disk = newDisk(48)
afterAll(() => disk?.remove())
const fields = ['fema_flood_zone']
const place = (i: number) => ({ lat: 25.79, lng: -80.13 - i / 10_000 })
const owner = { id: 'owner', name: 'owner', scopes: new Set<never>() }
/** So many that the run cannot end before the disk is full. */
const count = 400

describe.skipIf(disk === null)('a full disk', () => {
  test('is storage_full to a new run; what is there goes on being answered, and with the room the runs come back, none of them lost', async () => {
    const house = openOnlineHouse({ FIELDSTONE_DATA: join(disk!.folder, 'data'), FIELDSTONE_LOG: 'info' })
    const submit = (from: number, many: number) =>
      house.post('/v1/runs', {
        kind: 'fetch_batch',
        request: { locations: Array.from({ length: many }, (_, i) => place(from + i)), fields },
      })
    const told = (words: string) => house.logged.filter((line) => line.includes('"the disk"') && line.includes(words))
    const empties: (() => void)[] = []
    try {
      house.upstreams.delay(30)
      const { run_id } = (await (await submit(0, count)).json()) as { run_id: string }
      const begun = Promise.withResolvers<void>()
      house.app.runs.subscribe(run_id, ({ done }) => {
        if (done > 5) begun.resolve()
      })
      await begun.promise
      empties.push(disk!.fill(0))

      const refused = await submit(1000, 1)
      expect([
        refused.status,
        ((await refused.json()) as { detail: { error: string } }).detail.error,
        refused.headers.has('retry-after'),
      ]).toEqual([503, 'storage_full', true])
      expect((await house.post('/v1/fetch', { ...place(500), fields })).status).toBe(200)
      expect((await house.send(`/v1/runs/${run_id}`)).status).toBe(200)
      expect((await house.send('/healthz')).status).toBe(200)
      while (told('"error"').length === 0) await new Promise((resolve) => setImmediate(resolve))

      house.upstreams.heal()
      empties.pop()!()
      const run = await house.app.runs.waitUntilFinished(owner, run_id, new AbortController().signal)
      expect([run.status, run.ok]).toEqual(['succeeded', count])
      // However often it was tried.
      expect([told('"error"').length, told('It works again.').length]).toEqual([1, 1])
      expect((await submit(1000, 1)).status).toBe(202)
    } finally {
      empties.pop()?.()
      house.close()
    }
  }, 60_000)

  test('is told of before it is quite full: the runs that are there have room to end', async () => {
    const house = openOnlineHouse({ FIELDSTONE_DATA: join(disk!.folder, 'data-2') })
    const empty = disk!.fill(8 * 1_048_576)
    const response = await house.post('/v1/runs', { kind: 'fetch_batch', request: { locations: [place(0)], fields } })
    empty()
    house.close()
    expect(response.status).toBe(503)
  })
})
