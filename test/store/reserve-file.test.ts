import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { openTestService } from '../support/test-service.ts'
import {
  reserveFile_bytes,
  hasReserveFile,
  ensureReserveFile,
  releaseReserveFile,
} from '../../src/store/reserve-file.ts'
import { newDisk } from './small-disk.ts'
import { StorageError } from '../../src/store/storage-error.ts'

const disks = [newDisk(160), newDisk(64)]
const [large, small] = disks
afterAll(() => disks.forEach((disk) => disk?.remove()))
const full = new StorageError('full')

describe.skipIf(!large || !small)('the reserve file', () => {
  test('is created once if there is enough free space, and not otherwise', async () => {
    await ensureReserveFile(large!.folder)
    await ensureReserveFile(large!.folder)
    await ensureReserveFile(small!.folder)
    expect(hasReserveFile(large!.folder)).toBe(true)
    expect(hasReserveFile(small!.folder)).toBe(false)
    expect(readdirSync(large!.folder)).toEqual(['reserve_file'])
    expect(readdirSync(small!.folder)).toEqual([])
  })

  test('is deleted only when the disk is full, and frees its space', async () => {
    await ensureReserveFile(large!.folder)
    releaseReserveFile(large!.folder, new StorageError('busy'))
    expect(hasReserveFile(large!.folder)).toBe(true)
    const empty = large!.fill(0)
    releaseReserveFile(large!.folder, full)
    const { bavail, bsize } = statfsSync(large!.folder)
    expect([hasReserveFile(large!.folder), bavail * bsize >= reserveFile_bytes]).toEqual([false, true])
    releaseReserveFile(large!.folder, full)
    empty()
  })

  test('lets an accepted run finish on a full disk', async () => {
    const data = join(large!.folder, 'data')
    mkdirSync(data)
    await ensureReserveFile(data)
    const service = openTestService({ FIELDSTONE_DATA: data })
    const locations = Array.from({ length: 3000 }, (_, i) => ({ lat: 39 + i / 10_000, lng: -104.9 }))
    const { run_id } = (await (
      await service.post('/v1/runs', {
        kind: 'fetch_batch',
        request: { locations, fields: ['county', 'geohash', 'timezone'] },
      })
    ).json()) as { run_id: string }
    const empty = large!.fill(0)
    const run = await service.app.runs.waitUntilFinished(
      { id: 'owner', name: 'owner', scopes: new Set() },
      run_id,
      AbortSignal.timeout(60_000),
    )
    expect([run.status, run.ok, hasReserveFile(data)]).toEqual(['done', 3000, false])
    empty()
    await service.close()
  })
})
