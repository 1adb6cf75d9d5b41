import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { openOnlineHouse } from '../upstreams/online-house.ts'

/** A disk of its own; null where none can be made (it takes the right to mount one). */
function newDisk(megabytes: number): { folder: string; remove(): void } | null {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-disk-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).exitCode === 0) return { folder, remove: () => { Bun.spawnSync(['umount', '-l', folder]); remove() } }
  remove()
  return null
}

const disk = newDisk(48)
const fields = ['fema_flood_zone']
const place = (i: number) => ({ lat: 25.79, lng: -80.13 - i / 10_000 })

/** Leaves so much room on the disk. */
function fill(folder: string, left_bytes: number): () => void {
  const { bavail, bsize } = statfsSync(folder)
  const path = join(folder, 'filler')
  writeFileSync(path, new Uint8Array(Math.max(0, bavail * bsize - left_bytes)))
  return () => rmSync(path)
}

describe.skipIf(disk === null)('a full disk', () => {
  test('is storage_full to a new run; what is there goes on being answered, and with the room the runs come back, none of them lost', async () => {
    const house = openOnlineHouse({ FIELDSTONE_DATA: join(disk!.folder, 'data') })
    const submit = (from: number, count: number) => house.post('/v1/runs', { kind: 'fetch_batch', request: { locations: Array.from({ length: count }, (_, i) => place(from + i)), fields } })
    try {
      house.upstreams.delay(30)
      const { run_id } = (await (await submit(0, 60)).json()) as { run_id: string }
      const half = Promise.withResolvers<void>()
      house.app.runs.watch(run_id, ({ done }) => { if (done > 5) half.resolve() })
      await half.promise
      const empty = fill(disk!.folder, 0)

      const began = performance.now()
      const refused = await submit(1000, 1)
      expect([refused.status, ((await refused.json()) as { detail: { error: string } }).detail.error, refused.headers.has('retry-after')]).toEqual([503, 'storage_full', true])
      expect(performance.now() - began).toBeLessThan(1000)
      expect((await house.post('/v1/fetch', { ...place(500), fields })).status).toBe(200)
      expect((await house.send(`/v1/runs/${run_id}`)).status).toBe(200)
      expect((await house.send('/healthz')).status).toBe(200)
      while (!house.logged.some((line) => line.includes('"the disk"'))) await Bun.sleep(20)

      empty()
      const run = await house.app.runs.untilFinished({ id: 'owner', name: 'owner', scopes: new Set() }, run_id, AbortSignal.timeout(10_000))
      expect([run.status, run.ok]).toEqual(['succeeded', 60])
      expect((await submit(1000, 1)).status).toBe(202)
    } finally {
      house.close()
    }
  })

  test('is told of before it is quite full: the runs that are there have room to end', async () => {
    const house = openOnlineHouse({ FIELDSTONE_DATA: join(disk!.folder, 'data-2') })
    const empty = fill(disk!.folder, 8 * 1_048_576)
    const response = await house.post('/v1/runs', { kind: 'fetch_batch', request: { locations: [place(0)], fields } })
    empty()
    house.close()
    disk!.remove()
    expect(response.status).toBe(503)
  })
})
