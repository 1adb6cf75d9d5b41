import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'bun:test'
import { newDisk } from '../store/small-disk.ts'
import { usesPostgres } from '../support/test-state.ts'
import { openOnlineService } from '../upstreams/online-service.ts'

const disk = newDisk(48)
afterAll(() => disk?.remove())
const fields = ['fema_flood_zone']
const place = (i: number) => ({ lat: 25.79, lng: -80.13 - i / 10_000 })
const owner = { id: 'owner', name: 'owner', scopes: new Set<never>() }
/** Enough locations that the run cannot finish before the disk is full. */
const count = 400

describe.skipIf(disk === null || usesPostgres)('a full disk', () => {
  test('rejects new runs with storage_full and still serves existing data; when there is space again, the runs continue and none is lost', async () => {
    const service = openOnlineService({ FIELDSTONE_DATA: join(disk!.folder, 'data'), FIELDSTONE_LOG: 'info' })
    const submit = (from: number, many: number) =>
      service.post('/v1/runs', {
        kind: 'fetch_batch',
        request: { locations: Array.from({ length: many }, (_, i) => place(from + i)), fields },
      })
    const messageOf = (words: string) =>
      service.logged.filter((line) => line.includes('"the disk"') && line.includes(words))
    const empties: (() => void)[] = []
    try {
      service.upstreams.delay(30)
      const { run_id } = (await (await submit(0, count)).json()) as { run_id: string }
      const begun = Promise.withResolvers<void>()
      service.app.runs.subscribe({ id: 'owner' }, run_id, ({ done }) => {
        if (done > 5) begun.resolve()
      })
      await begun.promise
      empties.push(disk!.fill(0))

      const refused = await submit(1000, 1)
      expect(refused.status).toBe(503)
      expect(((await refused.json()) as { detail: { error: string } }).detail.error).toBe('storage_full')
      expect(refused.headers.has('retry-after')).toBe(true)
      expect((await service.post('/v1/fetch', { ...place(500), fields })).status).toBe(200)
      expect((await service.send(`/v1/runs/${run_id}`)).status).toBe(200)
      expect((await service.send('/healthz')).status).toBe(200)
      while (messageOf('"error"').length === 0) await new Promise((resolve) => setImmediate(resolve))

      service.upstreams.heal()
      empties.pop()!()
      const run = await service.app.runs.waitUntilFinished(owner, run_id, new AbortController().signal)
      expect([run.status, run.ok]).toEqual(['done', count])
      // Regardless of the number of attempts.
      expect([messageOf('"error"').length, messageOf('It works again.').length]).toEqual([1, 1])
      expect((await submit(1000, 1)).status).toBe(202)
    } finally {
      empties.pop()?.()
      await service.close()
    }
  })

  test('rejects a GeoPackage with storage_full; when there is space again, it is complete and no file of it is left', async () => {
    const data = join(disk!.folder, 'data-3')
    const service = openOnlineService({ FIELDSTONE_DATA: data })
    const locations = Array.from({ length: 100 }, (_, i) => place(i))
    const submitted = await service.post('/v1/runs', { kind: 'fetch_batch', request: { locations, fields } })
    const { run_id } = (await submitted.json()) as { run_id: string }
    await service.app.runs.waitUntilFinished(owner, run_id, new AbortController().signal)
    const file = () => service.send(`/v1/runs/${run_id}/artifacts/gpkg`)
    for (const left_bytes of [0, 40_000]) {
      const empty = disk!.fill(left_bytes)
      const refused = await file()
      empty()
      expect(((await refused.json()) as { detail: { error: string } }).detail.error).toBe('storage_full')
    }
    const bytes = await (await file()).bytes()
    expect(Database.deserialize(bytes).query('SELECT count(*) AS rows FROM result').get()).toEqual({ rows: 100 })
    expect(readdirSync(data).filter((name) => name.startsWith('.fieldstone'))).toEqual([])
    expect((await service.app.runs.health()).recent_losses).toBe(0)
    await service.close()
  })

  test('is reported before it is completely full, so that existing runs have space to finish', async () => {
    const service = openOnlineService({ FIELDSTONE_DATA: join(disk!.folder, 'data-2') })
    const empty = disk!.fill(8 * 1_048_576)
    const response = await service.post('/v1/runs', { kind: 'fetch_batch', request: { locations: [place(0)], fields } })
    empty()
    await service.close()
    expect(response.status).toBe(503)
  })
})
